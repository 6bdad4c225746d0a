"""`repair`: a history that the provider's server takes, and a log of every change made to get there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from toolgen_runtime.providers.codec import Codec
from toolgen_runtime.transcript.checking import violations
from toolgen_runtime.transcript.repairs.content import (
    begin_and_end,
    drop_empty,
    fill,
    part_results,
    strip_end,
)
from toolgen_runtime.transcript.repairs.draft import Change, Draft
from toolgen_runtime.transcript.repairs.labels import flatten, label
from toolgen_runtime.transcript.repairs.pairing import alternate, pair
from toolgen_runtime.transcript.repairs.tools import mend_tools
from toolgen_runtime.transcript.request import (
    UNSET,
    Request,
    Tools,
    Unset,
    Violation,
    native_of,
)

_MENDS = (flatten, label, pair, alternate, begin_and_end, drop_empty, fill, part_results, strip_end)


@dataclass(frozen=True, slots=True)
class Repaired:
    """New messages and what was changed; the tools block mended likewise, None where there is none to send.

    `remaining` are the violations that only the caller can mend, such as streaming with a model that
    has no tools in streams.
    """

    messages: list[dict[str, Any]]
    changes: tuple[Change, ...]
    tools: dict[str, Any] | None = None
    remaining: tuple[Violation, ...] = ()


def repair(
    messages: object,
    provider: str,
    *,
    tools: Tools = UNSET,
    model: str | None = None,
    thinking: bool = False,
    streaming: bool = False,
    codec: Codec | None = None,
) -> Repaired:
    """Native messages that break no rule, from native messages that may. The input is not touched.

    Takes what `check` takes, and the request's codec if it has one. Every change is in the log; no call
    disappears without a word there, and a result that had to be made up is an error result whose text says
    so. Messages that break no rule come back equal.

    Raises:
        ValueError: no messages of that provider are known.
        TypeError: an element is neither a mapping nor an object with `model_dump()`.
    """
    given = Request.of(messages, provider, tools, model, thinking, streaming)
    draft = Draft(given, codec)
    for fault in given.malformed:
        draft.changes.append(Change(0, given.place_in(fault.index, fault.path), fault.action))
    mended = mend_tools(draft)
    draft.request = replace(given, tools=mended)
    for mend in _MENDS:
        mend(draft)
    native = native_of(draft.turns, provider)
    after = Request.of(native, provider, mended, model, thinking, streaming)
    block = None if isinstance(mended, Unset) or mended is None else dict(mended)
    return Repaired(native, tuple(draft.changes), block, tuple(violations(after)))
