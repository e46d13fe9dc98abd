"""Opens a guard: in this process through transformers or vLLM, or behind a service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from babelguard.checksums import hash_of
from babelguard.endpoint.generator import EndpointGenerator
from babelguard.errors import UserError
from babelguard.generator import GENERATORS, GeneratorKind, TextGenerator
from babelguard.generators.vllm import VllmGenerator
from babelguard.local_models.loading import LoadingOptions, fingerprint_of, load_model, name_of
from babelguard.local_models.local_model import LocalModel
from babelguard.local_models.shelf import SHELF
from babelguard.local_models.unloadable import told_if_unloadable
from babelguard.local_models.vocabulary import check_vocabulary
from babelguard.recipe import validate
from babelguard.response_cache import ResponseCache, cached
from evaluation.guarding.adapter import find_adapter
from evaluation.guarding.asking import Asker, CachedAsker, LocalAsker
from evaluation.guarding.conversation import Exchange
from evaluation.guarding.endpoint_asking import EndpointAsker, ServedPrompting
from evaluation.guarding.options import GenerativeGuardOptions
from evaluation.guarding.prompting import GuardPrompt, Prompting
from evaluation.guarding.published_words import Words, read_words
from evaluation.guarding.vllm_asking import VllmAsker
from evaluation.preset import FOLDER

_RUNNING = frozenset({"adapter", "adapter_revision", "batch_size", "batch_tokens", "share_prefix"})
"""Options that a model in memory is known by, beside those of its loading."""


class Prompter(Protocol):
    """Makes the prompts of one guard."""

    def prompts(self, exchange: Exchange) -> tuple[list[GuardPrompt], list[str]]:
        """Return the prompts for an exchange, and remarks about them."""
        ...


@dataclass(frozen=True)
class OpenGuard:
    """A guard that can be asked.

    Attributes:
        name: The model's name, for people.
        prompting: Makes its prompts.
        asker: Asks it.
        decisive: What decides its answers beside the rater's own options, as plain values.
    """

    name: str
    prompting: Prompter
    asker: Asker
    decisive: tuple[object, ...]


def open_guard(rater: str, options: GenerativeGuardOptions, cache: ResponseCache | None) -> OpenGuard:
    """Open a guard; its weights are loaded, and a service is asked, when the first item comes.

    Args:
        rater: The rater's name, for messages.
        options: The rater's.
        cache: Where answers are kept.

    Raises:
        UserError: The model, the backend or its options cannot be used, the publisher's words are missing, there is no
            template, or the tokenizer does not fit the answers.
    """
    who = f"The preset {options.preset}" if options.preset else f"The model {options.model}"
    words = read_words(options.prompt_file, options.published, options.policies, _template(options), who)
    if options.backend == "transformers":
        return _in_process(options, words, cache)
    generator = _generator(rater, options)
    if isinstance(generator, VllmGenerator):
        return _behind_vllm(generator, options, words, cache)
    if isinstance(generator, EndpointGenerator):
        return _behind_a_service(generator, options, words, cache)
    raise UserError(f"The rater {rater}: a guard cannot run on the backend {options.backend}; set another one.")


def _in_process(options: GenerativeGuardOptions, words: Words, cache: ResponseCache | None) -> OpenGuard:
    loading = LoadingOptions(**{key: getattr(options, key) for key in LoadingOptions.model_fields})
    weights = fingerprint_of(loading)
    adapter = find_adapter(options.adapter, options.adapter_revision) if options.adapter else None
    prompting = _prompting(loading, options, words)

    def load() -> LocalModel:
        loaded = load_model(loading)
        if adapter is not None:
            loaded = adapter.merge_into(loaded)
        tokens = options.batch_tokens or (1024 if loaded.model.device.type == "cpu" else 8192)
        return LocalModel(loaded, options.batch_size, tokens, options.share_prefix)

    how = options.model_dump(mode="json", include={*LoadingOptions.model_fields, *_RUNNING})
    key = hash_of("generative-guard", how)
    decisive = (weights, adapter.fingerprint if adapter else None, prompting.longest, *_said(words))
    asker = LocalAsker(lambda: SHELF.get(key, load), prompting, options)
    return OpenGuard(name_of(loading), prompting, _kept(asker, cache, decisive[:2], options), decisive)


def _behind_vllm(
    generator: VllmGenerator, options: GenerativeGuardOptions, words: Words, cache: ResponseCache | None
) -> OpenGuard:
    chosen = generator.options
    loading = LoadingOptions(model=chosen.model, revision=chosen.revision, trust_remote_code=chosen.trust_remote_code)
    prompting = _prompting(loading, options, words, chosen.window)
    decisive = (generator.fingerprint, None, prompting.longest, *_said(words))
    asker = VllmAsker(generator, prompting, options)
    return OpenGuard(generator.name, prompting, _kept(asker, cache, decisive[:2], options), decisive)


def _behind_a_service(
    generator: EndpointGenerator, options: GenerativeGuardOptions, words: Words, cache: ResponseCache | None
) -> OpenGuard:
    def prepare(inner: TextGenerator) -> TextGenerator:
        return cached(inner, cache)

    decisive = (generator.fingerprint, None, options.longest_prompt, *_said(words))
    asker = EndpointAsker(generator, prepare, options, words)
    return OpenGuard(generator.name, ServedPrompting(options, words), asker, decisive)


def _kept(
    asker: Asker, cache: ResponseCache | None, weights: tuple[object, ...], options: GenerativeGuardOptions
) -> Asker:
    """Put the cache before a guard in this process."""
    if cache is None:
        return asker
    decisive: Mapping[str, object] = {
        "weights": weights,
        **options.model_dump(mode="json", include={"answers", "leads", "threshold", "longest_answer"}),
    }
    return CachedAsker(asker, cache, decisive)


def _prompting(
    loading: LoadingOptions, options: GenerativeGuardOptions, words: Words, window: int | None = None
) -> Prompting:
    tokenizer, longest = _tokenizer_and_window(loading)
    longest = min(options.longest_prompt, *(limit - options.answer_length for limit in (longest, window) if limit))
    prompting = Prompting(
        tokenizer=tokenizer,
        template=words.template,
        frame=options.frame,
        content=options.content,
        variables={**options.variables, **words.variables},
        policies=words.policies,
        answers=options.answers,
        longest=longest,
        most_windows=options.most_windows,
    )
    for target in options.answers:
        for lead in options.leads:
            prompting.steps(target, lead)
    return prompting


def _generator(rater: str, options: GenerativeGuardOptions) -> TextGenerator:
    kind: GeneratorKind = GENERATORS.get(options.backend)
    known = kind.options.model_fields
    values: dict[str, Any] = dict(options.backend_options)
    values["deployment" if "deployment" in known else "model"] = options.model
    stated = options.model_dump(include={"revision", "trust_remote_code"}, exclude_defaults=True)
    values |= {key: value for key, value in stated.items() if key in known}
    if options.backend != "vllm":
        values.setdefault("top_logprobs", 10)
    return kind.build(validate(values, kind.options, f"The rater {rater}", ("backend_options",)))


def _said(words: Words) -> tuple[object, ...]:
    policies = [policy.model_dump(mode="json") for policy in words.policies]
    return words.template, dict(words.variables), policies


def _tokenizer_and_window(loading: LoadingOptions) -> tuple[Any, int | None]:
    """Return the tokenizer and the model's window, so that mistakes show before weights are loaded."""
    if loading.gguf_file or loading.model.endswith(".gguf"):
        loaded = load_model(loading)
        return loaded.tokenizer, loaded.window
    from transformers import AutoConfig, AutoTokenizer

    path = Path(loading.model).expanduser()
    source = str(path) if path.is_dir() else loading.model
    common = {"revision": loading.revision, "trust_remote_code": loading.trust_remote_code}
    with told_if_unloadable(name_of(loading), "a causal language model"):
        config = AutoConfig.from_pretrained(source, **common).get_text_config()
        tokenizer = AutoTokenizer.from_pretrained(source, **common)
    check_vocabulary(tokenizer, config, name_of(loading))
    longest = getattr(config, "max_position_embeddings", None)
    return tokenizer, longest if isinstance(longest, int) else None


def _template(options: GenerativeGuardOptions) -> str | None:
    named = options.template
    if named is None:
        return None
    path = next((p for p in (Path(named), FOLDER / named) if p.is_file()), None)
    if path is None:
        raise UserError(f"The template {named} does not exist, neither here nor in {FOLDER}; give a Jinja file.")
    return path.read_text(encoding="utf-8")
