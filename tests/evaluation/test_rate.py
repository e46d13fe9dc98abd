"""Rating: one rating an item, none twice, and a rater that breaks its word is found out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from babelguard import RTP_LX, Item, Rating, Score, Status
from evaluation.rate import CHUNK, rate_all
from evaluation.rater import complete
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
