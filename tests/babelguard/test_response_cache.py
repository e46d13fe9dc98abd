"""Answers are paid for once: across calls, runs and processes; errors are asked for again."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from babelguard import UserError
from babelguard.generator import Decoding, Generation, Prompt
from babelguard.item import Message
from babelguard.local_models.choosing import Choice, ChoiceLine, Failure
from babelguard.rating import Status
from babelguard.response_cache import (
    CachedChooser,
    CachedGenerator,
    ResponseCache,
    cached,
    default_path,
    open_cache,
    request_key,
)

REPOSITORY = Path(__file__).resolve().parents[2]


class Counting:
    """A generator that counts what it is asked and answers by the text's first letter."""

    def __init__(self, fingerprint="f"):
        self.name, self.fingerprint, self.asked = "counting", fingerprint, []

    def generate(self, prompts, decoding):
        for prompt in prompts:
            self.asked.append(prompt)
            text = prompt.text or prompt.messages[-1].content
            status = {"e": Status.ERROR, "b": Status.BLOCKED, "t": Status.TRUNCATED}.get(text[:1], Status.OK)
            written = text.upper() if status in {Status.OK, Status.TRUNCATED} else ""
            yield Generation(written, status, None if status is Status.OK else "why", 3, 1, ({text[:1]: -0.5},))


@pytest.fixture
def cache(tmp_path):
    return ResponseCache(tmp_path / "deep" / "responses.sqlite")


def texts(*values):
    return [Prompt(text=value) for value in values]


def test_the_second_time_nothing_is_asked(cache):
    first, second = Counting(), Counting()
    prompts = texts("ok", "blocked", "truncated")
    answers = list(CachedGenerator(first, cache).generate(prompts, Decoding()))
    again = list(CachedGenerator(second, ResponseCache(cache.path)).generate(prompts, Decoding()))
    assert again == answers == list(Counting().generate(prompts, Decoding()))
    assert (len(first.asked), len(second.asked)) == (3, 0)


def test_errors_are_asked_for_again(cache):
    inner = Counting()
    prompts = texts("error", "ok")
    for _ in range(2):
        found = list(CachedGenerator(inner, cache).generate(prompts, Decoding()))
        assert [one.status for one in found] == [Status.ERROR, Status.OK]
    assert inner.asked == texts("error", "ok", "error")
    assert len(cache) == 1


def test_equal_prompts_of_one_call_are_asked_once(cache):
    inner = Counting()
    found = list(CachedGenerator(inner, cache).generate(texts("a", "c", "a", "c", "d"), Decoding()))
    assert [one.text for one in found] == ["A", "C", "A", "C", "D"]
    assert inner.asked == texts("a", "c", "d")


def test_an_answer_is_stored_as_soon_as_it_is_there(cache):
    stream = CachedGenerator(Counting(), cache).generate(texts("a", "c", "d"), Decoding())
    next(stream)
    stream.close()
    assert len(cache) == 1


@pytest.mark.parametrize(
    ("fingerprint", "prompt", "decoding"),
    [
        ("g", Prompt(text="x"), Decoding()),
        ("f", Prompt(text="y"), Decoding()),
        ("f", Prompt(messages=(Message("user", "x"),)), Decoding()),
        ("f", Prompt(text="x"), Decoding(max_new_tokens=9)),
        ("f", Prompt(text="x"), Decoding(temperature=0.1)),
        ("f", Prompt(text="x"), Decoding(stop=("x",))),
        ("f", Prompt(text="x"), Decoding(seed=1)),
    ],
)
def test_model_prompt_and_decoding_each_make_another_request(cache, fingerprint, prompt, decoding):
    list(CachedGenerator(Counting(), cache).generate(texts("x"), Decoding()))
    inner = Counting(fingerprint)
    list(CachedGenerator(inner, cache).generate([prompt], decoding))
    assert inner.asked == [prompt]


@given(st.lists(st.text(st.characters(codec=None), max_size=5), max_size=12))
def test_with_and_without_a_cache_the_answers_are_equal(tmp_path_factory, values):
    made = ResponseCache(tmp_path_factory.mktemp("cache") / "c.sqlite")
    prompts = texts(*(value or "-" for value in values))
    plain = list(Counting().generate(prompts, Decoding()))
    for _ in range(2):
        assert list(CachedGenerator(Counting(), made).generate(prompts, Decoding())) == plain
    made.close()


def test_requests_are_kept_as_hashes_and_the_file_is_the_users_alone(cache):
    list(CachedGenerator(Counting(), cache).generate(texts("blocked canary"), Decoding()))
    cache.close()
    assert all(b"canary" not in path.read_bytes() for path in cache.path.parent.iterdir())
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600


WRITER = """
import sys
from pathlib import Path
from babelguard.response_cache import ResponseCache, request_key
name, path = sys.argv[1], Path(sys.argv[2])
cache = ResponseCache(path)
for number in range(300):
    cache.put(request_key("shared", number), {"by": name, "number": number})
    cache.put(request_key(name, number), {"by": name, "number": number})
    assert cache.get(request_key("shared", number))["number"] == number
"""


def test_two_processes_share_the_file(cache):
    run = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen([*run, name, str(cache.path)], cwd=REPOSITORY, stderr=subprocess.PIPE, text=True)
        for name in ("one", "two", "three")
    ]
    errors = [writer.communicate(timeout=60)[1] for writer in writers]
    assert errors == ["", "", ""]
    assert len(cache) == 4 * 300
    for number in range(300):
        assert cache.get(request_key("shared", number))["number"] == number
        assert cache.get(request_key("two", number)) == {"by": "two", "number": number}


def test_a_writer_waits_for_another(cache):
    cache.put("a", {"n": 1})
    other = sqlite3.connect(cache.path, timeout=0)
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO responses VALUES ('b', '{}')")
    assert cache.get("a") == {"n": 1}  # readers do not wait
    other.commit()
    other.close()
    cache.put("b", {"n": 2})
    assert cache.get("b") == {}  # the first answer stays


def test_a_file_that_is_no_cache_is_told(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all, but long enough to be looked at" * 20, encoding="utf-8")
    with pytest.raises(UserError, match=r"notes\.txt is not a response cache"):
        ResponseCache(path).get("a")


def test_a_cache_of_another_version_is_told(cache):
    cache.put("a", {})
    cache.close()
    with sqlite3.connect(cache.path) as connection:
        connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(UserError, match="another version of Babelguard"):
        cache.get("a")


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="pass --no-cache"):
        ResponseCache(tmp_path / "file" / "responses.sqlite").put("a", {})


def test_where_answers_are_kept():
    assert default_path({"BABELGUARD_CACHE": "/x/y.sqlite", "XDG_CACHE_HOME": "/c"}) == Path("/x/y.sqlite")
    assert default_path({"XDG_CACHE_HOME": "/c"}) == Path("/c/babelguard/responses.sqlite")
    assert default_path({}) == Path.home() / ".cache/babelguard/responses.sqlite"


def test_a_recipe_chooses_the_cache(tmp_path):
    assert open_cache(False) is None
    assert open_cache(tmp_path / "c").path == tmp_path / "c"
    assert open_cache(True).path == default_path()
    inner = Counting()
    assert cached(inner, None) is inner
    assert cached(inner, open_cache(tmp_path / "c")).fingerprint == inner.fingerprint


class Chooser:
    """A model that chooses, and fails where the text begins with e."""

    def __init__(self):
        self.asked = []

    def choose(self, prompts, lines, before=""):
        self.asked += prompts
        assert prompts, "a model is loaded only when it is needed"
        return iter(
            [
                Failure("why") if prompt.text.startswith("e") else (Choice(1, (-2.5, -0.08)),) * len(lines)
                for prompt in prompts
            ]
        )


LINES = (ChoiceLine("Bias:", (" 1", " 2")), ChoiceLine("\nInsult:", (" 1", " 2")))


def test_what_was_chosen_is_not_asked_twice_and_failures_are(cache):
    inner = Chooser()
    chooser = CachedChooser(inner, "f", cache)
    prompts = texts("a", "error", "a", "b")
    first = list(chooser.choose(prompts, LINES, "\n"))
    assert first == list(Chooser().choose(prompts, LINES))
    assert inner.asked == texts("a", "error", "b")
    assert list(chooser.choose(prompts, LINES, "\n")) == first
    assert inner.asked == texts("a", "error", "b", "error")
    assert list(chooser.choose(texts("a"), LINES, "\n")) == first[:1]


@pytest.mark.parametrize(
    ("fingerprint", "lines", "before"), [("g", LINES, "\n"), ("f", LINES[:1], "\n"), ("f", LINES, "")]
)
def test_another_model_skeleton_or_place_is_another_choice(cache, fingerprint, lines, before):
    list(CachedChooser(Chooser(), "f", cache).choose(texts("a"), LINES, "\n"))
    inner = Chooser()
    list(CachedChooser(inner, fingerprint, cache).choose(texts("a"), lines, before))
    assert inner.asked == texts("a")
