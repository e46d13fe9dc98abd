"""Rating: one rating an item, none twice, and a rater that breaks its word is found out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from babelguard import RTP_LX, Item, Rating, Score, Status, UserError
from evaluation.item_table import build_item_table
from evaluation.rate import CHUNK, rate_all
from evaluation.rater import complete
from evaluation.rating_table import STATUSES, load_rating_table, summary_of
from evaluation.ratings_file import RatingsFile


@dataclass
class CountingRater:
    """Gives everything level 1 and remembers what it was shown."""

    fingerprint: str = "v1"
    name: str = "counting"
    description: str = "A rater of a test."
    covers: tuple[str, ...] = RTP_LX.names
    notes: Sequence[str] = ()
    shown: list[str] = field(default_factory=list)
    stop_after: int | None = None

    def accepts(self, item: Item) -> bool:
        return item.language != "fr"

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        for item in items:
            if self.stop_after is not None and len(self.shown) >= self.stop_after:
                raise KeyboardInterrupt
            self.shown.append(item.id)
            yield Rating(self.name, item.id, complete(RTP_LX, {name: Score(1) for name in RTP_LX.names}))


class Silent:
    def advance(self, count: int) -> None:
        self.done = getattr(self, "done", 0) + count


def some_items(count: int, **changes) -> list[Item]:
    return [
        Item(**{"id": f"i/{n}", "text": f"t{n}", "language": "en", "source": "s", "source_id": f"s/{n}", **changes})
        for n in range(count)
    ]


@pytest.fixture
def file(tmp_path):
    return RatingsFile(tmp_path / "ratings" / "counting.jsonl")


def test_a_stopped_run_goes_on_and_loses_and_repeats_nothing(file):
    items = some_items(3 * CHUNK)
    with pytest.raises(KeyboardInterrupt):
        rate_all(CountingRater(stop_after=CHUNK + 10), items, RTP_LX, file, Silent())
    assert len(list(file.read())) == CHUNK
    second = CountingRater()
    progress = Silent()
    rate_all(second, items, RTP_LX, file, progress)
    assert second.shown == [item.id for item in items[CHUNK:]]
    assert [rating.item for _, rating in file.read()] == [item.id for item in items]
    assert progress.done == len(items)


def test_another_text_or_another_rater_is_rated_anew(file):
    rate_all(CountingRater(), some_items(3), RTP_LX, file, Silent())
    changed, other = CountingRater(), CountingRater(fingerprint="v2")
    rate_all(changed, some_items(3, text="new"), RTP_LX, file, Silent())
    rate_all(other, some_items(3), RTP_LX, file, Silent())
    assert len(changed.shown) == len(other.shown) == 3


def test_items_that_a_rater_does_not_accept_are_not_shown(file):
    rater = CountingRater()
    rate_all(rater, some_items(2, language="fr"), RTP_LX, file, Silent())
    assert rater.shown == []
    assert list(file.read()) == []


def test_a_void_text_is_void_for_every_rater_and_is_not_shown(file):
    rater = CountingRater()
    void = some_items(1, metadata={"text_is_void": True})
    rate_all(rater, [*void, Item("x", "t", "en", "s", "s/x")], RTP_LX, file, Silent())
    assert rater.shown == ["x"]
    first = next(file.read())[1]
    assert {score.status for score in first.scores.values()} == {Status.VOID}


@dataclass
class FailingRater(CountingRater):
    """Fails for the items of `fails`; in one category only, as a rater does that is asked category by category."""

    fails: frozenset[str] = frozenset()

    def rate(self, items: Sequence[Item]) -> Iterator[Rating]:
        for rating in super().rate(items):
            failed = {"Bias": Score.missing(Status.ERROR, "no answer")} if rating.item in self.fails else {}
            yield Rating(rating.rater, rating.item, {**rating.scores, **failed})


def test_what_failed_is_asked_again_and_counts_once(file):
    items = some_items(4)
    rate_all(FailingRater(fails=frozenset({"i/1", "i/3"})), items, RTP_LX, file, Silent())
    again = FailingRater(fails=frozenset({"i/3"}))
    rate_all(again, items, RTP_LX, file, Silent())
    assert again.shown == ["i/1", "i/3"]
    last = FailingRater()
    rate_all(last, items, RTP_LX, file, Silent())
    assert last.shown == ["i/3"]
    rate_all(last, items, RTP_LX, file, Silent())
    assert last.shown == ["i/3"]
    table = load_rating_table(file, summary_of(last, "test"), build_item_table(items, RTP_LX, "here"), RTP_LX)
    assert (table.retried, table.stale) == (3, 0)
    assert (table.levels == 1).all()


def test_what_fails_again_stays_an_error_and_counts_once(file):
    items, rater = some_items(2), FailingRater(fails=frozenset({"i/1"}))
    rate_all(rater, items, RTP_LX, file, Silent())
    rate_all(rater, items, RTP_LX, file, Silent())
    table = load_rating_table(file, summary_of(rater, "test"), build_item_table(items, RTP_LX, "here"), RTP_LX)
    assert table.retried == 1
    assert [STATUSES[row] for row in table.statuses[:, RTP_LX.names.index("Bias")]] == [Status.OK, Status.ERROR]


def test_two_ratings_of_which_the_first_did_not_fail_are_told(file):
    items = some_items(1)
    rate_all(CountingRater(), items, RTP_LX, file, Silent())
    file.append(list(file.read()))
    with pytest.raises(UserError, match="holds two ratings of the item i/0"):
        load_rating_table(file, summary_of(CountingRater(), "test"), build_item_table(items, RTP_LX, "here"), RTP_LX)


class Wrong(CountingRater):
    def rate(self, items):
        yield from ()


class Swapped(CountingRater):
    def rate(self, items):
        yield from super().rate(list(reversed(items)))


class Partial(CountingRater):
    def rate(self, items):
        for item in items:
            yield Rating(self.name, item.id, {"Bias": Score(1)})


class Doubled(CountingRater):
    def rate(self, items):
        for rating in super().rate(items):
            yield rating
        yield rating


@pytest.mark.parametrize("rater", [Wrong(), Swapped(), Partial(), Doubled()], ids=lambda rater: type(rater).__name__)
def test_a_broken_rater_is_found_out(file, rater):
    with pytest.raises(RuntimeError, match="the rater counting gave"):
        rate_all(rater, some_items(2), RTP_LX, file, Silent())
    assert list(file.read()) == []
