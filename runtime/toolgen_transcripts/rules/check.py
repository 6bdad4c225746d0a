"""Find every rule that a request breaks (`check`), and change the request so that it breaks none (`repair`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from toolgen_transcripts.codec.members import Native
from toolgen_transcripts.codec.names import Codec
from toolgen_transcripts.rules.draft import Change, Draft
from toolgen_transcripts.rules.history.other_provider import other_provider
from toolgen_transcripts.rules.request import UNSET, Request, Tools, Violation, encode_turns
from toolgen_transcripts.rules.rule import Step
from toolgen_transcripts.rules.table import STEPS


def _select_steps(request: Request) -> list[Step]:
    return [step for step in STEPS if any(map(request.tests, step.rules)) and step.when(request)]


@dataclass(frozen=True, slots=True)
class Repaired:
    """The repaired messages, with a list of the changes.

    `tools` is the repaired tools block, or None if there are no tools to send.

    `remaining` lists the violations that only the caller can fix, such as streaming with a model that does not support
    tools in streams. `system` is the system prompt of a whole request, or None if there is no prompt to send.
    """

    messages: list[Native]
    changes: tuple[Change, ...]
    tools: Native | None = None
    remaining: tuple[Violation, ...] = ()
    system: Any = None


def _run_steps(request: Request, steps: Iterable[Step]) -> list[Violation]:
    """Return what the steps find in a request, in the order of the rules, each without the changes of the others."""
    found, draft = list[Violation](), Draft(request)
    for step in steps:
        step.run(draft)
        found += draft.found
        if draft.found or draft.changes:
            draft = Draft(request)
    return sorted(found, key=attrgetter("rule"))


def check(
    messages: object,
    provider: str,
    *,
    tools: Tools = UNSET,
    model: str | None = None,
    thinking: bool | None = None,
    streaming: bool = False,
    moved: bool = False,
    host: str | None = None,
) -> list[Violation]:
    """Find every rule that native messages break. Each violation has the provider's own error message.

    If the request is for another API, only this violation is returned.

    `messages` is a list of messages or a whole request. Some rules need more than the history: the tools block (None
    means that the request has none), the model's id, whether thinking is on, whether the reply is streamed, and whether
    the history was `moved` from another host of the same API (Gemini: between AI Studio and Vertex AI). They are read
    from a whole request; arguments have priority. `host` is the name or URL of the server, if it is not the provider's
    own. Many servers implement OpenAI's API (`api.deepseek.com`), but only OpenAI's own server has its limits. Without
    `host`, the model's name decides. Rules about responses and streams are never reported here.

    Raises:
        ValueError: the provider is unknown or has no messages.
        TypeError: an element is neither a mapping nor an object with `model_dump()`.
    """
    request = Request.of(messages, provider, tools, model, thinking, streaming, moved, host)
    other = other_provider(request)
    if other is not None:
        return [other]
    return _run_steps(request, _select_steps(request))


def repair(
    messages: object,
    provider: str,
    *,
    tools: Tools = UNSET,
    model: str | None = None,
    thinking: bool | None = None,
    streaming: bool = False,
    moved: bool = False,
    host: str | None = None,
    codec: Codec | None = None,
) -> Repaired:
    """Change messages so that they break no rule. `remaining` lists what only the caller can fix. The input
    does not change.

    The function takes the arguments of `check`, and the request's codec if there is one. `changes` lists every change.
    Calls of your tools are never dropped: a missing result is replaced with an error result, and calls that the server
    would reject become text. Calls that the server ran itself are removed if they have no result. Messages that break
    no rule are returned unchanged. Messages for another provider are also returned unchanged, with one violation in
    `remaining`.

    Raises:
        ValueError: the provider is unknown or has no messages.
        TypeError: an element is neither a mapping nor an object with `model_dump()`.
    """
    given = Request.of(messages, provider, tools, model, thinking, streaming, moved, host)
    draft, other = Draft(given, codec), other_provider(given)
    if other is not None:
        return _repaired(given, draft, [other])
    doubtful = []
    for step in _select_steps(given):
        found = len(draft.found)
        step.run(draft)
        if step.again or len(draft.found) > found:
            doubtful.append(step)
    if not draft.changes:
        return _repaired(given, draft, sorted(draft.found, key=attrgetter("rule")))
    native, starts = encode_turns(draft.turns, draft.request)
    made = replace(draft.request, turns=draft.turns, starts=starts, given=native, malformed=())
    return _repaired(made, draft, _run_steps(made, doubtful))


def _repaired(request: Request, draft: Draft, remaining: list[Violation]) -> Repaired:
    block = None
    if isinstance(request.tools, Mapping):
        block = dict(request.tools)
    return Repaired(request.given, tuple(draft.changes), block, tuple(remaining), request.system)
