"""From a recipe to a server that runs until it is told to stop."""

from __future__ import annotations

import ctypes
import gc
import importlib
import ipaddress
import logging
import os
import platform
import socket
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

from babelguard.errors import UserError
from serve.api.settings import ServeRecipe
from serve.starter import starter_bundle

if TYPE_CHECKING:
    import uvicorn
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from serve.api.keys import KeyRing
    from serve.guard import Guard
    from serve.policies import PolicyStore

_Address: TypeAlias = tuple[socket.AddressFamily, socket.SocketKind, int, Any]


def serve(recipe: ServeRecipe) -> None:
    """Load the guard, listen, and return after SIGTERM or SIGINT, when what was accepted has been answered.

    Raises:
        UserError: Bundle, policy, keys, address or pages are wrong, or something is not installed.
    """
    begin = time.monotonic()
    _check_installed()
    from serve.api.keys import KeyRing
    from serve.api.logs import LOGGER, configure_logging
    from serve.api.server import Server, ignore_hangups

    configure_logging(recipe.logs.level)
    addresses = _addresses(recipe.host, recipe.port)
    keys = KeyRing.from_environment(recipe.keys_variable)
    if keys is None and not recipe.without_keys and not _is_loopback(recipe.host):
        raise UserError(
            f"Others reach {recipe.host}, and no keys are set: set the environment variable {recipe.keys_variable}, "
            "or pass --set without_keys=true where something in front of the server lets callers in."
        )
    _check_free(addresses, recipe.host, recipe.port)
    ignore_hangups()
    guard, policies, api = _load(recipe)
    if recipe.ui is not None:
        _mount_pages(recipe.ui, api, guard, policies, keys)
    server = Server(_configuration(recipe, api), api.state.controls)
    _settle()
    fields = {
        "guard": f"{guard.bundle.name}-{guard.bundle.version}",
        "engine": str(guard.engine),
        "precision": guard.precision,
        "keys": keys is not None,
        "policy": f"{policies.decider.policy.name} {policies.decider.policy.version}",
        "policy_remark": policies.decider.remark,
        "load_seconds": round(time.monotonic() - begin, 2),
    }
    logging.getLogger(LOGGER).info("loaded", extra={"fields": fields})
    server.run()


def _configuration(recipe: ServeRecipe, api: FastAPI) -> uvicorn.Config:
    import uvicorn

    from serve.api.connections import BACKLOG, connections_that_fit
    from serve.api.logs import LOGGER
    from serve.api.protocol import bounded_protocol

    limits = recipe.limits
    fitting = connections_that_fit(limits.connections)
    if fitting < limits.connections:
        fields = {
            "connections": fitting,
            "set": limits.connections,
            "remedy": "raise the limit of open files, ulimit -Hn",
        }
        logging.getLogger(LOGGER).warning("fewer connections than set", extra={"fields": fields})
    return uvicorn.Config(
        api,
        host=recipe.host,
        port=recipe.port,
        http=bounded_protocol(limits.model_copy(update={"connections": fitting})),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=BACKLOG,
        timeout_keep_alive=limits.idle_seconds,
        timeout_graceful_shutdown=recipe.shutdown_seconds,
    )


def _settle() -> None:
    """Keep what is loaded out of the collector's sight, and give back what was only needed for loading."""
    gc.collect()
    gc.freeze()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL(None).malloc_trim(0)


def _load(recipe: ServeRecipe) -> tuple[Guard, PolicyStore, FastAPI]:
    from serve.api.app import create_app
    from serve.guard import Guard
    from serve.language_identification import LanguageIdentifier
    from serve.policies import DEFAULT_POLICY, PolicyStore

    with ThreadPoolExecutor(1, "load") as beside:
        identifier = beside.submit(LanguageIdentifier, recipe.language.confidence) if recipe.language.identify else None
        guard = Guard.load(
            recipe.bundle or starter_bundle(),
            precision=recipe.precision,
            provider=recipe.provider,
            threads=recipe.threads,
            tuning=recipe.tuning,
        )
        policies = PolicyStore(recipe.policy or DEFAULT_POLICY, guard.bundle)
        api = create_app(guard, policies, recipe, identifier.result() if identifier is not None else None)
        return guard, policies, api


def _mount_pages(target: str, api: FastAPI, guard: Guard, policies: PolicyStore, keys: KeyRing | None) -> None:
    module_name, colon, function_name = target.partition(":")
    if not colon:
        raise UserError(f"ui is {target!r}; write MODULE:FUNCTION, such as demo.mounting:mount.")
    try:
        module = importlib.import_module(module_name)
        mount = getattr(module, function_name)
    except ModuleNotFoundError as error:
        if error.name == "gradio":
            raise UserError("The pages at /ui need gradio; install babelguard[demo], or leave out --ui.") from None
        raise UserError(f"ui names the module {module_name!r}, which cannot be imported ({error}).") from None
    except AttributeError:
        raise UserError(f"ui names {function_name!r}, which the module {module_name} does not have.") from None
    mount(api, guard, policy=policies)
    api.add_route("/ui", _to_pages, include_in_schema=False)
    if keys is not None:
        api.add_middleware(_PagesNeedKey, keys=keys)


async def _to_pages(request: Request) -> Response:
    """Send browsers from /ui to /ui/, by a path alone: a full address would be made of the header Host."""
    from starlette.responses import RedirectResponse

    return RedirectResponse(f"{request.scope.get('root_path', '')}/ui/")


class _PagesNeedKey:
    """Asks browsers for a key before they see /ui: any name, and the key as password."""

    def __init__(self, app: ASGIApp, keys: KeyRing) -> None:
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Answer one request."""
        path = scope.get("path", "")
        if scope["type"] == "http" and (path == "/ui" or path.startswith("/ui/")):
            given = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
            if self._keys.caller(given) is None:
                headers = [(b"www-authenticate", b'Basic realm="babelguard"'), (b"content-length", b"0")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        await self._app(scope, receive, send)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _addresses(host: str, port: int) -> list[_Address]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        reason = error.strerror if isinstance(error, socket.gaierror) else "it is no name"
        raise UserError(
            f"The host {host!r} does not resolve to an address ({reason}); set host to an address of this machine, "
            "such as 127.0.0.1."
        ) from None
    return [(family, kind, protocol, address) for family, kind, protocol, _, address in found]


def _check_free(addresses: Iterable[_Address], host: str, port: int) -> None:
    """Bind every address of the host and let go of it: what fails is told before a guard is loaded."""
    try:
        for family, kind, protocol, address in addresses:
            with socket.socket(family, kind, protocol) as probe:
                if os.name == "posix":
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
    except OSError as error:
        raise UserError(
            f"Nothing can listen on {host}, port {port} ({error.strerror}); pass another --host or --port."
        ) from None


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import httptools  # noqa: F401
        import orjson  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UserError(f"Serving needs {error.name}; install babelguard[serve,cpu], or [serve,gpu].") from None
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
