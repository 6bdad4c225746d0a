"""One measurement: what a model writes after a wrong call and an error text, and what it prefers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from wrong_calls import Case, judge, read_call

OPENING, CLOSING = "<tool_call>\n", "\n</tool_call>"
EXTRA_TOKENS = 24
"""How many more tokens than the longer of the two known calls the model may write."""

SYSTEM = """You are a helpful assistant. You may call one or more functions.

These are the functions, one in each line between the tags:
<tools>
{tools}
</tools>

Each call is a JSON object with the function's name and the arguments, between these tags:
<tool_call>
{{"name": <function-name>, "arguments": <arguments>}}
</tool_call>"""

Message = dict[str, Any]
"""A message as OpenAI's chat API has it."""


class Written(Protocol):
    """Tokens that a model wrote, with their log-probabilities."""

    @property
    def tokens(self) -> tuple[int, ...]: ...
    @property
    def logprobs(self) -> tuple[float, ...]: ...
    @property
    def text(self) -> str: ...


class Model(Protocol):
    """What a measurement needs of a model."""

    def prompt(self, messages: list[Message], tools: list[Any]) -> str: ...
    def tokens(self, text: str, *, start: bool = False) -> list[int]: ...
    def greedy(self, prompt: list[int], limit: int, stop: str) -> Written: ...
    def forced(self, prompt: list[int], tokens: list[int]) -> Written: ...


@dataclass(frozen=True)
class Measurement:
    """What was seen after one error text."""

    tokens: int
    """The tokens of the error text."""
    log_odds: float
    """log P(intended call) - log P(the wrong call again)."""
    outcome: str
    """What greedy decoding gives: see `wrong_calls.judge`."""
    written: str
    """The call that greedy decoding gives."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)


def measure(model: Model, case: Case, text: str) -> Measurement:
    """Measure one error text with one model."""
    start = _start(case)
    prompt = model.tokens(prompt_of(model, case, text) + OPENING + start, start=True)
    intended, wrong = (
        model.tokens(call.text().removeprefix(start) + CLOSING) for call in (case.intended, case.wrong)
    )
    limit = max(len(intended), len(wrong)) + EXTRA_TOKENS
    greedy = model.greedy(prompt, limit, "\n")
    if read_call(start + greedy.text) is None:  # the call may have several lines
        greedy = model.greedy(prompt, limit, CLOSING.strip())
    shared = _shared(intended, wrong)
    odds = _logprob(model, prompt, intended, shared, greedy) - _logprob(model, prompt, wrong, shared, greedy)
    written = start + greedy.text
    return Measurement(
        tokens=len(model.tokens(text)),
        log_odds=odds,
        outcome=judge(case, read_call(written)),
        written=written.strip(),
    )


def prompt_of(model: Model, case: Case, text: str) -> str:
    """Return the prompt in the model's own format for tools; as plain text if its template has none."""
    said = messages(case, text)
    prompt = model.prompt(said, tools_of(case))
    if OPENING not in prompt.partition(str(said[0]["content"]))[2]:
        prompt = model.prompt(_plain(case, said), [])
    return prompt


def tools_of(case: Case) -> list[Any]:
    """Return the tools as OpenAI's chat API has them."""
    return [
        {
            "type": "function",
            "function": {"name": t["name"], "description": t["description"], "parameters": t["inputSchema"]},
        }
        for t in case.tools
    ]


def messages(case: Case, text: str) -> list[Message]:
    """Return the conversation up to the error text."""
    arguments = json.dumps(case.wrong.arguments, ensure_ascii=False)
    call = {"id": "call_1", "type": "function", "function": {"name": case.wrong.name, "arguments": arguments}}
    return [
        {"role": "user", "content": case.request or _request_without_intention(case)},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": text},
    ]


def _plain(case: Case, said: list[Message]) -> list[Message]:
    """Return the conversation as text alone."""
    tools = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools_of(case))
    asked, _, result = said
    return [
        {"role": "system", "content": SYSTEM.format(tools=tools)},
        asked,
        {"role": "assistant", "content": f"{OPENING}{case.wrong.text()}{CLOSING}"},
        {"role": "user", "content": f"<tool_response>\n{result['content']}\n</tool_response>"},
    ]


def _request_without_intention(case: Case) -> str:
    if case.wrong.name != case.intended.name:
        return "Please make the call."
    return f"Please call {case.intended.name} for me."


def _start(case: Case) -> str:
    """Return the start of the next call, which is given to the model; it must write the name if that was wrong."""
    if case.wrong.name != case.intended.name:
        return '{"name": "'
    return f'{{"name": "{case.intended.name}", "arguments":'


def _shared(left: list[int], right: list[int]) -> int:
    """Return the number of tokens that two calls share at the start."""
    count = 0
    while count < min(len(left), len(right)) and left[count] == right[count]:
        count += 1
    return count


def _logprob(model: Model, prompt: list[int], tokens: list[int], first: int, greedy: Written) -> float:
    """Return the log-probability of tokens from the first on; what greedy decoding has shown is not asked again."""
    known = _shared(tokens, list(greedy.tokens))
    total = sum(greedy.logprobs[first:known])
    begin = max(first, known)
    if begin < len(tokens):
        total += sum(model.forced(prompt + tokens[:begin], tokens[begin:]).logprobs)
    return total
