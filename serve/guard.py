"""A guard: texts in, levels, calibrated probabilities and flags out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from babelguard.errors import UserError
from serve.bundle import Bundle, GuardManifest, read_bundle
from serve.calibration import Calibrator, Decisions
from serve.engine import Engine, EngineOptions, Logits, Provider, Tuning, Windows
from serve.framed_tokenizer import Span
from serve.windows import Encoded, Encoder

_CHUNK = 2048
"""Texts that are sorted by length together; the next ones are tokenised meanwhile."""


@dataclass(frozen=True, slots=True)
class GuardRating:
    """What a guard says about one text.

    Attributes:
        levels: Category -> level, from 1.
        probabilities: Category -> calibrated P(level > 1), P(level > 2), ..., not increasing.
        flagged: Category -> whether its probability reaches the guard's own flag threshold.
        language: The guard's tag of the language whose values were used; `None` where it knows none: pooled values.
        windows: Windows that were scored. 0: the text has no token, the model was not asked, and all is level 1.
        triggers: Category -> first character and the one behind the last of the window that scored highest.
        replaced: Lone surrogates that were read as U+FFFD.
    """

    levels: Mapping[str, int]
    probabilities: Mapping[str, tuple[float, ...]]
    flagged: Mapping[str, bool]
    language: str | None
    windows: int
    triggers: Mapping[str, Span]
    replaced: int


class Guard:
    """A loaded guard. May be used from several threads at a time."""

    def __init__(self, source: Bundle, engine: Engine, precision: str) -> None:
        facts = source.manifest.model
        self.source = source
        self.engine = engine
        self.precision = precision
        self._calibrator = Calibrator(source.manifest)
        self._columns = source.manifest.category_columns
        self._encoder = Encoder(source.tokenizer, window=facts.window, overlap=facts.overlap, prefix=facts.prefix)
        if self._encoder.vocabulary > facts.vocabulary:
            raise UserError(
                f"{source.tokenizer} has {self._encoder.vocabulary:,} token ids and the model {facts.vocabulary:,}; "
                "they do not belong together."
            )

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        precision: str | None = None,
        provider: Provider = "auto",
        threads: int | None = None,
        tuning: Tuning = "throughput",
        batch_tokens: int | None = None,
        verify: bool = True,
    ) -> Guard:
        """Load a bundle, check it and warm it up.

        Args:
            path: The bundle.
            precision: ``fp32``, ``fp16`` or ``int8``; the bundle's default if `None`.
            provider: ``cpu``, ``cuda`` or ``tensorrt``; ``auto`` is CUDA where it works, else the CPU.
            threads: CPU cores to use; all that the process may use if `None`.
            tuning: ``latency`` for single texts, ``throughput`` for many.
            batch_tokens: Tokens in a batch; what suits the provider if `None`.
            verify: Whether to compute the checksums of the bundle's files.

        Raises:
            UserError: The bundle is damaged or incomplete, or what is asked for is not there.
        """
        source = read_bundle(path, verify=verify)
        manifest = source.manifest
        chosen, model = source.model(precision)
        options = EngineOptions(provider, threads, tuning, batch_tokens)
        engine = Engine(model, columns=len(manifest.columns), padding=manifest.model.pad_token_id, options=options)
        guard = cls(source, engine, chosen)
        engine.warm_up(manifest.model.window)
        return guard

    @property
    def bundle(self) -> GuardManifest:
        """What the bundle's `guard.json` says."""
        return self.source.manifest

    @property
    def calibrator(self) -> Calibrator:
        """The guard's calibration and thresholds."""
        return self._calibrator

    def rate(self, texts: Sequence[str], languages: Sequence[str | None] | None = None) -> list[GuardRating]:
        """Rate texts.

        Args:
            texts: Any texts, of any length.
            languages: The texts' languages, as codes in any system; `None` where one is not known.

        Returns:
            One rating a text, in order. Neither order nor company of a text decides its rating, up to rounding.

        Raises:
            ValueError: There are not as many languages as texts.
        """
        if languages is not None and len(languages) != len(texts):
            raise ValueError(f"there are {len(texts)} texts and {len(languages)} languages")
        ratings: list[GuardRating] = []
        for encoded in self._encoded_chunks(texts):
            place = len(ratings)
            spoken = [None] * len(encoded) if languages is None else languages[place : place + len(encoded)]
            logits = self.logits([window for each in encoded for window in each.windows])
            ratings += self.judge_all(encoded, logits, spoken)
        return ratings

    def encode(self, text: str) -> Encoded:
        """Return a text's windows."""
        return self._encoder.encode([text])[0]

    def encode_all(self, texts: Sequence[str]) -> list[Encoded]:
        """Return the windows of several texts, on all cores."""
        return self._encoder.encode(texts)

    def logits(self, windows: Windows) -> Logits:
        """Return the model's logits for windows of any texts, [windows, columns], in order."""
        return self.engine.score(windows)

    def judge(self, encoded: Encoded, logits: Logits, language: str | None = None) -> GuardRating:
        """Return the rating that follows from the logits of a text's windows.

        Args:
            encoded: The text.
            logits: [windows, columns]; the highest of each column counts.
            language: Code of its language.

        Raises:
            ValueError: A logit is not a number, or there are not as many as windows.
        """
        return self.judge_all([encoded], logits, [language])[0]

    def judge_all(
        self, encoded: Sequence[Encoded], logits: Logits, languages: Sequence[str | None]
    ) -> list[GuardRating]:
        """Return the ratings of texts whose windows' logits follow one another.

        Raises:
            ValueError: As `judge`.
        """
        counts = np.array([len(each.windows) for each in encoded], dtype=np.int64)
        if counts.sum() != len(logits):
            raise ValueError(f"there are {counts.sum()} windows and logits of {len(logits)}")
        starts = np.concatenate([[0], np.cumsum(counts)])
        scored = np.flatnonzero(counts)
        highest = np.maximum.reduceat(logits, starts[scored], axis=0) if len(scored) else logits
        tags = [self._calibrator.resolve(language) for language in languages]
        ratings: list[GuardRating | None] = [
            None if counts[n] else self._without_token(each, tags[n]) for n, each in enumerate(encoded)
        ]
        for tag in set(tags):
            rows = np.array([row for row, place in enumerate(scored) if tags[place] == tag], dtype=np.int64)
            decisions = self._calibrator.decide(highest[rows], tag)
            for number, row in enumerate(rows):
                place = scored[row]
                own = logits[starts[place] : starts[place + 1]]
                ratings[place] = self._rating(encoded[place], own, decisions, number, tag)
        return [rating for rating in ratings if rating is not None]

    def _rating(
        self, encoded: Encoded, logits: NDArray[np.floating], decisions: Decisions, number: int, tag: str | None
    ) -> GuardRating:
        probabilities = decisions.probabilities[number].tolist()
        highest = logits.argmax(axis=0).tolist() if len(logits) > 1 else [0] * logits.shape[1]
        names = tuple(self._columns)
        return GuardRating(
            levels=dict(zip(names, decisions.levels[number].tolist(), strict=True)),
            probabilities={name: tuple(probabilities[columns]) for name, columns in self._columns.items()},
            flagged=dict(zip(names, decisions.flagged[number].tolist(), strict=True)),
            language=tag,
            windows=len(encoded.windows),
            triggers={name: encoded.spans[highest[columns.start]] for name, columns in self._columns.items()},
            replaced=encoded.replaced,
        )

    def _without_token(self, encoded: Encoded, tag: str | None) -> GuardRating:
        return GuardRating(
            levels=dict.fromkeys(self._columns, 1),
            probabilities={name: (0.0,) * (columns.stop - columns.start) for name, columns in self._columns.items()},
            flagged=dict.fromkeys(self._columns, False),
            language=tag,
            windows=0,
            triggers=dict.fromkeys(self._columns, (0, 0)),
            replaced=encoded.replaced,
        )

    def _encoded_chunks(self, texts: Sequence[str]) -> Iterator[list[Encoded]]:
        if len(texts) <= _CHUNK:
            yield self._encoder.encode(texts)
            return
        with ThreadPoolExecutor(1, "tokenise") as ahead:
            waiting = ahead.submit(self._encoder.encode, texts[:_CHUNK])
            for start in range(_CHUNK, len(texts) + _CHUNK, _CHUNK):
                ready = waiting.result()
                if start < len(texts):
                    waiting = ahead.submit(self._encoder.encode, texts[start : start + _CHUNK])
                yield ready
