"""Keys: read from the environment only, and shown nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from babelguard.errors import UserError

REDACTED = "[key]"


@dataclass(frozen=True, slots=True)
class Secret:
    """A key that does not print itself.

    Attributes:
        variable: Name of the environment variable that holds it; `None` where the service needs no key.
    """

    variable: str | None
    _value: str = field(default="", repr=False)

    def reveal(self) -> str:
        """Return the key itself, to be put into a request's header and nowhere else."""
        return self._value

    def redact(self, text: str) -> str:
        """Return `text` with the key replaced, should a server have sent it back."""
        return text.replace(self._value, REDACTED) if self._value else text

    def __str__(self) -> str:
        """Return a placeholder."""
        return REDACTED


def read_secret(variable: str | None, service: str, environment: Mapping[str, str] | None = None) -> Secret:
    """Return the key of a service.

    Args:
        variable: Name of the environment variable; `None` where the service needs no key.
        service: What the key is for, for the message.
        environment: Where to look; the process's own environment if not given.

    Raises:
        UserError: The variable is not set, or holds something that no header can carry.
    """
    if variable is None:
        return Secret(None)
    value = (os.environ if environment is None else environment).get(variable, "").strip()
    if not value:
        raise UserError(
            f"The environment variable {variable} is not set; set it to the key of {service}, or name another variable "
            "with key_variable (null where the service needs no key)."
        )
    if not value.isascii() or not value.isprintable():
        raise UserError(f"The environment variable {variable} holds characters that no key has; copy the key again.")
    return Secret(variable, value)
