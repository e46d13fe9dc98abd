"""The one error that means "the user can mend this": it carries a sentence and leads to exit code 2."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """A mistake in a recipe, a file or a command, told in one sentence with its remedy.

    Command lines print the sentence alone and exit with code 2. Every other exception is a defect of
    Babelguard: it keeps its traceback and exits with code 1.
    """


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UserError:
    """Build the error for a name that nothing answers to.

    Args:
        kind: What the name should have been, for example ``"rater"``.
        name: What was given.
        known: The names that exist.

    Returns:
        A `UserError` that names the nearest valid name and lists the rest.
    """
    names = sorted(known)
    folded = {candidate.casefold(): candidate for candidate in names}
    close = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    hint = f" Did you mean {folded[close[0]]!r}?" if close else ""
    available = f" Available: {', '.join(names)}." if names else ""
    return UserError(f"Unknown {kind} {name!r}.{hint}{available}")
