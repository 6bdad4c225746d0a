"""The responses and streams of the corpus, with the readings of the SDKs.

A row of `responses/` has a `response`, a row of `streams/` the `events` of a stream, both as the API sends them. Both
have the provider's SDK's reading (`read`): text, reasoning, calls and the stop reason (`corpus_sdks.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from corpus_files import MODULES, PROVIDERS, Row, read_rows, write_rows
from corpus_sdks import READ, reading

from toolgen_transcripts import Reasoning, Text, Transcript, Turn
from toolgen_transcripts.requests.decode import DecodedResponse, decode_response
from toolgen_transcripts.streams.result import Completed

ASKED = Turn("user", (Text("q"),))


def record(provider: str) -> None:
    """Let the provider's SDK read every response and stream from a server, and store its readings."""
    for kind in ("responses", "streams"):
        name = f"{kind}/{provider}"
        write_rows(name, [{**row, "read": READ[provider](row)} for row in read_rows(name)])


def _thought(blocks: Iterable[Any]) -> str:
    return "".join(block.text for block in blocks if isinstance(block, Reasoning))


def decoded(row: Row, provider: str) -> tuple[DecodedResponse, Row]:
    """Return a decoded response, and its content in the form of `read`."""
    said = decode_response(row["response"], provider)
    calls = (
        (call.id, call.name or "", call.input) for call in said.calls if call.kind in ("function", "custom")
    )
    return said, reading(said.text, _thought(said.turn.blocks), calls, said.stop_reason)


def assembled(row: Row, provider: str) -> tuple[Completed, Row]:
    """Return an assembled stream, and its content in the form of `read`."""
    assembler = MODULES[provider].StreamAssembler()
    for event in row["events"]:
        assembler.feed(event)
    done: Completed = assembler.finish()
    calls = (
        (call.id, call.name or "", call.input) for call in done.calls if call.kind in ("function", "custom")
    )
    return done, reading(done.text, _thought(done.blocks), calls, done.stop_reason)


def native_turn(row: Row, provider: str) -> Any:
    """Return the message, or the items, of a response in the form of the history."""
    response = row["response"]
    match provider:
        case "anthropic":
            return [{"role": response["role"], "content": response["content"]}]
        case "bedrock":
            return [response["output"]["message"]]
        case "gemini":
            return [response["candidates"][0]["content"]]
        case "openai":
            return [response["choices"][0]["message"]]
    return response["output"]


def back(turn: Turn, provider: str) -> Any:
    """Return a turn encoded as the messages after the user's."""
    return MODULES[provider].encode_messages(Transcript((ASKED, turn))).messages[1:]


def losses(turn: Turn, target: str) -> set[str]:
    """Return the codes of the losses of a turn that is converted for a provider."""
    encoded = MODULES[target].encode_messages(Transcript((ASKED, turn)))
    return {diagnostic.code for diagnostic in encoded.diagnostics}


HEAD = """
## Responses and streams

A server on 127.0.0.1 sent these responses and streams to the real SDKs. *Same content* counts those from which toolgen
and the SDK read the same text, reasoning, calls and stop reason. *Same message* counts the responses that are equal
after toolgen has decoded and encoded them.

| provider | responses | same content | same message | streams | events | same content |
| --- | --- | --- | --- | --- | --- | --- |
"""


def _counts(provider: str) -> str:
    """Return the row of a provider: the numbers of responses and streams, and of those that its SDK reads alike."""
    answers, streams = read_rows(f"responses/{provider}"), read_rows(f"streams/{provider}")
    alike = sum(decoded(row, provider)[1] == row["read"] for row in answers)
    same = sum(
        back(decoded(row, provider)[0].turn, provider) == native_turn(row, provider) for row in answers
    )
    events = sum(len(row["events"]) for row in streams)
    joined = sum(assembled(row, provider)[1] == row["read"] for row in streams)
    return f"| {provider} | {len(answers)} | {alike} | {same} | {len(streams)} | {events} | {joined} |\n"


def _turns(provider: str) -> list[Turn]:
    turns = [decoded(row, provider)[0].turn for row in read_rows(f"responses/{provider}")]
    return [*turns, *(assembled(row, provider)[0].turn() for row in read_rows(f"streams/{provider}"))]


def _cell(turns: list[Turn], target: str) -> str:
    """Return the number of turns without a loss, and the number with each kind of diagnostic."""
    counts = Counter(code for turn in turns for code in losses(turn, target) or {"whole"})
    told = ", ".join(f"{code} {count}" for code, count in sorted(counts.items()) if code != "whole")
    return f"no loss {counts['whole']}" + (f"; {told}" if told else "")


def section() -> str:
    """Return the part of the page about responses and streams."""
    out = (
        HEAD
        + "".join(map(_counts, PROVIDERS))
        + "\nThis table counts their turns, converted for other providers, in the same way.\n\n"
    )
    out += f"| from \\ to | {' | '.join(PROVIDERS)} |\n| --- |{' --- |' * len(PROVIDERS)}\n"
    for provider in PROVIDERS:
        turns = _turns(provider)
        cells = ("" if target == provider else _cell(turns, target) for target in PROVIDERS)
        out += f"| {provider} | {' | '.join(cells)} |\n"
    return out
