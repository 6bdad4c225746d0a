"""What `FakeBedrock` refuses: the rules of docs/providers/rules.md that a request can break, through the real boto3."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from histories import assistant, paper, result, use, user
from test_history_rules import ROWS

from toolgen_runtime.testing import FakeBedrock, Reply, text
from toolgen_runtime.transcript import explain_provider_error

boto3 = pytest.importorskip("boto3", reason="boto3 is not installed: pip install 'toolgen[dev]'")
from botocore.config import Config  # noqa: E402
from botocore.exceptions import ClientError  # noqa: E402

pytestmark = pytest.mark.usefixtures("own_servers")

Message = dict[str, Any]
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
ASK = [user("Weather?")]
ASKED = {"messages": ASK, "toolConfig": CONFIG}
SOUND = {"messages": [*ASK, assistant(use()), user(result())], "toolConfig": CONFIG}


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


@pytest.mark.parametrize(
    ("rule", "request_"), [pytest.param(*case, id=f"{case[0]}-{i}") for i, case in enumerate(BROKEN)]
)
def test_a_broken_rule_is_refused_in_the_servers_words(
    bedrock: tuple[FakeBedrock, Any], rule: int, request_: Message
) -> None:
    fake, client = bedrock
    with pytest.raises(ClientError) as caught:
        converse(client, request_)
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert rule in [violation.rule for violation in fake.requests[-1].violations()]
    assert error["Message"] == fake.refusals[-1].message
    explained = explain_provider_error(error["Message"])
    assert explained is not None
    assert explained.number == fake.refusals[-1].rule


def test_rule_29_tools_in_a_stream(bedrock: tuple[FakeBedrock, Any]) -> None:
    fake, client = bedrock
    assert converse(client, {**ASKED, "modelId": LLAMA})["stopReason"] == "end_turn"
    with pytest.raises(ClientError, match="tool use in streaming mode"):
        client.converse_stream(modelId=LLAMA, **ASKED)
    assert fake.refusals[-1].rule == 29


@pytest.mark.parametrize("model", ["any.model", CLAUDE, "amazon.nova-pro-v1:0"])
def test_a_sound_request_is_answered(bedrock: tuple[FakeBedrock, Any], model: str) -> None:
    _, client = bedrock
    for request_ in (SOUND, ASKED, {"messages": ASK}, {"messages": [user(paper("d"), "Read.")]}):
        assert converse(client, {"modelId": model, **request_})["stopReason"] == "end_turn"


def test_nothing_is_refused_where_nobody_asks_for_it() -> None:
    with FakeBedrock(Reply([text("Hi")]), enforce=False) as fake:
        client = boto3.client("bedrock-runtime", config=Config(proxies={}), **fake.client_options)
        assert converse(client, {"messages": [*ASK, *ASK]})["stopReason"] == "end_turn"
