"""Registries: one module of a package is one entry, found by name and imported only when used.

Adding an entry is adding a file. The entry ``word-list`` of the package ``evaluation.raters`` is the module
``evaluation/raters/word_list.py``; what it offers is the attribute that the registry names.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

from babelguard.errors import unknown_name


@dataclass(frozen=True)
class Registry:
    """The entries of one package.

    Attributes:
        kind: What an entry is, for messages: ``"rater kind"``.
        package: Dotted name of the package whose modules are the entries.
        attribute: What each module must define.
    """

    kind: str
    package: str
    attribute: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all entries, sorted; none of them is imported for this."""
        package: ModuleType = importlib.import_module(self.package)
        modules = (info.name for info in pkgutil.iter_modules(package.__path__))
        return tuple(sorted(name.replace("_", "-") for name in modules if not name.startswith("_")))

    def get(self, name: str) -> Any:  # noqa: ANN401 - the caller states the type that its kind of entry has
        """Import the entry and return what it offers.

        Raises:
            UserError: No module has that name.
        """
        if name not in self.names:
            raise unknown_name(self.kind, name, self.names)
        module = importlib.import_module(f"{self.package}.{name.replace('-', '_')}")
        return getattr(module, self.attribute)
