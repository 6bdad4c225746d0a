"""`Exchange`: the requests of one client that are under way, and what becomes of its calls and of their answers."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import RLock
from typing import Any, Final

from toolgen.servers.call_checks import described
from toolgen.servers.known_tools import KnownTools
from toolgen.servers.messages import (
    INVALID_PARAMS,
    PROTOCOL,
    Line,
    answer,
    arguments_must_change,
    id_text,
    is_call,
    key_of,
    params_of,
    result_of,
)
from toolgen_runtime import ToolOutput

MOST_RUNNING: Final = 10_000
"""Requests whose answers are waited for; a server that never answers must not cost more."""
MAX_RUNNING: Final = 64 * 1024 * 1024
"""Bytes of the calls among them."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a line with calls; either part may be empty."""

    to_server: bytes
    """The line without the calls that were answered, as it came, but for repaired arguments."""
    to_client: bytes
    """The answers to the others."""


class Exchange:
    """Ids of requests are the client's: two clients need two of these."""

    def __init__(self, tools: KnownTools) -> None:
        self._tools = tools
        self._lists: OrderedDict[str, str | None] = OrderedDict()
        """Cursors of the lists that the client asked for, by request."""
        self._running: OrderedDict[str, tuple[ToolOutput, int]] = OrderedDict()
        """Calls that were let through, by request, and the sizes of their lines."""
        self._size = 0
        """The sum of these sizes."""
        self._lock = RLock()
        """Of the two before: calls and answers may come in two threads."""

    # -- requests -------------------------------------------------------------------------------------------

    def list_asked(self, message: dict[str, Any]) -> None:
        """Take a request of `tools/list`."""
        cursor = params_of(message).get("cursor")
        self._lists[key_of(message["id"])] = cursor if isinstance(cursor, str) else None
        if len(self._lists) > MOST_RUNNING:
            self._lists.popitem(last=False)

    def cancelled(self, request_id: object) -> None:
        """Forget a call that is not to be answered any more."""
        self._take(key_of(request_id))

    def decide(self, line: Line) -> Decision:
        """Let the calls of a line go on that are right, repaired where that is asked for; answer the others."""
        texts, answers = list[str](), list[bytes]()
        changed: dict[int, dict[str, Any] | None] = {}
        for index, message in enumerate(line.messages):
            output = self._checked(message, len(line.data)) if is_call(message) else None
            if output is None or (output.ok and not arguments_must_change(message, output)):
                continue
            if output.ok:
                changed[index] = {**message, "params": {**params_of(message), "arguments": output.payload}}
            else:
                changed[index] = None
                texts = texts or line.texts()
                answers.append(_refusal(texts[index], message, output))
        told = b",".join(text.rstrip() for text in answers)
        told = (b"[%s]\n" % told if line.is_batch else told + b"\n") if told else b""
        return Decision(line.changed(changed), told)

    def _checked(self, message: dict[str, Any], size: int) -> ToolOutput | None:
        params = params_of(message)
        output = self._tools.checks.check(params["name"], params.get("arguments"))
        if output is not None and output.ok:
            self._keep(key_of(message["id"]), output, size)
        return output

    def _keep(self, key: str, output: ToolOutput, size: int) -> None:
        """Keep a call until its answer comes; of too many, or too large ones, the oldest are forgotten."""
        with self._lock:
            self._take(key)
            self._running[key] = output, size
            self._size += size
            while len(self._running) > MOST_RUNNING or (self._size > MAX_RUNNING and len(self._running) > 1):
                self._take(next(iter(self._running)))

    def _take(self, key: str) -> ToolOutput | None:
        with self._lock:
            output, size = self._running.pop(key, (None, 0))
            self._size -= size
        return output

    # -- answers --------------------------------------------------------------------------------------------

    def is_list(self, message: dict[str, Any]) -> bool:
        """Return whether an answer is to a request of `tools/list`."""
        return key_of(message["id"]) in self._lists

    def list_answered(self, message: dict[str, Any]) -> None:
        """Take the answer to a request of `tools/list`; one that is not known is of before a change."""
        key = key_of(message.get("id"))
        if key in self._lists:
            cursor = self._lists.pop(key)
            if (result := result_of(message)) is not None:
                self._tools.learn_page(cursor, result)

    def lists_changed(self) -> None:
        """Count the tools as unknown; answers to earlier requests may be of before the change."""
        self._lists.clear()
        self._tools.forget()

    def with_note(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Count a call that is answered; return the answer with what the model is to know besides, if anything."""
        output = self._take(key_of(message["id"]))
        result = result_of(message)
        if output is None or result is None:
            return None
        note = self._tools.checks.returned(output, result)
        content = result.get("content")
        if not note or not isinstance(content, list):
            return None
        return {**message, "result": {**result, "content": [*content, {"type": "text", "text": note}]}}


def _refusal(written: str, message: dict[str, Any], output: ToolOutput) -> bytes:
    """Return the answer to a call that is not made.

    A result with `isError` (MCP 2025-11-25, server/tools, "Error Handling"); to a call that asked for a task, whose
    result would be one, an error.
    """
    params, text, facts = params_of(message), output.text(), {"toolgen": described(output)}
    if "task" in params:
        return answer(id_text(written), error={"code": INVALID_PARAMS, "message": text, "data": facts})
    result: dict[str, Any] = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": facts}
    meta = params.get("_meta")
    if isinstance(meta, dict) and f"{PROTOCOL}protocolVersion" in meta:
        result["resultType"] = "complete"
    return answer(id_text(written), result=result)
