"""Loads the causal model that is fine-tuned, its tokenizer, and the format in which it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from babelguard.errors import UserError
from babelguard.taxonomy import Taxonomy
from train.base_model import dtype_of, not_loaded, require_libraries, source_of
from train.generative.endings import end_of_answer, set_padding
from train.generative.form import Form
from train.generative.guard_form import GuardForm
from train.generative.guard_prompt import guard_template
from train.generative.judge_form import judge_form
from train.generative.options import AnswerRecipe, CausalModelRecipe
from train.generative.spec import GenerativeSpec
from train.lora import LoraOptions, four_bit_weights

_LIBRARIES: Final = ("torch", "transformers", "peft", "trl", "accelerate")


@dataclass(frozen=True)
class Tokenizing:
    """A tokenizer that is ready for a guard.

    Attributes:
        tokenizer: `transformers.PreTrainedTokenizerBase`, with a pad token; its chat template is the guard's.
        end: Id of the token that ends an answer.
        form: The format of answers.
        remarks: What a user should know, in sentences.
    """

    tokenizer: Any
    end: int
    form: Form
    remarks: tuple[str, ...]


def load_tokenizing(recipe: CausalModelRecipe, answer: AnswerRecipe, categories: Taxonomy) -> Tokenizing:
    """Load the base model's tokenizer and make the format.

    Args:
        recipe: The base model.
        answer: The format.
        categories: The taxonomy.

    Raises:
        UserError: A library is missing, the tokenizer cannot be loaded or does not suit the layout, or the format's
            files are wrong.
    """
    source, common = source_of(recipe)
    tokenizer = _tokenizer(recipe, source, common)
    if recipe.layout == "chat" and not tokenizer.chat_template:
        raise UserError(
            f"The model {recipe.base} has no chat template, so it is no chat model; set model.layout=completion, or "
            "give a chat model."
        )
    end = end_of_answer(tokenizer, recipe.layout, recipe.template_options)
    padded = set_padding(tokenizer, end)
    if answer.format == "llama-guard":
        tokenizer.chat_template = guard_template(
            tokenizer, categories, recipe.layout, answer.prompt, recipe.template_options
        )
    form = _form(tokenizer, recipe, answer, categories, end)
    return Tokenizing(tokenizer, end, form, (padded,) if padded else ())


def load_trained_tokenizing(folder: Path, spec: GenerativeSpec, categories: Taxonomy) -> Tokenizing:
    """Load the tokenizer that a training left, whose chat template is the guard's, and make the format.

    Args:
        folder: Holds the tokenizer.
        spec: What the guard is; its `answer.rubric` must be a file that exists.
        categories: The taxonomy.

    Raises:
        UserError: As `load_tokenizing`.
    """
    tokenizer = _tokenizer(spec.model, str(folder), {})
    form = _form(tokenizer, spec.model, spec.answer, categories, spec.end, spec.threshold)
    return Tokenizing(tokenizer, spec.end, form, ())


def _tokenizer(recipe: CausalModelRecipe, source: str, common: dict[str, Any]) -> Any:  # noqa: ANN401 - a tokenizer
    require_libraries(recipe.base, _LIBRARIES)
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(source, **common)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise not_loaded(recipe.base, error, "a causal language model") from None


def _form(
    tokenizer: Any,  # noqa: ANN401 - a transformers tokenizer
    recipe: CausalModelRecipe,
    answer: AnswerRecipe,
    categories: Taxonomy,
    end: int,
    threshold: float = 0.5,
) -> Form:
    if answer.format == "judge":
        return judge_form(
            tokenizer, categories, answer.rubric, recipe.layout, recipe.template_options, end, recipe.longest
        )
    return GuardForm(tokenizer, categories, answer, tokenizer.chat_template, end, recipe.longest, threshold)


def load_causal(recipe: CausalModelRecipe, lora: LoraOptions | None, *, place: bool = True) -> Any:  # noqa: ANN401 - a model
    """Load the base model for training.

    Args:
        recipe: The base model.
        lora: The adapter that will be trained; decides types and 4-bit loading.
        place: Whether a 4-bit model is put on this process's GPU at once, as it must be.

    Raises:
        UserError: The model cannot be loaded, or its window is shorter than `recipe.longest`.
    """
    import torch
    from transformers import AutoModelForCausalLM

    source, common = source_of(recipe)
    dtype = getattr(torch, dtype_of(recipe, lora))
    quantised = four_bit_weights(lora, dtype) if lora is not None else None
    attention = {} if recipe.attention == "auto" else {"attn_implementation": recipe.attention}
    devices = {"device_map": {"": torch.cuda.current_device()}} if quantised is not None and place else {}
    try:
        model = AutoModelForCausalLM.from_pretrained(
            source, dtype=dtype, use_safetensors=True, quantization_config=quantised, **attention, **devices, **common
        )
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise not_loaded(recipe.base, error, "a causal language model") from None
    longest = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if isinstance(longest, int) and recipe.longest > longest:
        raise UserError(
            f"model.longest is {recipe.longest} tokens, and {recipe.base} knows positions for {longest}; "
            f"set model.longest={longest} or less. Longer texts are rated in windows."
        )
    return model
