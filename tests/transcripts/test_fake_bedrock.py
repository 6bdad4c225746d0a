"""`FakeBedrock` driven by the real boto3: the six scenarios, odd streams, and the rules of docs/providers/rules.md."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, EventStreamError
from helpers.histories import assistant, paper, result, use, user
from helpers.history_cases import ROWS
from helpers.support import EXAMPLES, for_each, python

from toolgen_transcripts import explain_provider_error
from toolgen_transcripts.bedrock.stream import StreamAssembler
from toolgen_transcripts.streams.result import Completed
from toolgen_transcripts.testing import (
    FakeBedrock,
    HttpError,
    Reply,
    Request,
    call,
    reasoning,
    stream_events,
    text,
)

Message = dict[str, Any]

pytestmark = pytest.mark.usefixtures("own_servers")
SPEC = {
    "name": "weather",
    "inputSchema": {"json": {"type": "object", "properties": {"city": {"type": "string"}}}},
}
TOOLS = {"tools": [{"toolSpec": SPEC}]}
ASK: list[Message] = [{"role": "user", "content": [{"text": "How is the weather?"}]}]
PARIS = call("t1", "weather", {"city": "Paris"})


Start = Callable[..., tuple[FakeBedrock, Any]]


@pytest.fixture(scope="module")
def session() -> Any:
    return boto3.session.Session()


@pytest.fixture
def start(session: Any) -> Iterator[Start]:
    """Starts a `FakeBedrock` with these answers and gives it, and a boto3 client of it."""
    running: list[FakeBedrock] = []

    def make(*answers: Any, **options: Any) -> tuple[FakeBedrock, Any]:
        bedrock = FakeBedrock(*answers, **options).__enter__()
        running.append(bedrock)
        config = Config(proxies={}, retries={"max_attempts": 1}, read_timeout=10)
        return bedrock, session.client("bedrock-runtime", config=config, **bedrock.client_options)

    yield make
    for bedrock in running:
        bedrock.__exit__(None, None, None)


def converse(client: Any, messages: list[Message] = ASK, **more: Any) -> Message:
    return client.converse(**({"modelId": "any.model", "messages": messages, "toolConfig": TOOLS} | more))


def stream(client: Any, messages: list[Message] = ASK, **more: Any) -> Completed:
    request = {"modelId": "any.model", "messages": messages, "toolConfig": TOOLS} | more
    assembler = StreamAssembler()
    for _ in assembler.read(client.converse_stream(**request)["stream"]):
        pass
    return assembler.finish()


SCENARIOS = {
    "text only": [text("It rains. Ünïcödé 🌧")],
    "one call": [text("Let me look."), PARIS],
    "three parallel calls": [PARIS, call("t2", "weather", {"city": "Rome"}), call("t3", "weather", {})],
    "text and calls interleaved": [text("First"), PARIS, text("then"), call("t2", "weather", {}), text("so")],
    "thinking with tools": [reasoning("The user asks.", "c2ln"), text("So:"), PARIS],
}


@pytest.mark.parametrize("interleave", [False, True])
@pytest.mark.parametrize("content", SCENARIOS.values(), ids=SCENARIOS)
def test_the_stream_says_what_the_response_says(start: Start, content: list[Any], interleave: bool) -> None:
    _, client = start(Reply(content), Reply(content, interleave=interleave))
    known = client.meta.service_model.shape_for("ContentBlock").members
    if unknown := {kind for block in content for kind in block} - set(known):
        pytest.skip(f"this botocore does not know {unknown}; 1.37.0 is the first that does")
    response = converse(client)
    assert response["output"]["message"] == {"role": "assistant", "content": content}
    done = stream(client)
    assert done.stop_reason == response["stopReason"]
    assert not done.truncated
    uses = [block["toolUse"] for block in content if "toolUse" in block]
    assert [(c.id, c.name, c.input) for c in done.ready_calls] == [
        (use["toolUseId"], use["name"], use["input"]) for use in uses
    ]
    assert done.text == "".join(block.get("text", "") for block in content)
    assert len(done.blocks) == len(content)


def test_the_result_round_trip(start: Start) -> None:
    def answer(request: Request) -> Reply:
        result = request.body["messages"][-1]["content"][0]["toolResult"]
        return Reply([text(f"It is {result['content'][0]['json']['sky']}.")])

    bedrock, client = start(Reply([PARIS]), answer)
    made = stream(client).ready_calls[0]
    history = [
        *ASK,
        {"role": "assistant", "content": [call(str(made.id), str(made.name), made.input)]},
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": made.id, "content": [{"json": {"sky": "grey"}}]}}],
        },
    ]
    assert stream(client, history).text == "It is grey."
    assert [(request.model, request.stream) for request in bedrock.requests] == [("any.model", True)] * 2


def test_a_model_id_with_slashes_and_colons_arrives_whole(start: Start) -> None:
    arn = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.any.model-v1:0"
    bedrock, client = start(Reply([text("Hi")]))
    converse(client, modelId=arn)
    assert bedrock.requests[0].model == arn


def test_an_http_error_is_the_sdks_own(start: Start) -> None:
    _, client = start(HttpError(403, "AccessDeniedException", "You don't have access."))
    with pytest.raises(ClientError) as caught:
        converse(client)
    assert caught.value.response["Error"] == {
        "Code": "AccessDeniedException",
        "Message": "You don't have access.",
    }


def test_a_script_that_is_used_up_says_so(start: Start) -> None:
    _, client = start()
    with pytest.raises(ClientError, match="no reply is left"):
        converse(client)


@for_each(
    [lambda request: Reply(request.body["missing"]), Reply([{"hologram": {}}]), Reply([PARIS], spoilt=99)]
)
def test_a_script_that_breaks_says_so(answer: Any, *, start: Start) -> None:
    _, client = start(answer)
    with pytest.raises(ClientError, match="the scripted reply cannot be sent"):
        client.converse_stream(modelId="any.model", messages=ASK)


def test_nan_is_refused(start: Start) -> None:
    """botocore writes it into the request as it is; no JSON reader takes it."""
    _, client = start(Reply([text("Hi")]), enforce=False)
    history = [*ASK, {"role": "assistant", "content": [call("t1", "weather", {"x": float("nan")})]}]
    with pytest.raises(ClientError, match="NaN is not JSON"):
        converse(client, history)


# What boto3 hands back on odd streams, and what becomes of the call in it.

EVENTS = stream_events([PARIS], "tool_use")
START: Message = {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t1", "name": "weather"}}}}
THROTTLED: Message = {"throttlingException": {"message": "Too many tokens"}}
ODD = {
    "unknown event": (Reply(events=[*EVENTS[:2], {"newThing": {"x": 1}}, *EVENTS[2:]]), "ready"),
    "unknown stop reason": (Reply([PARIS], "newly_invented"), "the model stopped with newly_invented"),
    "no index": (Reply(events=[EVENTS[0], START, *EVENTS[2:]]), "came without its contentBlockIndex"),
    "no messageStop": (Reply(events=EVENTS[:-2]), "the stream ended without messageStop"),
    "cut inside a frame": (Reply([PARIS], cut=420), "the stream ended without messageStop"),
    "socket cut": (Reply([PARIS], cut=420, reset=True), "the stream broke off with ProtocolError"),
    "bad CRC": (Reply([PARIS], spoilt=3), "the stream broke off with ChecksumMismatch"),
    "exception": (Reply(events=[*EVENTS[:3], THROTTLED]), "with EventStreamError (throttlingException)"),
    "max_tokens": (Reply([call("t1", "weather", '{"city":"Par')], "max_tokens"), "stopped with max_tokens"),
}


@for_each(ODD)
def test_odd_streams(reply: Reply, said: str, *, start: Start) -> None:
    _, client = start(reply)
    done = stream(client)
    if said == "ready":
        assert [made.input for made in done.ready_calls] == [{"city": "Paris"}]
        return
    assert done.truncated
    assert said in done.why
    assert not done.ready_calls
    assert isinstance(done.error, EventStreamError) == ("EventStreamError" in said)


def test_a_response_without_output(start: Start) -> None:
    _, client = start(Reply(body={}))
    assert converse(client).keys() == {"ResponseMetadata"}


def live(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    example = EXAMPLES / "bedrock_live.py"
    pytest.importorskip(
        "toolgen.package.compile", reason="the example builds its tools: pip install 'toolgen[generator]'"
    )
    return python(
        str(example),
        *options,
        check=False,
        env={**os.environ, "AWS_EC2_METADATA_DISABLED": "true", **environment},
    )


def test_the_live_example_against_the_fake() -> None:
    done = live("--fake")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line[:2] for line in done.stdout.splitlines()[1:]] == ["ok"] * 6


def test_the_live_example_without_credentials() -> None:
    done = live(AWS_PROFILE="nobody")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "no AWS credentials" in done.stderr


# -- what it refuses: each rule that a request can break ------------------------------------------------------

THINKING = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}
CLAUDE = "anthropic.claude-3-7-sonnet-20250219-v1:0"
LLAMA = "meta.llama3-1-70b-instruct-v1:0"
CONFIG = {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]}
OF_CLAUDE = (23, 39, 42)
"""What no other model is known to refuse; a model that is not named may be a Claude."""


def request_of(rule: int, messages: list[Message], more: Message) -> Message:
    """Return the request that `check` is told about."""
    tools = more.get("tools", CONFIG)
    beside = {"toolConfig": tools} if tools is not None else {}
    beside |= THINKING if more.get("thinking") else {}
    model = more.get("model", CLAUDE if rule in OF_CLAUDE else "any.model")
    return {"messages": messages, "modelId": model, **beside}


BROKEN = [
    (rule, request_of(rule, messages, more))
    for rule, _, _, more, messages in ROWS["bedrock"]
    if not more.get("streaming") and messages[0]["content"] is not None  # boto3 leaves null out
]
ASKED = {"messages": ASK, "toolConfig": CONFIG}
SOUND = {"messages": [*ASK, assistant(use()), user(result())], "toolConfig": CONFIG}


@pytest.fixture(scope="module")
def bedrock() -> Iterator[tuple[FakeBedrock, Any]]:
    """botocore's own checks are off, so that the server sees what botocore would already refuse."""
    with FakeBedrock(otherwise=Reply([text("Hi")])) as fake:
        config = Config(proxies={}, retries={"max_attempts": 1}, parameter_validation=False)
        yield fake, boto3.session.Session().client("bedrock-runtime", config=config, **fake.client_options)


def sent(client: Any, request: Message) -> Any:
    """Send it; the oldest botocores cannot write some members."""
    try:
        return client.converse(**{"modelId": "any.model", **request})
    except KeyError as unknown:
        pytest.skip(f"this botocore does not know {unknown}")


@for_each([pytest.param(*case, id=f"{case[0]}-{i}") for i, case in enumerate(BROKEN)])
def test_a_broken_rule_is_refused_in_the_servers_words(
    rule: int, request_: Message, *, bedrock: tuple[FakeBedrock, Any]
) -> None:
    fake, client = bedrock
    with pytest.raises(ClientError) as caught:
        sent(client, request_)
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert rule in [violation.rule for violation in fake.requests[-1].violations()]
    assert error["Message"] == fake.refusals[-1].message
    explained = explain_provider_error(error["Message"])
    assert explained.number == fake.refusals[-1].rule


def test_rule_29_tools_in_a_stream(bedrock: tuple[FakeBedrock, Any]) -> None:
    fake, client = bedrock
    assert sent(client, {**ASKED, "modelId": LLAMA})["stopReason"] == "end_turn"
    with pytest.raises(ClientError, match="tool use in streaming mode"):
        client.converse_stream(modelId=LLAMA, **ASKED)
    assert fake.refusals[-1].rule == 29


@for_each(["any.model", CLAUDE, "amazon.nova-pro-v1:0"])
def test_a_sound_request_is_answered(model: str, *, bedrock: tuple[FakeBedrock, Any]) -> None:
    _, client = bedrock
    for request_ in (SOUND, ASKED, {"messages": ASK}, {"messages": [user(paper("d"), "Read.")]}):
        assert sent(client, {"modelId": model, **request_})["stopReason"] == "end_turn"


def test_nothing_is_refused_where_nobody_asks_for_it() -> None:
    with FakeBedrock(Reply([text("Hi")]), enforce=False) as fake:
        client = boto3.client("bedrock-runtime", config=Config(proxies={}), **fake.client_options)
        assert sent(client, {"messages": [*ASK, *ASK]})["stopReason"] == "end_turn"
