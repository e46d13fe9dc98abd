"""Licences: what each allows, and which parts stop a corpus from being what its recipe says it is for.

The table is a working summary for the licences that toxicity data sets carry, not legal advice. A licence text that
it cannot read in full is *unknown*, and unknown is not permission.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from babelguard.errors import UserError

Use: TypeAlias = Literal["research", "commercial"]
Commercial: TypeAlias = Literal["allowed", "forbidden", "unknown"]


@dataclass(frozen=True, slots=True)
class Terms:
    """What a licence says about the uses that matter here.

    Attributes:
        commercial: Whether commercial use is allowed.
        share_alike: Whether works made from it must carry the same licence.
        derivatives: Whether works made from it may be given away at all.
        names: The licences of the table that were read in the text.
        whole: Whether that is all that the text says.
    """

    commercial: Commercial
    share_alike: bool = False
    derivatives: bool = True
    names: tuple[str, ...] = ()
    whole: bool = True


_OPEN = Terms("allowed")
_SHARE_ALIKE = Terms("allowed", share_alike=True)

TABLE: Mapping[str, Terms] = {
    **dict.fromkeys(("CC0-1.0", "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Unlicense"), _OPEN),
    **dict.fromkeys(
        ("CC-BY-4.0", "CC-BY-3.0", "CC-BY-2.0", "ODC-BY", "ODC-BY-1.0", "PDDL-1.0", "CDLA-Permissive-2.0"), _OPEN
    ),
    **dict.fromkeys(("CC-BY-SA-4.0", "CC-BY-SA-3.0", "ODbL-1.0", "CDLA-Sharing-1.0"), _SHARE_ALIKE),
    **dict.fromkeys(("GPL-2.0", "GPL-3.0", "AGPL-3.0"), _SHARE_ALIKE),
    **dict.fromkeys(("CC-BY-ND-4.0", "CC-BY-ND-3.0"), Terms("allowed", derivatives=False)),
    **dict.fromkeys(("CC-BY-NC-4.0", "CC-BY-NC-3.0", "CC-BY-NC-2.0"), Terms("forbidden")),
    **dict.fromkeys(("CC-BY-NC-SA-4.0", "CC-BY-NC-SA-3.0"), Terms("forbidden", share_alike=True)),
    **dict.fromkeys(("CC-BY-NC-ND-4.0", "CC-BY-NC-ND-3.0"), Terms("forbidden", derivatives=False)),
}
"""SPDX id -> terms."""

_BY_FOLDED = {name.casefold(): name for name in TABLE}
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*")
_FORBIDDING = re.compile(
    r"\bnon-?commercial\b|\bCC[- ]BY[- ]NC\b|\bacademic\b"
    r"|\bresearch\s+(?:use|purposes?)\b|\bresearch[- ]only\b|\bonly for research\b",
    re.IGNORECASE,
)
_JOINING = frozenset({"and", "with", "or", "the", "text", "data", "code", "licence", "license", "upstream", "under"})


def terms_of(licence: str) -> Terms:
    """Read a licence: an SPDX id, several, or a clause.

    Several licences give the strictest of their terms. Commercial use is *allowed* only where every word of the text
    is understood; "MIT with third-party parts" is unknown, because nobody says what those parts allow.
    """
    tokens = [token.strip(".-") for token in _TOKEN.findall(licence)]
    names = tuple(dict.fromkeys(_BY_FOLDED[t.casefold()] for t in tokens if t.casefold() in _BY_FOLDED))
    strange = [t for t in tokens if t.casefold() not in _BY_FOLDED and t.casefold() not in _JOINING]
    known = [TABLE[name] for name in names]
    if _FORBIDDING.search(licence) or any(terms.commercial == "forbidden" for terms in known):
        commercial: Commercial = "forbidden"
    elif known and not strange:
        commercial = "allowed"
    else:
        commercial = "unknown"
    return Terms(
        commercial=commercial,
        share_alike=any(terms.share_alike for terms in known),
        derivatives=all(terms.derivatives for terms in known),
        names=names,
        whole=bool(known) and not strange,
    )


def check_use(use: Use, licences: Iterable[tuple[str, str]]) -> None:
    """Refuse a corpus whose parts do not allow the use that its recipe names.

    Args:
        use: What the corpus is for.
        licences: Name and licence of every part.

    Raises:
        UserError: A part forbids the use, or nobody knows; every such part is named with its licence.
    """
    if use != "commercial":
        return
    against = []
    for name, licence in licences:
        terms = terms_of(licence)
        if terms.commercial == "forbidden":
            against.append(f"  {name} forbids commercial use ({licence})")
        elif terms.commercial == "unknown":
            against.append(f"  {name}: nobody can tell from its licence whether it allows commercial use ({licence})")
        elif not terms.derivatives:
            against.append(f"  {name} forbids that changed copies are given away ({licence})")
    if against:
        raise UserError(
            "The recipe is marked 'use: commercial', which these parts do not allow:\n"
            + "\n".join(against)
            + "\nTake them out, set 'use: research', or write the licence that you cleared a part for beside it as "
            "'licence'."
        )
