"""Models in this process through vLLM: many prompts at once on GPUs, their common beginnings computed once.

Prompts are encoded as for every other local model, so that a text cannot write a control token and templates are the
same in all backends; vLLM gets tokens. It is written for vLLM 0.12 and later (Linux, CUDA; the extra `vllm`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from babelguard.checksums import hash_of
from babelguard.errors import UserError
from babelguard.generator import Decoding, Generation, GeneratorKind, Prompt
from babelguard.local_models.choosing import Choice, ChoiceLine, Failure, Skeleton
from babelguard.local_models.encoding import encode_prompt
from babelguard.local_models.loading import LoadingOptions, fingerprint_of
from babelguard.local_models.shelf import SHELF
from babelguard.rating import Status
from babelguard.recipe import RecipeModel

MOST_LOGPROBS = 20
_STATUSES = {"stop": Status.OK, "length": Status.TRUNCATED}


class VllmOptions(RecipeModel):
    """Which model, and how vLLM puts it onto GPUs."""

    model: str = Field(description="Hub name or local folder")
    revision: str | None = Field(None, description="Commit, tag or branch on the hub; the default branch if not set")
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"
    quantization: str | None = Field(None, description="vLLM's name of the weights' quantization, where not in config")
    gpus: int = Field(1, ge=1, description="GPUs among which the model is split (tensor parallelism)")
    gpu_memory: float = Field(0.9, gt=0, le=1, description="Share of each GPU's memory that vLLM takes")
    window: int | None = Field(None, ge=1, description="Longest prompt and answer in tokens; the model's if not set")
    top_logprobs: int = Field(0, ge=0, le=MOST_LOGPROBS, description="Likeliest tokens to give in each place")
    template_options: dict[str, Any] = Field(
        default_factory=dict, description="Variables of the chat template, such as enable_thinking"
    )
    trust_remote_code: bool = Field(False, description="Run Python code that comes with the model")
    engine: dict[str, Any] = Field(default_factory=dict, description="Further arguments of vllm.LLM")


@dataclass
class VllmEngine:
    """A loaded model.

    Attributes:
        llm: `vllm.LLM`.
        tokenizer: `transformers.PreTrainedTokenizerBase`, with which prompts are encoded.
    """

    llm: Any
    tokenizer: Any

    @property
    def window(self) -> int:
        """The longest prompt and answer together, in tokens."""
        return int(self.llm.llm_engine.model_config.max_model_len)

    def run(self, prompts: Sequence[Sequence[int]], **sampling: Any) -> list[Any]:  # noqa: ANN401 - vLLM's options
        """Return vLLM's output for each prompt, in order; all are scheduled by vLLM at once."""
        from vllm import SamplingParams

        inputs = [{"prompt_token_ids": list(tokens)} for tokens in prompts]
        outputs: list[Any] = self.llm.generate(inputs, SamplingParams(**sampling), use_tqdm=False)
        return outputs


@dataclass(frozen=True)
class VllmGenerator:
    """A model behind vLLM as a text generator that can also choose among listed answers."""

    options: VllmOptions
    fingerprint: str

    @property
    def name(self) -> str:
        """The model's name, without the folders above a local path."""
        return self.options.model.rstrip("/").split("/")[-1]

    def open(self) -> VllmEngine:
        """Return the model, loaded when it is first needed; another one in memory is given up for it."""
        key = f"vllm {self.options.model_dump_json()}"
        return SHELF.get(key, lambda: load_engine(self.options))

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order; a prompt that does not fit the window gets the status `error`.

        Raises:
            UserError: vLLM or the model cannot be used.
        """
        engine = self.open()
        encoded = [encode_prompt(engine.tokenizer, prompt, self.options.template_options) for prompt in prompts]
        fitting = [tokens for tokens in encoded if len(tokens) + decoding.max_new_tokens <= engine.window]
        outputs = iter(engine.run(fitting, **self._sampling(decoding)) if fitting else ())
        for tokens in encoded:
            if len(tokens) + decoding.max_new_tokens > engine.window:
                yield Generation("", Status.ERROR, too_long(tokens, engine.window), prompt_tokens=len(tokens))
            else:
                yield generation_of(next(outputs), len(tokens), decoding)

    def choose(
        self, prompts: Sequence[Prompt], lines: Sequence[ChoiceLine], before: str = ""
    ) -> Iterator[tuple[Choice, ...] | Failure]:
        """Yield what is chosen in every line, one tuple a prompt, in order, or why nothing is.

        One token is generated a line, and only the first tokens of the line's choices are allowed. vLLM's choices of
        whole strings would not do: they allow every spelling in tokens, so that one place does not decide.

        Args:
            prompts: The prompts.
            lines: The answer's skeleton.
            before: The text that the answer follows directly; the end of a completion prompt.

        Raises:
            UserError: As `generate`; or the tokenizer writes two choices of a line with the same first token.
        """
        engine = self.open()
        skeleton = Skeleton.encode(lines, engine.tokenizer, before)
        encoded = [list(encode_prompt(engine.tokenizer, prompt, self.options.template_options)) for prompt in prompts]
        fits = [len(tokens) + skeleton.length <= engine.window for tokens in encoded]
        running = {number: tokens for number, tokens in enumerate(encoded) if fits[number]}
        failures = {n: Failure(too_long(encoded[n], engine.window)) for n in range(len(encoded)) if not fits[n]}
        chosen: dict[int, list[Choice]] = {number: [] for number in running}
        for line in skeleton.lines:
            decisive = [choice[0] for choice in line.choices]
            inputs = [[*tokens, *line.forced] for tokens in running.values()]
            how = {"max_tokens": 1, "temperature": 0.0, "allowed_token_ids": decisive, "logprobs": len(decisive)}
            outputs = engine.run(inputs, **how) if inputs else []
            for number, tokens, output in zip(list(running), inputs, outputs, strict=True):
                choice = choice_of(output, decisive)
                if choice is None:
                    failures[number] = Failure("vLLM gave no probability for a choice")
                    del running[number]
                    continue
                chosen[number].append(choice)
                running[number] = [*tokens, *line.choices[choice.index]]
        for number in range(len(prompts)):
            yield failures[number] if number in failures else tuple(chosen[number])

    def _sampling(self, decoding: Decoding) -> dict[str, Any]:
        return {
            "max_tokens": decoding.max_new_tokens,
            "temperature": decoding.temperature,
            "seed": decoding.seed if decoding.temperature > 0 else None,
            "stop": list(decoding.stop) or None,
            "logprobs": self.options.top_logprobs or None,
        }


def load_engine(options: VllmOptions) -> VllmEngine:
    """Load the model, with prefix caching on and log-probabilities as they are after masks.

    Raises:
        UserError: vLLM is not installed, there is no GPU for it, or the model cannot be loaded.
    """
    try:
        from vllm import LLM
    except ImportError as error:
        raise UserError(
            f"The backend vllm needs the package vllm ({error}); install the extra: pip install 'babelguard[vllm]', or "
            "set 'backend: transformers'."
        ) from None
    from transformers import AutoTokenizer

    settings: dict[str, Any] = {
        "model": options.model,
        "revision": options.revision,
        "dtype": options.dtype,
        "quantization": options.quantization,
        "tensor_parallel_size": options.gpus,
        "gpu_memory_utilization": options.gpu_memory,
        "max_model_len": options.window,
        "trust_remote_code": options.trust_remote_code,
        "enable_prefix_caching": True,
        "logprobs_mode": "processed_logprobs",
        "max_logprobs": MOST_LOGPROBS,
        **options.engine,
    }
    try:
        tokenizer = AutoTokenizer.from_pretrained(
            options.model, revision=options.revision, trust_remote_code=options.trust_remote_code
        )
        return VllmEngine(LLM(**settings), tokenizer)
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0][:300]
        raise UserError(
            f"vLLM cannot load the model {options.model}: {reason}. Check the model's name, that a GPU is there and "
            "free, and the options gpu_memory, window and engine."
        ) from None


def too_long(tokens: Sequence[int], window: int) -> str:
    """Return why a prompt is not asked, without any of it."""
    return f"{len(tokens)} tokens and an answer are more than the model's window of {window}"


def generation_of(output: Any, prompt_tokens: int, decoding: Decoding) -> Generation:  # noqa: ANN401
    """Return what a `vllm.RequestOutput` says."""
    completion = output.outputs[0]
    status = _STATUSES.get(completion.finish_reason, Status.ERROR)
    new_tokens = len(completion.token_ids)
    if status is Status.ERROR:
        reason = f"vLLM ended it: {completion.finish_reason}"
        return Generation("", status, reason, prompt_tokens, new_tokens)
    detail = None if status is Status.OK else f"stopped at {decoding.max_new_tokens} tokens"
    top = tuple(
        _by_text(place, token) for place, token in zip(completion.logprobs or (), completion.token_ids, strict=False)
    )
    return Generation(completion.text, status, detail, prompt_tokens, new_tokens, top)


def _by_text(place: Mapping[int, Any], written: int) -> dict[str, float]:
    """Return one place's log-probabilities by the tokens' text, the written token first."""
    ordered = sorted(place.items(), key=lambda entry: (entry[0] != written, -entry[1].logprob))
    found: dict[str, float] = {}
    for token, entry in ordered:
        text = entry.decoded_token if entry.decoded_token is not None else f"<{token}>"
        found.setdefault(text, float(entry.logprob))
    return found


def choice_of(output: Any, decisive: Sequence[int]) -> Choice | None:  # noqa: ANN401 - a `vllm.RequestOutput`
    """Return what was chosen among tokens, or `None` where a token's log-probability is missing."""
    places = output.outputs[0].logprobs
    if not places or not all(token in places[0] for token in decisive):
        return None
    values = [float(places[0][token].logprob) for token in decisive]
    highest = max(values)
    if not math.isfinite(highest):
        return None
    total = highest + math.log(math.fsum(math.exp(value - highest) for value in values))
    return Choice(values.index(highest), tuple(value - total for value in values))


def build(options: VllmOptions) -> VllmGenerator:
    """Make the generator; weights are loaded when the first prompt comes.

    Raises:
        UserError: The model is not found; see `fingerprint_of`.
    """
    weights = LoadingOptions(model=options.model, revision=options.revision, dtype=options.dtype)
    decisive = options.model_dump(include={"revision", "quantization", "window", "top_logprobs"})
    parts = (fingerprint_of(weights), decisive, options.template_options, options.engine)
    return VllmGenerator(options, hash_of("vllm", 1, parts))


GENERATOR = GeneratorKind(options=VllmOptions, build=build)
