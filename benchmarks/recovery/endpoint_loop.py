"""A real loop with any OpenAI-compatible endpoint: a wrong call, an error text, the next attempt, and so on."""

from __future__ import annotations

import copy
import json
import statistics
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Message, messages, tools_of
from rival_texts import RIVALS, run, stored_texts
from tables import interval
from wrong_calls import Call, Case, Outcome, judge

from toolgen_runtime import Conversation

ATTEMPTS = 3
SECONDS = 300

Tell = Callable[[Call], str | None]
"""The error text for a wrong call; None if there is none."""


@dataclass(frozen=True)
class Reply:
    """A model's answer: its message for the history, and its first call, if there is one."""

    message: Message
    call_id: str
    call: Call | None


@dataclass(frozen=True)
class Attempt:
    """One call of the model, and the error text before it."""

    text: str
    outcome: Outcome


class Endpoint:
    """A chat API with tools, as OpenAI's."""

    def __init__(self, url: str, model: str, key: str | None = None) -> None:
        self._url = url.rstrip("/") + "/chat/completions"
        self._model, self._key = model, key

    def ask(self, said: Sequence[Message], tools: list[Any]) -> Reply:
        """Return the model's answer.

        Raises:
            OSError: the endpoint does not answer, or refuses the request.
        """
        body = {"model": self._model, "messages": said, "tools": tools, "temperature": 0}
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return read_reply(json.load(response))
        except urllib.error.HTTPError as error:
            raise OSError(
                f"{self._url}: {error.code} {error.read().decode(errors='replace')[:300]}"
            ) from None


def read_reply(response: Any) -> Reply:
    """Return the message and the first call of a response."""
    message = response["choices"][0]["message"]
    calls = message.get("tool_calls") or []
    if not calls:
        return Reply(message, "", None)
    function = calls[0]["function"]
    arguments = function.get("arguments") or "{}"
    if isinstance(arguments, str):
        with suppress(ValueError):  # text that is not JSON is passed on: it is an invalid call
            arguments = json.loads(arguments)
    only_first = {**message, "tool_calls": calls[:1]}
    return Reply(only_first, calls[0].get("id", "call_1"), Call(function["name"], arguments))


def attempts(endpoint: Endpoint, case: Case, tell: Tell, most: int = ATTEMPTS) -> list[Attempt] | None:
    """Return what the model does after the case's wrong call, until a call is valid; None if there is no error text."""
    text = tell(case.wrong)
    if text is None:
        return None
    said, made = messages(case, text), []
    for _ in range(most):
        reply = endpoint.ask(said, tools_of(case))
        outcome = judge(case, reply.call)
        made.append(Attempt(text, outcome))
        if reply.call is None or outcome in ("intended", "other valid"):
            break
        following = tell(reply.call)
        if following is None:
            break
        text = following
        said += [reply.message, {"role": "tool", "tool_call_id": reply.call_id, "content": text}]
    return made


def teller(name: str, case: Case, folder: Path) -> Tell:
    """Return what tells the model about wrong calls: toolgen, a bare text, or another library."""
    if name == "toolgen":
        conversation = Conversation(list(case.tools), repair=False)
        return lambda call: conversation.call(call.name, copy.deepcopy(call.arguments), str).text()
    if name not in RIVALS:
        return lambda _: "Invalid arguments."
    stored = stored_texts().get(name, {})

    def tell(call: Call) -> str | None:
        if call == case.wrong:
            return stored.get(case.id)
        outcome = run(name, folder, [([tool["name"] for tool in case.tools], call)])["outcomes"][0]
        told: str | None = outcome.get("told")
        return told

    return tell


def loop_table(results: dict[str, list[list[Attempt]]]) -> str:
    """Return the table of loops by text."""
    lines = [
        "| text | cases | valid after 1, 2, 3 attempts | the intended call | another valid call "
        "| ended without a call | characters of the first text (median) |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, loops in results.items():
        last = [loop[-1].outcome for loop in loops]
        hits = [float(each == "intended") for each in last]
        low, high = interval(hits)
        valid = [
            sum(len(loop) <= n and loop[-1].outcome in ("intended", "other valid") for loop in loops)
            for n in range(1, ATTEMPTS + 1)
        ]
        lines.append(
            f"| {name} | {len(loops)} | {', '.join(map(str, valid))} "
            f"| {sum(hits):.0f} ({statistics.fmean(hits):.0%}) [{low:.0%}, {high:.0%}] "
            f"| {last.count('other valid')} | {last.count('no call')} "
            f"| {statistics.median(len(loop[0].text) for loop in loops):.0f} |"
        )
    return "\n".join(lines)
