"""A report read back: tags, tables and visible text, with the standard library's parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr"}


@dataclass
class Table:
    """One table: its caption, its headings' scopes, and the text of its cells, heading cells first in each row."""

    caption: str = ""
    scopes: list[str | None] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


class Document(HTMLParser):
    """Parses a page and complains about tags that do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[Table] = []
        self.text = ""
        self.open: list[str] = []
        self._tables: list[Table] = []
        self.feed(page)
        self.close()
        assert not self.open, f"never closed: {self.open}"
        self.words = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in VOID:
            return
        self.open.append(tag)
        if tag == "table":
            self._tables.append(Table())
            self.tables.append(self._tables[-1])
        elif self._tables and tag == "tr":
            self._tables[-1].rows.append([])
        elif self._tables and tag in {"th", "td"}:
            self._tables[-1].rows[-1].append("")
            if tag == "th":
                self._tables[-1].scopes.append(dict(attrs).get("scope"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert tag in VOID or "svg" in self.open, f"<{tag}/> is not void in HTML"

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()
        if tag == "table":
            self._tables.pop()

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.text += data
        if self._tables:
            if "caption" in self.open:
                self._tables[-1].caption += data
            elif self._tables[-1].rows and self.open[-1] not in {"table", "thead", "tbody", "tr"}:
                self._tables[-1].rows[-1][-1] += data

    def with_caption(self, part: str) -> Table:
        """Return the one table whose caption holds `part`."""
        found = [table for table in self.tables if part in " ".join(table.caption.split())]
        assert len(found) == 1, (part, [table.caption for table in self.tables])
        return found[0]

    def attributes(self, *names: str) -> list[str]:
        """Return every value of the named attributes."""
        return [value or "" for _, attrs in self.tags for name, value in attrs.items() if name in names]
