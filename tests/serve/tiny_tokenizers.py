"""Small tokenizers of the kinds that encoders come with, trained on a few harmless sentences."""

from __future__ import annotations

from typing import Any

SENTENCES = (
    "query: the weather is kind today, and the tea is hot",
    "query: Guten Tag, wie geht es dir heute?",
    "query: le chat dort sur le canapé : il rêve !",
    "query: 今日は天気がいいです。 お茶をどうぞ",
    "passage: สวัสดี ยินดีที่ได้รู้จัก -- see you : soon :)",
)

SPACES = (" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u2028", "\u3000", "\u0085", "\x0b", "\x1c", "\u1680")
UNSEEN = ("\u200b", "\u200c", "\u200d", "\u200e", "\u2060", "\ufeff", "\u00ad", "\u180e", "\u3164", "\u115f", "\x00")
WORDS = (
    "tea",
    "the",
    "chat",
    "茶",
    "สวัสดี",
    "\u0301",
    "e\u0301",
    ":",
    ":)",
    ",",
    "!",
    "▁",
    "🫖",
    "query:",
    "x",
    "ﬁ",
    "①",
)
PREFIXES = ("", "query: ", "query:", "query : ", " ")
"""Some end in a blank, which most tokenizers put before the next word; some do not, and the text runs on."""


def unigram() -> Any:
    """Return a `tokenizers.Tokenizer` as XLM-R's: Unigram, blanks as word starts, runs of blanks as one."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    made.decoder = decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=160, special_tokens=special, unk_token="<unk>", show_progress=False)
    made.train_from_iterator(SENTENCES, trainer)
    return _framed(made, processors)


def byte_level() -> Any:
    """Return a `tokenizers.Tokenizer` as RoBERTa's: byte-level BPE, blanks as parts of words."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    made = Tokenizer(models.BPE(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(SENTENCES, trainer)
    return _framed(made, processors)


def _framed(tokenizer: Any, processors: Any) -> Any:
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("<s>", "</s>")],
    )
    return tokenizer
