"""`adapters.loop` with LiteLLM's client, and what it makes of a stream."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import cycle
from typing import Any

from seams import loop
from seams.loop import LACKS, TAKES_TEXT, cut_off, opened

__all__ = ["LACKS", "TAKES_TEXT", "cut_off", "opened"]

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no download


def _ask(url: str, history: list[Any]) -> Any:
    from litellm import completion

    return completion(model="openai/m", api_base=f"{url}/v1", api_key="none", messages=history)


def _assembled(chunks: list[dict[str, Any]]) -> Any:
    from litellm import ModelResponseStream, stream_chunk_builder

    return stream_chunk_builder([ModelResponseStream(**chunk) for chunk in chunks])


loop.CHAT = replace(loop.CHAT, ask=_ask)
loop.wires = cycle([loop.CHAT])
loop.assembled = _assembled
