"""Uploads, against a local stand-in for the hub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from babelguard.errors import UserError
from train.exporting.hub import upload_folder


class StandIn(BaseHTTPRequestHandler):
    """Answers what the hub's client asks when it makes a repository and commits small files."""

    def do_GET(self) -> None:
        self._answer({"id": "someone/guard", "siblings": []})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.path, self.headers.get("Authorization"), body))  # type: ignore[attr-defined]
        if self.path.endswith("/repos/create"):
            self._answer(
                {"url": f"http://{self.headers['Host']}/someone/guard", "id": "someone/guard", "name": "someone/guard"}
            )
        elif "/preupload/" in self.path:
            files = [
                {"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in json.loads(body)["files"]
            ]
            self._answer({"files": files})
        elif "/commit/" in self.path:
            oid = "0" * 40
            self._answer(
                {
                    "success": True,
                    "commitOid": oid,
                    "commitUrl": f"http://{self.headers['Host']}/someone/guard/commit/{oid}",
                }
            )
        else:
            self._answer({})

    def _answer(self, value: object) -> None:
        refused = self.server.refuse  # type: ignore[attr-defined]
        encoded = json.dumps(value).encode()
        self.send_response(403 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, *_: object) -> None:
        """Be quiet."""


@pytest.fixture
def hub() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    server.asked, server.refuse = [], False  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def upload(hub: ThreadingHTTPServer, folder: Path) -> subprocess.CompletedProcess[str]:
    """Upload in a process of its own, as the client reads the hub's address when it is imported."""
    code = (
        "from pathlib import Path\nfrom babelguard.errors import UserError\n"
        "from train.exporting.hub import upload_folder\n"
        f"try:\n    print(upload_folder(Path({str(folder)!r}), 'someone/guard'))\n"
        "except UserError as error:\n    print('UserError', error)"
    )
    environment = {
        **os.environ,
        "HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}",
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": "hf_standin",
        "HF_HUB_DISABLE_XET": "1",
        "no_proxy": "127.0.0.1",
    }
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "README.md").write_text("# A guard\n")
    (tmp_path / "guard.json").write_text("{}")
    (tmp_path / "optimizer.pt").write_text("stays here")
    return tmp_path


def test_a_folder_is_committed_whole_with_the_token(hub: ThreadingHTTPServer, folder: Path) -> None:
    done = upload(hub, folder)
    assert "/commit/" in done.stdout, done.stderr
    asked = hub.asked  # type: ignore[attr-defined]
    assert json.loads(asked[0][2])["visibility"] == "private"
    assert {token for _, token, _ in asked} == {"Bearer hf_standin"}
    (commit,) = [body for path, _, body in asked if "/commit/" in path]
    lines = [json.loads(line) for line in commit.splitlines()]
    assert {line["value"]["path"] for line in lines if line["key"] == "file"} == {"README.md", "guard.json"}


def test_a_refusal_is_a_sentence_without_the_token(hub: ThreadingHTTPServer, folder: Path) -> None:
    hub.refuse = True  # type: ignore[attr-defined]
    done = upload(hub, folder)
    assert "status 403" in done.stdout, done.stderr
    assert "hf_standin" not in done.stdout + done.stderr


def test_a_name_and_a_card_are_needed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="OWNER/NAME"):
        upload_folder(tmp_path, "not a name")
    with pytest.raises(UserError, match=r"README\.md"):
        upload_folder(tmp_path, "someone/guard")
