"""Calls that a local server left in the text: reported by default, read on request, and never ready unasked."""

from __future__ import annotations

from typing import Any

from helpers.support import for_each

from toolgen import compile_tools
from toolgen_adapters.loop import results
from toolgen_runtime import MISSING, Conversation
from toolgen_transcripts import anthropic, decode_response, openai, openai_responses

OSLO = {"city": "Oslo"}
BAR = "\uff5c"


def dsml(body: str, bar: str = f"{BAR}DSML{BAR}") -> str:
    return f"<{bar}tool_calls>{body}</{bar}tool_calls>".replace("@", bar)


EXACT = {
    "hermes": 'Sure.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    "hermes, a text": '<tool_call>{"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}</tool_call>',
    "harmony": "<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{\"city\": \"Oslo\"}<|call|>",
    "harmony, the recipient first": (
        '<|start|>assistant to=functions.weather<|channel|>commentary json<|message|>{"city": "Oslo"}<|call|>'
    ),
    "dsml": dsml('<@invoke name="weather"><@parameter name="city" string="true">Oslo</@parameter></@invoke>'),
    "dsml, plain bars": dsml(
        '<@invoke name="weather"><@parameter name="city" string="false">"Oslo"</@parameter></@invoke>', " | DSML | "
    ),
    "mistral": '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Oslo"}}]',
    "mistral, newer": '[TOOL_CALLS]weather[ARGS]{"city": "Oslo"}',
    "mistral, with an id": '[TOOL_CALLS]weather[CALL_ID]abc123def[ARGS]{"city": "Oslo"}</s>',
}  # fmt: skip
NOT_EXACT = {
    "hermes without an end": '<tool_call>\n{"name": "weather", "arguments": {"city": "Os',
    "qwen coder": "<tool_call><function=weather><parameter=city>Oslo</parameter></function></tool_call>",
    "glm": "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    "harmony without an end": '<|channel|>commentary to=functions.weather<|message|>{"city": "Oslo"}',
    "dsml without an end": dsml('<@invoke name="weather"><@parameter name="city" string="true">Os'),
    "dsml without types": dsml('<@invoke name="weather"><@parameter name="city">Oslo</@parameter></@invoke>'),
    "dsml without JSON": dsml(
        '<@invoke name="weather"><@parameter name="city" string="false">Oslo</@parameter></@invoke>'
    ),
    "mistral without an end": '[TOOL_CALLS]weather[ARGS]{"city": "Os',
}
NO_CALL = [
    "It is sunny.",
    "Hermes models write <tool_call> tags.",
    "The marks are <tool_call>...</tool_call> and [TOOL_CALLS].",
    "<tool_call>[1]</tool_call>",
    "DSML is a markup; to=functions.x goes there.",
    '[TOOL_CALLS][{"name": "a b\\n"}]',
]


def response(text: str, stop: str = "stop") -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": stop}]}


def read(text: str) -> Any:
    return openai.read_tool_uses(response(text), leaked="read")


@for_each(EXACT | NOT_EXACT)
def test_a_call_in_the_text_is_reported(text: str) -> None:
    (call,) = openai.read_tool_uses(response(text))
    assert (call.name, call.ready, call.id) == ("weather", False, None)
    assert "the server left this call in its text" in call.problems[0]
    assert "leaked='read'" in call.problems[0]
    assert openai.read_tool_uses(response(text), leaked="ignore") == []
    assert openai.parse_tool_uses(response(text)) == []
    assert decode_response(response(text), "openai").finish == "stop"


@for_each(EXACT)
def test_a_call_in_the_text_is_read_on_request(text: str) -> None:
    (call,) = read(text)
    assert (call.name, call.input, call.ready, call.id) == ("weather", OSLO, True, "leaked_0")
    (cut,) = openai.read_tool_uses(response(text, "length"), leaked="read")
    assert (cut.input, cut.ready) == (MISSING, False)


@for_each(NOT_EXACT)
def test_a_call_that_cannot_be_read_exactly_is_not_ready(text: str) -> None:
    (call,) = read(text)
    assert not call.ready
    assert "cannot be read" in call.problems[0]


@for_each(NO_CALL)
def test_a_text_about_calls_is_no_call(text: str) -> None:
    assert read(text) == []


def test_calls_beside_those_that_the_server_parsed_are_text() -> None:
    made = response(EXACT["hermes"], "tool_calls")
    native = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    made["choices"][0]["message"]["tool_calls"] = [native]
    assert [call.id for call in openai.read_tool_uses(made, leaked="read")] == ["c1"]


def test_several_calls_keep_their_order() -> None:
    text = EXACT["hermes"] + EXACT["hermes"].replace("weather", "time")
    calls = read(text)
    assert [(call.id, call.name) for call in calls] == [("leaked_0", "weather"), ("leaked_1", "time")]


def test_responses_and_streams_report_them_too() -> None:
    text = EXACT["dsml"]
    part = {"type": "output_text", "text": text}
    output = [{"type": "message", "role": "assistant", "content": [part]}]
    (call,) = openai_responses.read_tool_uses({"status": "completed", "output": output})
    assert (call.name, call.ready) == ("weather", False)
    for leaked, is_ready in (("report", False), ("read", True)):
        assembler = openai.StreamAssembler(leaked=leaked)
        assembler.feed({"choices": [{"index": 0, "delta": {"content": text[:20]}}]})
        assembler.feed({"choices": [{"index": 0, "delta": {"content": text[20:]}, "finish_reason": "stop"}]})
        done = assembler.finish()
        assert [call.ready for call in done.calls] == [is_ready]
        assert done.turn().text == text
        assert done.turn().calls == ()


def test_claude_may_write_about_such_marks() -> None:
    content = [{"type": "text", "text": EXACT["hermes"]}]
    assert anthropic.read_tool_uses({"content": content, "stop_reason": "end_turn"}) == []


def test_the_loop_does_not_run_a_call_that_is_only_reported() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    tools = compile_tools([{"name": "weather", "schema": schema}])
    ran: list[Any] = []
    made = results(response(EXACT["hermes"]), Conversation(tools), {"weather": ran.append}, provider="openai")
    assert (ran, made) == ([], [])
    assert "left this call in its text" in made.outputs[0].text()
