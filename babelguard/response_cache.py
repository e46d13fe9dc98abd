"""Answers that were paid for once, kept in SQLite: the same request is not made again, also across runs.

Two runs may share the file at the same time: it is in WAL mode, and a writer waits for another.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from babelguard.errors import UserError
from babelguard.generator import Decoding, Generation, Prompt, TextGenerator
from babelguard.local_models.choosing import Choice, ChoiceLine, ChoosingGenerator, Failure
from babelguard.rating import Status

STORED = frozenset({Status.OK, Status.TRUNCATED, Status.BLOCKED})
"""Outcomes that are answers. Errors are never stored, so that the next run asks again."""
VARIABLE = "BABELGUARD_CACHE"
_SCHEMA = 1
_BUSY_S = 60.0


def default_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where answers are kept: the file that BABELGUARD_CACHE names, or one in the user's cache folder."""
    variables = os.environ if environment is None else environment
    if named := variables.get(VARIABLE):
        return Path(named).expanduser()
    base = variables.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "babelguard" / "responses.sqlite"


def open_cache(where: bool | Path) -> ResponseCache | None:
    """Return the cache that a recipe names: the default one, a file, or none; no file is made yet."""
    if where is False:
        return None
    return ResponseCache(default_path() if where is True else where.expanduser())


def request_key(*parts: object) -> str:
    """Return the key of a request: the SHA-256 of all that decides its answer, as plain values."""
    encoded = json.dumps(parts, sort_keys=True, ensure_ascii=True).encode("ascii")
    return hashlib.sha256(encoded).hexdigest()


@dataclass
class ResponseCache:
    """Key -> answer, a JSON object each. The file is made when it is first needed.

    Requests are stored as hashes only; answers are stored as they came.

    Attributes:
        path: The SQLite file.
    """

    path: Path
    _open: sqlite3.Connection | None = field(default=None, init=False, repr=False)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the answer of that key, or `None`.

        Raises:
            UserError: The file is not a cache, or cannot be read.
        """
        with _told(self.path):
            row = self._connection().execute("SELECT answer FROM responses WHERE key = ?", (key,)).fetchone()
        answer: dict[str, Any] | None = json.loads(row[0]) if row else None
        return answer

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Store an answer, so that killing the process does not lose it; the first one of a key stays.

        Raises:
            UserError: The file is not a cache, or cannot be written.
        """
        encoded = json.dumps(answer, ensure_ascii=True)
        with _told(self.path), self._connection() as transaction:
            transaction.execute("INSERT OR IGNORE INTO responses (key, answer) VALUES (?, ?)", (key, encoded))

    def __len__(self) -> int:
        """Return how many answers there are."""
        with _told(self.path):
            return int(self._connection().execute("SELECT COUNT(*) FROM responses").fetchone()[0])

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # answers may quote what they are about
            connection = sqlite3.connect(self.path, timeout=_BUSY_S)
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                with connection:
                    connection.execute("BEGIN IMMEDIATE")
                    _prepare(connection, self.path)
            except BaseException:
                connection.close()
                raise
            self._open = connection
        return self._open


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == 0:
        connection.execute("CREATE TABLE IF NOT EXISTS responses (key TEXT PRIMARY KEY, answer TEXT NOT NULL)")
        connection.execute(f"PRAGMA user_version = {_SCHEMA}")
    elif version != _SCHEMA:
        raise UserError(f"{path} was written by another version of Babelguard; set cache to another file or delete it.")


class _told:  # noqa: N801 - reads as a clause where it is used
    """Turns SQLite's and the file system's errors into sentences."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.OperationalError | OSError):
            raise UserError(
                f"The response cache {self.path} cannot be used: {error}. Set {VARIABLE} or cache to a file on a local "
                "disk that you may write, or pass --no-cache."
            ) from None
        if isinstance(error, sqlite3.DatabaseError):
            raise UserError(
                f"{self.path} is not a response cache ({error}); delete it, or set {VARIABLE} or cache to another file."
            ) from None


def cached(generator: TextGenerator, cache: ResponseCache | None) -> TextGenerator:
    """Return the generator with a cache before it, or as it is where there is none."""
    return generator if cache is None else CachedGenerator(generator, cache)


def cached_chooser(
    chooser: ChoosingGenerator, generator: TextGenerator, cache: ResponseCache | None
) -> ChoosingGenerator:
    """Return a model that chooses, with a cache before it, or as it is where there is none.

    Args:
        chooser: The model.
        generator: The same model as a generator, which knows its fingerprint.
        cache: Where choices are kept.
    """
    return chooser if cache is None else CachedChooser(chooser, generator.fingerprint, cache)


@dataclass(frozen=True)
class CachedGenerator:
    """A generator that asks another one only what is not in the cache.

    Attributes:
        inner: The generator that answers.
        cache: Where its answers are kept.
    """

    inner: TextGenerator
    cache: ResponseCache

    @property
    def name(self) -> str:
        """The model's name."""
        return self.inner.name

    @property
    def fingerprint(self) -> str:
        """The inner generator's: a cache changes no answer."""
        return self.inner.fingerprint

    def generate(self, prompts: Sequence[Prompt], decoding: Decoding) -> Iterator[Generation]:
        """Yield one generation a prompt, in order; equal prompts of one call are asked once.

        Raises:
            UserError: The cache cannot be used, or the inner generator cannot.
        """
        keys = [self._key(prompt, decoding) for prompt in prompts]
        stored = {key: self.cache.get(key) for key in dict.fromkeys(keys)}
        missing = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if stored[key] is None}
        answers = self.inner.generate(list(missing.values()), decoding) if missing else iter(())
        asked = iter(missing)
        given: dict[str, Generation] = {}
        for key in keys:
            record = stored[key]
            if record is not None:
                yield _generation(record)
                continue
            while key not in given:
                current = next(asked)
                given[current] = answer = next(answers)
                if answer.status in STORED:
                    self.cache.put(current, _record(answer))
            yield given[key]

    def _key(self, prompt: Prompt, decoding: Decoding) -> str:
        return request_key("generation", 1, self.inner.fingerprint, *_plain(prompt), asdict(decoding))


@dataclass(frozen=True)
class CachedChooser:
    """A model that chooses among listed answers, asked only for what is not in the cache.

    Attributes:
        inner: The model that chooses.
        fingerprint: Hash of all that decides its answers beside the prompt and the list: model, revision, dtype.
        cache: Where choices are kept.
    """

    inner: ChoosingGenerator
    fingerprint: str
    cache: ResponseCache

    def choose(
        self, prompts: Sequence[Prompt], lines: Sequence[ChoiceLine], before: str = ""
    ) -> Iterator[tuple[Choice, ...] | Failure]:
        """Yield what is chosen in every line, one tuple a prompt, in order, or why nothing is; failures are not kept.

        Raises:
            UserError: The cache cannot be used, or the model cannot.
        """
        asked = [[line.label, list(line.choices)] for line in lines]
        keys = [request_key("choice", 1, self.fingerprint, _plain(prompt), asked, before) for prompt in prompts]
        stored = {key: self.cache.get(key) for key in dict.fromkeys(keys)}
        missing = {key: prompt for key, prompt in zip(keys, prompts, strict=True) if stored[key] is None}
        answers = self.inner.choose(list(missing.values()), lines, before) if missing else iter(())
        asked_for = iter(missing)
        given: dict[str, tuple[Choice, ...] | Failure] = {}
        for key in keys:
            record = stored[key]
            if record is not None:
                yield tuple(Choice(index, tuple(logarithms)) for index, logarithms in record["choices"])
                continue
            while key not in given:
                current = next(asked_for)
                given[current] = answer = next(answers)
                if not isinstance(answer, Failure):
                    choices = [[choice.index, list(choice.log_probabilities)] for choice in answer]
                    self.cache.put(current, {"choices": choices})
            yield given[key]


def _plain(prompt: Prompt) -> list[object]:
    return [[[turn.role, turn.content] for turn in prompt.messages], prompt.text]


def _record(answer: Generation) -> dict[str, Any]:
    return {**asdict(answer), "status": answer.status.value}


def _generation(record: Mapping[str, Any]) -> Generation:
    values = {**record, "status": Status(record["status"]), "top_logprobs": tuple(record.get("top_logprobs", ()))}
    return Generation(**values)
