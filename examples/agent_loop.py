"""An agent loop with toolgen. `python examples/agent_loop.py` runs it offline, with a scripted model.

The model makes the usual mistakes: wrong arguments, invented tools, a response without a call id, a lost
connection. None of them ends the run. The loop decides by data (the kind of a failure, the hint, the counts of
the turn), never by the text of an error.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from toolgen import compile_tools
from toolgen_runtime import Conversation, ToolOutput
from toolgen_transcripts.bedrock import BedrockResponseError, encode_tools, parse_tool_uses
from toolgen_transcripts.errors import classify_llm_error

Message = dict[str, Any]
Handlers = Mapping[str, Callable[..., Any]]


class Model(Protocol):
    """The methods of a model that the loop calls; a boto3 `bedrock-runtime` client has them."""

    def converse(self, *, messages: list[Message], toolConfig: Any) -> dict[str, Any]: ...  # noqa: N803


@dataclass
class Step:
    """One answer of the model and its outcome."""

    status: Literal["ok", "error"]
    message: str
    outputs: list[ToolOutput] = field(default_factory=list)


@dataclass
class Agent:
    model: Model
    conversation: Conversation
    handlers: Handlers
    tool_config: Any
    say: Callable[[str], None] = print
    max_steps: int = 10
    max_streak: int = 3
    messages: list[Message] = field(default_factory=list)

    async def run(self, prompt: str) -> list[Step]:
        """Run one turn: ask and call tools until the model is done, the turn fails, or after `max_steps`."""
        self.say(f"user: {prompt}")
        self.messages.append({"role": "user", "content": [{"text": prompt}]})
        self.conversation.begin_turn()
        steps: list[Step] = []
        done = False
        while not done and len(steps) < self.max_steps:
            step, done = await self._step()
            steps.append(step)
            self.say(f"step {len(steps)}: {step.status}: {step.message}")
            if self.conversation.ledger.failure_streak >= self.max_streak:
                self.say(f"stopped: {self.max_streak} answers in a row without a call that succeeded")
                break
        turn = self.conversation.ledger.turn
        verdict = "failed" if turn.failed else "not failed"
        self.say(f"turn {verdict}: {turn.attempted} calls, {turn.executed} executed\n")
        return steps

    async def _step(self) -> tuple[Step, bool]:
        try:
            response = await asyncio.to_thread(
                self.model.converse, messages=self.messages, toolConfig=self.tool_config
            )
            uses = parse_tool_uses(response)
        except BedrockResponseError as error:
            # The error names the invalid field and has the response. Ask the same question again.
            return Step("error", str(error)), False
        except Exception as error:
            failure = classify_llm_error(error)
            again = "asking again" if failure.retryable else "giving up"
            return Step("error", f"{failure.kind} (by {failure.decided_by}), {again}"), not failure.retryable
        self.messages.append(response["output"]["message"])
        if not uses:
            return Step("ok", response["output"]["message"]["content"][0]["text"]), True
        self.conversation.begin_round()
        outputs = await asyncio.gather(*map(self._call, uses))
        self.messages.append({"role": "user", "content": [self._result(output) for output in outputs]})
        counts = self.conversation.ledger.round
        message = f"{counts.attempted} called, {counts.executed} executed, {counts.succeeded} succeeded"
        return Step("error" if counts.failed else "ok", message, outputs), False

    async def _call(self, use: Any) -> ToolOutput:
        name = use["name"]
        handler = self.handlers.get(name, _no_handler)
        output = await self.conversation.acall(name, use["input"], handler, call_id=use["id"])
        self.say(f"  {name}: {output.kind or 'success'}")
        for line in output.text().splitlines() if output.error else ():
            self.say(f"    {line}")
        return output

    def _result(self, output: ToolOutput) -> dict[str, Any]:
        status = "error" if output.error else "success"
        content = [{"text": output.text()}]
        return {"toolResult": {"toolUseId": output.call_id, "content": content, "status": status}}


def _no_handler(_: Any) -> Any:
    raise NotImplementedError("no handler for this tool")


# ---- a small support desk, and a model that follows a script ---------------------------------------------------

TOOLS = [
    {
        "name": "handoff",
        "description": "Hand the conversation to a team.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "team": {"enum": ["billing", "technical"], "description": "The team to hand over to."},
                "summary": {"type": "string", "description": "What the user wants, in one sentence."},
            },
            "required": ["team", "summary"],
            "additionalProperties": False,
        },
    },
    {
        "name": "find_invoices",
        "description": "Invoices of a customer.",
        "inputSchema": {
            "type": "object",
            "properties": {"customer_id": {"type": "integer"}},
            "required": ["customer_id"],
        },
    },
    {
        "name": "exchange_rate",
        "description": "Today's rate between two currencies.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "source": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "target": {"type": "string", "pattern": "^[A-Z]{3}$"},
            },
            "required": ["source", "target"],
        },
    },
]


def handoff(payload: dict[str, Any]) -> dict[str, Any]:
    return {"team": payload["team"], "position_in_queue": 1}


async def find_invoices(payload: dict[str, Any]) -> list[dict[str, Any]]:
    if payload["customer_id"] == 13:
        raise TimeoutError("the invoice service is slow today")
    return [{"number": "2024-17", "total": 12.5}]


def exchange_rate(_: dict[str, Any]) -> dict[str, Any]:
    return {"rate": math.nan, "source": "ECB"}


HANDLERS: Handlers = {"handoff": handoff, "find_invoices": find_invoices, "exchange_rate": exchange_rate}


@dataclass
class ScriptedModel:
    """A model that answers with the next entry of a script: a response, or an exception to raise."""

    script: Iterable[dict[str, Any] | Exception]
    asked: list[list[Message]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._next = iter(self.script)

    def converse(self, *, messages: list[Message], toolConfig: Any) -> dict[str, Any]:  # noqa: ARG002, N803
        self.asked.append(list(messages))
        answer = next(self._next)
        if isinstance(answer, Exception):
            raise answer
        return answer


def says(text: str) -> dict[str, Any]:
    return _response([{"text": text}], "end_turn")


def calls(*uses: tuple[str, Any]) -> dict[str, Any]:
    blocks = [
        {"toolUse": {"toolUseId": f"call_{number}", "name": name, "input": arguments}}
        for number, (name, arguments) in enumerate(uses, 1)
    ]
    return _response(blocks, "tool_use")


def without_id(name: str, arguments: Any) -> dict[str, Any]:
    response = calls((name, arguments))
    del response["output"]["message"]["content"][0]["toolUse"]["toolUseId"]
    return response


def _response(content: list[dict[str, Any]], stop: str) -> dict[str, Any]:
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": stop}


Script = list[dict[str, Any] | Exception]

CONVERSATION: list[tuple[str, Script]] = [
    (
        "I want a refund.",
        [
            calls(("handoff", {"team": "Billing", "reason": "wants a refund"})),
            calls(("handoff", {"team": "billing", "summary": "wants a refund"})),
            says("You are first in the queue of the billing team."),
        ],
    ),
    (
        "What have I paid, and what is it in euros?",
        [
            ConnectionResetError(104, "Connection reset by peer"),
            without_id("find_invoices", {"customer_id": 7}),
            calls(
                ("find_invoices", {"customer_id": 7}),
                ("find_invoices", {"customer_id": "seven"}),
                ("findInvoices", {"customer_id": 7}),
                ("find_invoices", {"customer_id": 13}),
                ("exchange_rate", {"source": "USD", "target": "EUR"}),
            ),
            says("You have paid 12.50; I have no rate for today."),
        ],
    ),
    ("Look it up.", [calls(("search_web", {}), ("open_browser", {})), says("I cannot search the web.")]),
]


def agent(script: Iterable[dict[str, Any] | Exception], say: Callable[[str], None] = print) -> Agent:
    toolset = compile_tools(TOOLS)
    return Agent(ScriptedModel(script), Conversation(toolset), HANDLERS, encode_tools(toolset), say)


async def main() -> None:
    logging.getLogger("toolgen_runtime").addHandler(
        logging.NullHandler()
    )  # the example prints the failures itself
    desk = agent(answer for _, script in CONVERSATION for answer in script)
    for prompt, _ in CONVERSATION:
        await desk.run(prompt)
    failures = ", ".join(f"{count} {kind}" for kind, count in desk.conversation.ledger.total.failures.items())
    print(f"failures: {failures}")


if __name__ == "__main__":
    asyncio.run(main())
