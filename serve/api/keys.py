"""Who may ask: keys from the environment, compared in constant time."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import re
from collections.abc import Mapping

from babelguard.errors import UserError

_SHORTEST_KEY = 16
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class KeyRing:
    """The callers' keys, kept as hashes."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        """Take keys by the callers' names."""
        self._digests = {name: _digest(key) for name, key in keys.items()}

    @classmethod
    def from_environment(cls, variable: str, environment: Mapping[str, str] | None = None) -> KeyRing | None:
        """Read ``KEY,KEY`` or ``NAME:KEY,NAME:KEY`` from a variable; `None` where it is not set.

        Raises:
            UserError: It is set and holds no key, a key is short, or a name is given twice or is no name.
        """
        value = (os.environ if environment is None else environment).get(variable)
        if value is None:
            return None
        keys: dict[str, str] = {}
        for number, part in enumerate((each.strip() for each in value.split(",") if each.strip()), start=1):
            name, colon, key = part.rpartition(":")
            name = name.strip() if colon else f"key-{number}"
            if not _NAME.fullmatch(name):
                raise UserError(f"{variable}: the name of key {number} may hold letters, digits and _.- only.")
            if len(key.strip()) < _SHORTEST_KEY:
                raise UserError(
                    f"{variable}: key {number} is shorter than {_SHORTEST_KEY} characters; make a longer one."
                )
            if name in keys:
                raise UserError(f"{variable}: the name {name} is given to two keys.")
            keys[name] = key.strip()
        if not keys:
            raise UserError(f"{variable} is set and holds no key; unset it, or set KEY or NAME:KEY.")
        return cls(keys)

    def caller(self, authorization: str | None) -> str | None:
        """Return the name of the caller of an ``Authorization`` header, ``Bearer KEY`` or ``Basic``; `None`: refused.

        The time does not depend on how much of a key is right, nor on which key it is.
        """
        given = _digest(_presented(authorization or ""))
        found: str | None = None
        for name, digest in self._digests.items():
            if hmac.compare_digest(given, digest):
                found = name
        return found


def _presented(authorization: str) -> str:
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode("utf-8").partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return ""


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
