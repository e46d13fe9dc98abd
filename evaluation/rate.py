"""Puts raters on items: streams, skips what is already rated, appends as ratings come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from babelguard.item import Item
from babelguard.progress import Progress
from babelguard.rating import Rating, Status
from babelguard.taxonomy import Taxonomy
from evaluation.rater import Rater, complete
from evaluation.ratings_file import RatingsFile, rating_key

CHUNK = 256
"""Items handed to a rater at once; a stop in the middle loses at most this many ratings, which are made again."""


def rate_all(rater: Rater, items: Iterable[Item], categories: Taxonomy, file: RatingsFile, progress: Progress) -> None:
    """Rate every item that the rater accepts and that has no stored rating yet, or only one that failed.

    A rating with the status `error` is asked for again. The new one is appended behind it and counts in its place, so
    that nothing is lost if the run stops in between.

    Raises:
        RuntimeError: The rater broke its contract: one rating an item, in order, with every category.
    """
    file.mend()
    stored: set[str] = set()
    for key, rating in file.read():
        if not rating.failed:
            stored.add(key)
    for chunk in _chunks(_accepted(rater, items, progress), CHUNK):
        keyed = [(rating_key(item.id, item.content_key(), rater.fingerprint), item) for item in chunk]
        fresh = [(key, item) for key, item in keyed if key not in stored]
        if fresh:
            ratings = list(_rate_chunk(rater, [item for _, item in fresh], categories))
            file.append((key, rating) for (key, _), rating in zip(fresh, ratings, strict=True))
        progress.advance(len(chunk))


def _accepted(rater: Rater, items: Iterable[Item], progress: Progress) -> Iterator[Item]:
    for item in items:
        if rater.accepts(item):
            yield item
        else:
            progress.advance(1)


def _rate_chunk(rater: Rater, items: Sequence[Item], categories: Taxonomy) -> Iterator[Rating]:
    """Yield the ratings in order; an item whose own text is void is void for every rater and is not shown."""
    shown = [item for item in items if not item.metadata.get("text_is_void")]
    answers = rater.rate(shown)
    for item in items:
        if item.metadata.get("text_is_void"):
            reason = "the item's own text is not in the source"
            yield Rating(rater.name, item.id, complete(categories, {}, Status.VOID, reason))
            continue
        rating = next(answers, None)
        if rating is None or rating.item != item.id or set(rating.scores) != set(categories.names):
            found = "nothing" if rating is None else f"a rating of {rating.item} with {len(rating.scores)} categories"
            raise RuntimeError(f"the rater {rater.name} gave {found} for the item {item.id}")
        yield rating
    if (extra := next(answers, None)) is not None:
        raise RuntimeError(f"the rater {rater.name} gave a second rating of {extra.item}")


def _chunks(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
