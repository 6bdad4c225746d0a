"""`FakeBedrock` driven by the real boto3: the six scenarios, what it refuses, and every odd stream."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support import EXAMPLES, python

from toolgen_runtime.providers.bedrock.stream import StreamAssembler
from toolgen_runtime.providers.shared.stream_result import Completed
from toolgen_runtime.testing import (
    FakeBedrock,
    HttpError,
    Reply,
    Request,
    call,
    reasoning,
    stream_events,
    text,
)

boto3 = pytest.importorskip("boto3", reason="boto3 is not installed: pip install 'toolgen[dev]'")
from botocore.config import Config  # noqa: E402
from botocore.eventstream import EventStreamBuffer  # noqa: E402
from botocore.exceptions import ClientError, EventStreamError  # noqa: E402

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
    with pytest.raises(ClientError, match="no answer is left"):
        converse(client)


@pytest.mark.parametrize(
    "answer",
    [lambda request: Reply(request.body["missing"]), Reply([{"hologram": {}}]), Reply([PARIS], spoilt=99)],
)
def test_a_script_that_breaks_says_so(start: Start, answer: Any) -> None:
    _, client = start(answer)
    with pytest.raises(ClientError, match="the scripted answer cannot be sent"):
        client.converse_stream(modelId="any.model", messages=ASK)


def test_nan_is_refused(start: Start) -> None:
    """botocore writes it into the request as it is; no JSON reader takes it."""
    _, client = start(Reply([text("Hi")]), enforce=False)
    history = [*ASK, {"role": "assistant", "content": [call("t1", "weather", {"x": float("nan")})]}]
    with pytest.raises(ClientError, match="NaN is not JSON"):
        converse(client, history)


# What boto3 hands back on odd streams (the table of that name), and what becomes of the call in it.

EVENTS = stream_events([PARIS], "tool_use")
START: Message = {"contentBlockStart": {"start": {"toolUse": {"toolUseId": "t1", "name": "weather"}}}}


def _with(at: int, event: Message | None) -> list[Message]:
    return [*EVENTS[:at], *([event] if event else []), *EVENTS[at + 1 :]]


def _at(event: Message, index: int = 0) -> Message:
    ((name, body),) = event.items()
    return {name: body | {"contentBlockIndex": index}}


ODD = [
    # what is sent, the reply, whether the message is truncated, what the call or the message says
    ("unknown event", Reply(events=[*EVENTS[:2], {"newThing": {"x": 1}}, *EVENTS[2:]]), False, "ready"),
    (
        "unknown union member",
        Reply(events=_with(2, _at({"contentBlockDelta": {"delta": {"hologram": {"x": 1}}}}))),
        False,
        "a fragment of it cannot be read",
    ),
    ("unknown stop reason", Reply([PARIS], "newly_invented"), True, "the model stopped with newly_invented"),
    (
        "missing id",
        Reply(events=_with(1, _at({"contentBlockStart": {"start": {"toolUse": {"name": "weather"}}}}))),
        False,
        "toolUseId: absent",
    ),
    (
        "missing index",
        Reply(events=_with(1, START)),
        True,
        "contentBlockStart came without its contentBlockIndex",
    ),
    (
        "missing input",
        Reply(events=_with(2, _at({"contentBlockDelta": {"delta": {"toolUse": {"input": None}}}}))),
        False,
        "a fragment of its arguments is missing",
    ),
    (
        "clean end without messageStop",
        Reply(events=EVENTS[:-2]),
        True,
        "the stream ended without messageStop",
    ),
    ("cut inside a frame", Reply([PARIS], cut=420), True, "the stream ended without messageStop"),
    ("socket cut", Reply([PARIS], cut=420, reset=True), True, "the stream broke off with ProtocolError"),
    ("bad CRC", Reply([PARIS], spoilt=3), True, "the stream broke off with ChecksumMismatch"),
    (
        "exception in the stream",
        Reply(events=[*EVENTS[:3], {"throttlingException": {"message": "Too many tokens"}}]),
        True,
        "the stream broke off with EventStreamError (throttlingException)",
    ),
    (
        "max_tokens",
        Reply([call("t1", "weather", '{"city":"Par')], "max_tokens"),
        True,
        "stopped with max_tokens",
    ),
]


@pytest.mark.parametrize(
    ("reply", "truncated", "said"), [row[1:] for row in ODD], ids=[row[0] for row in ODD]
)
def test_odd_streams(start: Start, reply: Reply, truncated: bool, said: str) -> None:
    _, client = start(reply)
    done = stream(client)
    assert done.truncated == truncated
    if said == "ready":
        assert [made.input for made in done.ready_calls] == [{"city": "Paris"}]
        return
    reasons = [done.why, *(p for made in done.calls for p in made.problems)]
    reasons += [str(issue.expected) for made in done.calls for issue in made.issues]
    assert any(said in reason for reason in reasons), reasons
    assert not done.ready_calls


def test_what_the_stream_raised_is_kept(start: Start) -> None:
    _, client = start(Reply(events=[*EVENTS[:3], {"modelStreamErrorException": {"message": "x"}}]))
    assert isinstance(stream(client).error, EventStreamError)


def test_a_response_without_output(start: Start) -> None:
    _, client = start(Reply(body={}))
    response = converse(client)
    del response["ResponseMetadata"]
    assert response == {}


def test_the_frames_cut_at_any_byte_as_botocore_reads_them() -> None:
    """botocore's own decoder on every prefix of a recorded stream: no call is ready before messageStop."""
    content = [text("Let me look."), PARIS, call("t2", "weather", {"city": "Rome"})]
    wire = Reply(content).stream()
    before_stop = len(Reply(events=stream_events(content, "tool_use")[:-1]).stream())
    for length in (*range(0, len(wire), 5), *range(before_stop - 5, before_stop + 5), len(wire)):
        buffer, assembler = EventStreamBuffer(), StreamAssembler()
        buffer.add_data(wire[:length])
        for message in buffer:
            assembler.feed({message.headers[":event-type"]: json.loads(message.payload)})
        done = assembler.finish()
        assert len(done.ready_calls) == (2 if length >= before_stop else 0), length
        assert done.truncated == (length < before_stop), length


def live(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    example = EXAMPLES / "bedrock_live.py"
    pytest.importorskip(
        "toolgen.compile", reason="the example builds its tools: pip install 'toolgen[generator]'"
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
