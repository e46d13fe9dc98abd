"""Structured logs: a JSON object a line, and no text of anybody's request in it."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import Any

import orjson

LOGGER = "babelguard.serve"
_TRUSTED = (LOGGER, "uvicorn")
"""Loggers whose messages are written. What other libraries say could quote a text, so only that they spoke is."""


class JsonFormatter(logging.Formatter):
    """One line a record: time, level, logger, event, and the fields given as ``extra={"fields": {...}}``.

    Of an exception the type and the places in the code are written, not the message, which may quote a text.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name.startswith(_TRUSTED):
            line["event"] = record.getMessage()
            line |= getattr(record, "fields", {})
        else:
            line["event"] = "message of a library, not shown"
            line["place"] = f"{record.module}:{record.lineno}"
        if record.exc_info is not None and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            line["trace"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return orjson.dumps(line, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def configure_logging(level: str) -> None:
    """Send everything that is logged in this process to stderr as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers = []
        logger.propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # it would log paths and queries as they come
    logging.captureWarnings(True)
