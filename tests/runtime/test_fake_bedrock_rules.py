"""What `FakeBedrock` refuses: the rules of docs/providers/rules.md that a request can break, through the real boto3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from histories import assistant, result, user

from toolgen_runtime.testing import FakeBedrock, Reply, call, text
from toolgen_runtime.transcript import explain_provider_error

boto3 = pytest.importorskip("boto3", reason="boto3 is not installed: pip install 'toolgen[dev]'")
from botocore.config import Config  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

pytestmark = pytest.mark.usefixtures("own_servers")
CLAUDE, NOVA, MISTRAL, LLAMA = (
    "anthropic.claude-3-7-sonnet-20250219-v1:0",
    "amazon.nova-pro-v1:0",
    "mistral.mistral-large-2407-v1:0",
    "meta.llama3-1-70b-instruct-v1:0",
)
OBJECT = {"type": "object", "properties": {"city": {"type": "string"}}}
STRICT_OPEN = {"name": "w", "strict": True, "inputSchema": {"json": {**OBJECT, "additionalProperties": True}}}
UNIONS = {f"p{i}": {"type": ["string", "null"]} for i in range(17)}
MANY_UNIONS = {
    "type": "object",
    "properties": UNIONS,
    "required": list(UNIONS),
    "additionalProperties": False,
}
PIXEL = {"image": {"format": "png", "source": {"bytes": b"\x89PNG"}}}
PAPER = {"document": {"format": "txt", "name": "paper", "source": {"bytes": b"x"}}}

FILM = {"video": {"format": "mp4", "source": {"bytes": b"x"}}}
STORED = {
    "document": {"format": "pdf", "name": "paper", "source": {"s3Location": {"uri": "s3://b/paper.pdf"}}}
}
POINT = {"cachePoint": {"type": "default"}}
STRICT = {
    "strict": True,
    "inputSchema": {"json": {"type": "object", "properties": {}, "additionalProperties": False}},
}

Message = dict[str, Any]


def tools(spec: Message | None = None, **more: Any) -> Message:
    spec = spec or {"name": "weather", "inputSchema": {"json": OBJECT}}
    return {"tools": [{"toolSpec": spec}], **more}


def schema(json: Any) -> Message:
    return tools({"name": "weather", "inputSchema": {"json": json}})


ASK = user(text("How is the weather?"))
PARIS, ROME = call("t1", "weather", {"city": "Paris"}), call("t2", "weather", {"city": "Rome"})
SOUND = [ASK, assistant(PARIS, ROME), user(result("t1"), result("t2"))]


def asking(**more: Any) -> Message:
    return {"messages": [ASK], "toolConfig": tools(), **more}


def history(*messages: Message, **more: Any) -> Message:
    return {"messages": list(messages), "toolConfig": tools(), **more}


BROKEN = [
    # the rule's number, the request
    (1, history(ASK, assistant(text("Hm.")), user(result("t9")))),
    (2, history(ASK, assistant(PARIS, ROME), user(result("t1")))),
    (4, history(ASK, assistant(PARIS), user(text("So:"), result("t1")))),
    (5, history(ASK, assistant(PARIS), user(result("t1"), result("t1")))),
    (6, history(ASK, assistant(PARIS, PARIS), user(result("t1"), result("t1")))),
    (7, {"messages": SOUND}),
    (8, history(user(text("")))),
    (9, history(user(text(" \n")))),
    (10, history(user())),
    (
        11,
        history(
            ASK, assistant(PARIS), user({"toolResult": {"toolUseId": "t1", "content": [], "status": "error"}})
        ),
    ),
    (12, history(ASK, ASK)),
    (13, history(assistant(text("Hello.")), ASK)),
    (14, history(ASK, assistant(text("It is")))),
    (15, history(ASK, assistant(text("It is ")), modelId=CLAUDE)),
    (16, history(ASK, assistant(PARIS), user(result("t1"), text("So?")), modelId=LLAMA)),
    (17, history(ASK, assistant(call("t1", "weather", "Paris")), user(result("t1")))),
    (18, history(ASK, assistant(PARIS), user(result("t1", {"json": [1]})))),
    (19, history(ASK, assistant(call("t1", "a.b", {})), user(result("t1")))),
    (19, history(ASK, assistant(call("a b", "weather", {})), user(result("a b")))),
    (19, asking(toolConfig=tools({"name": "a.b", "inputSchema": {"json": OBJECT}}))),
    (20, asking(toolConfig=tools({"name": "w", "description": "", "inputSchema": {"json": OBJECT}}))),
    (21, asking(toolConfig={"tools": []})),
    (22, asking(toolConfig=schema({"type": "array"}))),
    (23, asking(toolConfig=schema({"type": "object", "anyOf": [{"required": ["a"]}]}), modelId=CLAUDE)),
    (24, asking(toolConfig=schema({"type": "object", "required": "city"}))),
    (25, asking(toolConfig=tools(STRICT_OPEN), modelId=CLAUDE)),
    (26, asking(toolConfig=tools({"name": "w", "strict": True, "inputSchema": {"json": MANY_UNIONS}}))),
    (27, asking(toolConfig=tools(toolChoice={"tool": {"name": "weather"}}), modelId=LLAMA)),
    (
        28,
        asking(
            toolConfig=tools(toolChoice={"any": {}}),
            modelId=CLAUDE,
            additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
    ),
    (29, history(ASK, assistant(PARIS), user(result("t1", status="success")), modelId=LLAMA)),
    (30, history(ASK, assistant(PARIS), user(result("t1", PIXEL)), modelId=LLAMA)),
    (31, history(user(PAPER))),
    (
        32,
        asking(toolConfig={"tools": [*tools()["tools"], {"cachePoint": {"type": "default"}}]}, modelId=NOVA),
    ),
    (35, history(ASK, assistant(PARIS), user(result("t1")), modelId=MISTRAL)),
    (36, history(user(text("What?"), FILM), modelId=CLAUDE)),
    (36, history(user(text("What?"), STORED), modelId=CLAUDE)),
    (36, history(ASK, assistant(PARIS), user(result("t1", STORED)), modelId=NOVA)),
    (37, history(user(text("What?"), {"document": {**PAPER["document"], "name": "paper.txt"}}))),
    (37, history(user(text("What?"), PAPER, PAPER))),
    (38, history(user(text("What?"), *[POINT] * 3), system=[text("Be brief."), POINT, POINT])),
    (
        39,
        asking(
            toolConfig={"tools": [tools({**STRICT, "name": f"w{i}"})["tools"][0] for i in range(21)]},
            modelId=CLAUDE,
        ),
    ),
    (
        42,
        history(
            ASK,
            assistant(PARIS),
            user(result("t1")),
            modelId=CLAUDE,
            additionalModelRequestFields={"thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
    ),
]


@pytest.fixture(scope="module")
def bedrock() -> Iterator[tuple[FakeBedrock, Any]]:
    """botocore's own checks are off, so that the server sees what botocore would already refuse."""
    with FakeBedrock(otherwise=Reply([text("Hi")])) as fake:
        config = Config(proxies={}, retries={"max_attempts": 1}, parameter_validation=False)
        yield fake, boto3.session.Session().client("bedrock-runtime", config=config, **fake.client_options)


def converse(client: Any, request: Message) -> Any:
    """Send it; the oldest botocores cannot write some members."""
    try:
        return client.converse(**{"modelId": "any.model", **request})
    except KeyError as unknown:
        pytest.skip(f"this botocore does not know {unknown}")


@pytest.mark.parametrize(("rule", "request_"), BROKEN, ids=[f"rule {rule}" for rule, _ in BROKEN])
def test_a_broken_rule_is_refused_in_the_servers_words(
    bedrock: tuple[FakeBedrock, Any], rule: int, request_: Message
) -> None:
    fake, client = bedrock
    with pytest.raises(ClientError) as caught:
        converse(client, request_)
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert fake.refusals[-1].rule == rule
    explained = explain_provider_error(error["Message"])
    assert explained is not None
    assert explained.number == rule


def test_rule_29_tools_in_a_stream(bedrock: tuple[FakeBedrock, Any]) -> None:
    fake, client = bedrock
    assert converse(client, asking(modelId=LLAMA))["stopReason"] == "end_turn"
    with pytest.raises(ClientError, match="tool use in streaming mode"):
        client.converse_stream(modelId=LLAMA, **asking())
    assert fake.refusals[-1].rule == 29


@pytest.mark.parametrize("model", ["any.model", CLAUDE, NOVA])
def test_a_sound_request_is_answered(bedrock: tuple[FakeBedrock, Any], model: str) -> None:
    _, client = bedrock
    for request_ in (history(*SOUND), asking(), {"messages": [ASK]}, history(user(PAPER, text("Read.")))):
        assert converse(client, {"modelId": model, **request_})["stopReason"] == "end_turn"


def test_nothing_is_refused_where_nobody_asks_for_it() -> None:
    with FakeBedrock(Reply([text("Hi")]), enforce=False) as fake:
        client = boto3.client("bedrock-runtime", config=Config(proxies={}), **fake.client_options)
        assert converse(client, history(ASK, ASK))["stopReason"] == "end_turn"
