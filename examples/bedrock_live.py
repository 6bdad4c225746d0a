"""Six conversations with tools through Bedrock Converse, streamed and not, with AWS or with `FakeBedrock`.

    python examples/bedrock_live.py --fake
    AWS_PROFILE=me BEDROCK_REGION=eu-west-1 BEDROCK_CROSS_REGION=eu python examples/bedrock_live.py

Needs boto3, which finds the credentials: AWS_PROFILE, keys in the environment, or its default chain.

    BEDROCK_REGION        the region; default: AWS_REGION, AWS_DEFAULT_REGION, the profile's, or us-east-1
    BEDROCK_MODEL         the model's id; default: a Claude model with extended thinking
    BEDROCK_CROSS_REGION  the prefix of a cross-region inference profile: us, eu, apac, global

If a model does not do what the prompt asks, this is only reported. An error (a refused request, a call that cannot
be read, a stream whose events contradict its result) fails the scenario after two retries, and every event of the
last try is printed. Exits with 0 if all scenarios passed, otherwise with 1.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from toolgen import compile_tools
from toolgen_runtime import Registry
from toolgen_transcripts import Json, Text, ToolResult, Transcript, Turn, bedrock
from toolgen_transcripts.streams.result import Completed
from toolgen_transcripts.testing import FakeBedrock, Reply, Request, call, reasoning, text

DEFAULT_MODEL = "anthropic.claude-sonnet-4-5-20250929-v1:0"
RETRIES = 2

TOOLSET = compile_tools(
    [
        {
            "name": "get_weather",
            "description": "The weather in one city, now.",
            "schema": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "minLength": 1},
                    "units": {"type": "string", "enum": ["metric", "imperial"]},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        }
    ]
)
REGISTRY = Registry()
REGISTRY.register(TOOLSET)


def get_weather(payload: dict[str, Any]) -> dict[str, Any]:
    """Return the weather of a city; the handler of the tool."""
    return {"city": payload["city"], "sky": "overcast", "degrees": 14}


class BrokenError(Exception):
    """A bug, as opposed to a choice of the model."""


@dataclass(frozen=True)
class Scenario:
    """A prompt, the answer of the fake, and the expected behaviour of a model.

    `calls` is the expected number of calls. With `then`, the fake's second answer, the results are sent back.
    """

    name: str
    prompt: str
    content: list[Any]
    calls: int = 0
    then: str = ""
    thinking: bool = False
    expect: Callable[[Completed], Iterator[str]] = lambda _: iter(())


def _weather(id: str, city: str) -> Any:
    return call(id, "get_weather", {"city": city})


def _expect_text(done: Completed) -> Iterator[str]:
    if not done.text:
        yield "the model wrote no text before its call"


def _expect_reasoning(done: Completed) -> Iterator[str]:
    if not any(block.signature for block in done.reasoning):
        yield "the model showed no signed reasoning"


SCENARIOS = [
    Scenario("text only", "Say hello in one short sentence. Use no tool.", [text("Hello there.")]),
    Scenario(
        "one call",
        "What is the weather in Paris? Use the tool.",
        [_weather("tooluse_1", "Paris")],
        calls=1,
    ),
    Scenario(
        "three parallel calls",
        "Get the weather in Paris, Rome and Oslo: three tool calls, all at once.",
        [_weather("tooluse_1", "Paris"), _weather("tooluse_2", "Rome"), _weather("tooluse_3", "Oslo")],
        calls=3,
    ),
    Scenario(
        "the result round trip",
        "What is the weather in Paris? Use the tool, then tell me in one sentence.",
        [_weather("tooluse_1", "Paris")],
        calls=1,
        then="It is overcast in Paris, at 14 degrees.",
    ),
    Scenario(
        "text and calls interleaved",
        "First say in one sentence what you are about to do, then get the weather in Paris.",
        [text("I am going to look up the weather in Paris."), _weather("tooluse_1", "Paris")],
        calls=1,
        expect=_expect_text,
    ),
    Scenario(
        "thinking with tools",
        "Think about which city has the Louvre, then get its weather and tell me in one sentence.",
        [reasoning("The Louvre is in Paris.", "c2lnbmF0dXJl"), _weather("tooluse_1", "Paris")],
        calls=1,
        then="It is overcast in Paris, at 14 degrees.",
        thinking=True,
        expect=_expect_reasoning,
    ),
]


@dataclass
class Run:
    """One try of a scenario: the client, the events received, and remarks on the model's choices."""

    client: Any
    model: str
    scenario: Scenario
    chunks: list[Any] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def execute(self) -> None:
        """Ask without and with a stream, check both answers, and send the results back if the scenario goes on.

        Raises:
            BrokenError: an answer is wrong.
        """
        history = Transcript((Turn("user", (Text(self.scenario.prompt),)),))
        response = self.client.converse(**self._request(history))
        self._check_count("converse", len(bedrock.parse_tool_uses(response)))
        done = self._stream(history)
        self._check_count("converse_stream", len(done.calls))
        self.remarks += self.scenario.expect(done)
        if self.scenario.then and done.ready_calls:
            answered = Transcript((*history.turns, done.turn(), self._results(done)))
            if not self._stream(answered).text:
                self.remarks.append("the model wrote nothing about the result")

    def _request(self, history: Transcript) -> dict[str, Any]:
        encoded = bedrock.encode_messages(history)
        request = {
            "modelId": self.model,
            "messages": encoded.messages,
            "toolConfig": bedrock.encode_tools(TOOLSET, thinking=self.scenario.thinking),
            "inferenceConfig": {"maxTokens": 4000},
        }
        if self.scenario.thinking:
            budget = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
            request["additionalModelRequestFields"] = budget
        return request

    def _stream(self, history: Transcript) -> Completed:
        assembler = bedrock.StreamAssembler()
        events = self.client.converse_stream(**self._request(history))["stream"]
        deltas = list(assembler.read(self._recorded(events)))
        done = assembler.finish()
        if done.truncated and done.stop_reason == "max_tokens":
            self.remarks.append("the model ran into its token limit")
        elif done.truncated:
            raise BrokenError(done.why)
        self._check(done, "".join(delta.text for delta in deltas if delta.kind == "text"))
        return done

    def _recorded(self, events: Iterable[Any]) -> Iterator[Any]:
        for event in events:
            self.chunks.append(event)
            yield event

    def _check(self, done: Completed, shown: str) -> None:
        if shown != done.text:
            raise BrokenError("the deltas do not add up to the text")
        for made in done.calls:
            if not (made.ready or done.truncated):
                raise BrokenError(f"call {made.id}: {'; '.join(made.problems) or made.issues}")
            tool = REGISTRY.find(made.name or "")
            issues = tool.validate(made.input) if tool and made.ready else []
            if issues:
                self.remarks.append(f"the model's arguments break the schema: {issues}")

    def _check_count(self, how: str, calls: int) -> None:
        if calls != self.scenario.calls:
            self.remarks.append(f"{how}: the model made {calls} calls, {self.scenario.calls} were asked for")

    def _results(self, done: Completed) -> Turn:
        results = []
        for made in done.calls:
            output = REGISTRY.call(made.name or "", made.input, get_weather, call_id=made.id)
            if output.executed and not output.ok:
                raise BrokenError(f"{made.name} failed: {output.error}")
            content = Json(output.result) if output.ok else Text(output.text())
            results.append(ToolResult(made.id, (content,), is_error=not output.ok, name=made.name))
        return Turn("tool", tuple(results))


def run_scenario(client: Any, model: str, scenario: Scenario) -> bool:
    """Try a scenario up to three times and print the outcome; return whether it passed."""
    tries = [Run(client, model, scenario) for _ in range(1 + RETRIES)]
    for number, run in enumerate(tries, 1):
        try:
            run.execute()
        except Exception as error:
            print(f"  try {number}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        print(f"ok      {scenario.name}")
        for remark in run.remarks:
            print(f"        note: {remark}")
        return True
    print(f"FAILED  {scenario.name}")
    for chunk in tries[-1].chunks:
        print(f"        {chunk}", file=sys.stderr)
    return False


def fake_answer(request: Request) -> Reply:
    """Return the fake's answer: the prompt identifies the scenario, the last message its progress."""
    messages = request.body["messages"]
    prompt = messages[0]["content"][0]["text"]
    scenario = next(scenario for scenario in SCENARIOS if scenario.prompt == prompt)
    answered = "toolResult" in messages[-1]["content"][0]
    return Reply([text(scenario.then)] if answered else scenario.content)


def live_client(boto3: Any) -> Any:
    """Return a client with boto3's credentials; print a line and return None if it finds none."""
    from botocore.exceptions import BotoCoreError

    environment, problem = os.environ, "boto3 finds none"
    try:
        session = boto3.session.Session(profile_name=environment.get("AWS_PROFILE"))
        if session.get_credentials() is not None or "AWS_BEARER_TOKEN_BEDROCK" in environment:
            region = environment.get("BEDROCK_REGION") or environment.get("AWS_REGION") or session.region_name
            return session.client("bedrock-runtime", region_name=region or "us-east-1")
    except BotoCoreError as error:
        problem = str(error)
    print(
        f"no AWS credentials ({problem}): set AWS_PROFILE or AWS_ACCESS_KEY_ID and"
        " AWS_SECRET_ACCESS_KEY, or try --fake",
        file=sys.stderr,
    )
    return None


def main() -> int:
    """Run every scenario; return 0 if all passed, otherwise 1."""
    parser = argparse.ArgumentParser(description="Six conversations with tools over Bedrock Converse.")
    parser.add_argument("--fake", action="store_true", help="talk to FakeBedrock instead of AWS")
    fake = parser.parse_args().fake
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        print("boto3 is not installed: pip install boto3", file=sys.stderr)
        return 1
    prefix = os.environ.get("BEDROCK_CROSS_REGION")
    model = os.environ.get("BEDROCK_MODEL") or DEFAULT_MODEL
    if prefix:
        model = f"{prefix}.{model}"
    with ExitStack() as stack:
        if fake:
            os.environ.pop("AWS_BEARER_TOKEN_BEDROCK", None)
            server = stack.enter_context(FakeBedrock(otherwise=fake_answer))
            config = Config(proxies={}, retries={"total_max_attempts": 1})
            client = boto3.client("bedrock-runtime", config=config, **server.client_options)
        else:
            client = live_client(boto3)
        if client is None:
            return 1
        print(f"model {model}")
        # A list, not a generator, so that every scenario runs.
        passed = [run_scenario(client, model, scenario) for scenario in SCENARIOS]
        return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
