"""The address of a service: checked before anything is sent there."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from babelguard.errors import UserError


def checked_address(url: str, key_is_sent: bool, plain_http: bool = False) -> str:
    """Return the address without its trailing slashes.

    Args:
        url: Root of the service, for example ``https://api.openai.com/v1``.
        key_is_sent: Whether requests carry a key.
        plain_http: Whether the recipe allows a key to travel unencrypted to another machine.

    Raises:
        UserError: It is no http address, it holds a secret, or a key would travel unencrypted.
    """
    try:
        parts = urlsplit(url.strip())
        parts.port  # noqa: B018 - looked at, since it may be none
    except ValueError:  # half a bracket, or a port that is no number up to 65535
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not url.strip().isprintable():
        raise UserError(f"base_url must be an address such as https://api.openai.com/v1, found {_shown(url)!r}.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UserError(
            f"base_url must hold no user name, password, query or fragment (host {parts.hostname}), because recipes "
            "are kept with every run; put the key into an environment variable and name it with key_variable."
        )
    if key_is_sent and parts.scheme == "http" and not is_loopback(url) and not plain_http:
        raise UserError(
            f"The key would travel unencrypted to {parts.hostname}; use https, or set traffic.plain_http=true where "
            "the network is your own."
        )
    return url.strip().rstrip("/")


def is_loopback(url: str) -> bool:
    """Tell whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _shown(url: str) -> str:
    """Return the beginning of something that is no address, without what may be a secret behind an ``@`` or ``?``."""
    return url.split("?", maxsplit=1)[0].rsplit("@", 1)[-1][:60]
