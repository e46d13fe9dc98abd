"""Small files in the layout of RTP-LX, with harmless texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from babelguard import RTP_LX


def labels(toxicity: tuple[int, int, int] = (1, 2, 2), other: tuple[int, int, int] = (1, 1, 2)) -> dict[str, list[int]]:
    return {name: list(toxicity if name == "Toxicity" else other) for name in RTP_LX.names}


def corpus_row(index: int | str, **changes: Any) -> dict[str, Any]:
    row = {
        "Prompt": f"prompt {index}",
        "Completion": f"completion {index}",
        "BenignCompletion": f"benign {index}",
        "Index": index,
        "Locale": "DE",
        "Dialect": "",
        "PromptAnnotations": {},
        "PromptAnnotationsRaw": labels(),
        "CompletionAnnotationsRaw": labels((3, 3, 3)),
    }
    return {**row, **changes}


def azure_row(index: int | str, **changes: Any) -> dict[str, Any]:
    row = {
        "Prompt": f"prompt {index}",
        "ACSResponse": {"SelfHarm": 0.0, "Violence": 0.34, "SexualContent": 1 / 3, "IdentityAttack": 1.0},
        "Index": index,
        "Locale": "DE",
        "OriginalEntry": {
            "Prompt": f"prompt {index}",
            "Index": str(index),
            "Locale": "DE",
            "Dialect": "",
            "AnnotationsRaw": labels(),
        },
    }
    return {**row, **changes}


def gpt4_row(index: int | str, answer: str, **changes: Any) -> dict[str, Any]:
    row = {
        "Prompt": f"prompt {index}",
        "GPT4ResponseRaw": answer,
        "Index": index,
        "Locale": "DE",
        "OriginalEntry": {"Prompt": f"prompt {index}", "Index": str(index), "AnnotationsRaw": labels()},
    }
    return {**row, **changes}


def write(path: Path, *rows: dict[str, Any] | str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    return path
