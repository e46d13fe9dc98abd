"""What a user would write instead of a guard server: transformers' pipeline behind FastAPI. Run by serving.py.

python benchmarks/serving_pipeline.py FOLDER PORT
"""

from __future__ import annotations

import sys
from typing import Any

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel


class Request(BaseModel):
    """One text."""

    input: str


def main() -> None:
    """Serve a sequence classifier."""
    from transformers import pipeline

    pipe: Any = pipeline("text-classification", model=sys.argv[1], top_k=None, device="cpu")
    pipe("warm up")
    api = FastAPI()

    @api.post("/v1/moderations")
    def moderate(asked: Request) -> list[dict[str, Any]]:
        return list(pipe(asked.input, truncation=True)[0])

    uvicorn.run(api, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")


if __name__ == "__main__":
    main()
