"""The arguments of Strands' calls as the model wrote them: Strands makes `{}` of any text that it cannot read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from functools import wraps
from typing import Any

from toolgen_runtime.adapters._checks import Recent

_unreadable: Recent[str, str] = Recent()


def listen(model: Any) -> None:
    """Note the texts that are not JSON in what a model streams from now on."""
    stream = getattr(model, "stream", None)
    if stream is None or hasattr(stream, "toolgen_listens"):
        return

    @wraps(stream)
    async def heard(*args: Any, **options: Any) -> AsyncIterator[Any]:
        call_id, text = "", ""
        async with aclosing(stream(*args, **options)) as events:
            async for event in events:
                if started := event.get("contentBlockStart"):
                    call_id, text = (started.get("start", {}).get("toolUse") or {}).get("toolUseId", ""), ""
                elif delta := event.get("contentBlockDelta"):
                    text += (delta.get("delta", {}).get("toolUse") or {}).get("input", "") if call_id else ""
                elif "contentBlockStop" in event and call_id:
                    _note(call_id, text)
                    call_id = ""
                yield event

    heard.toolgen_listens = True  # type: ignore[attr-defined]
    with suppress(AttributeError, ValueError):  # a model that cannot be changed
        model.stream = heard


def unreadable(call_id: str) -> str | None:
    """Return the text of a call, if it is not JSON; None otherwise. It is forgotten then."""
    return _unreadable.pop(call_id, None)


def _note(call_id: str, text: str) -> None:
    try:
        json.loads(text or "{}")
    except ValueError:
        _unreadable[call_id] = text
