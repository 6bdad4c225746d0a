"""LiteLLM: `completion`, its messages in OpenAI's shape."""

from __future__ import annotations

import json
import os
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import harness
import litellm
from cases import WEATHER, Calls, History, Message, Results, Turn

litellm.suppress_debug_info = True


def messages(turn: Turn) -> list[dict[str, Any]]:
    match turn:
        case Message(role, words):
            return [{"role": role, "content": words}]
        case Results(results):
            return [{"role": "tool", "tool_call_id": r.id, "content": r.text} for r in results]
        case Calls(calls, words):
            made = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.name,
                        "arguments": call.input if isinstance(call.input, str) else json.dumps(call.input),
                    },
                }
                for call in calls
            ]
            return [{"role": "assistant", "content": words, "tool_calls": made}]


def completion(url: str, history: list[dict[str, Any]], tools: Any, **more: Any) -> Any:
    return litellm.completion(
        model=f"bedrock/converse/{harness.MODEL}",
        messages=history,
        tools=[
            {
                "type": "function",
                "function": {"name": t["name"], "description": t["description"], "parameters": t["schema"]},
            }
            for t in tools
        ]
        or None,
        aws_bedrock_runtime_endpoint=url,
        num_retries=0,
        **more,
    )


def send(url: str, history: History) -> None:
    completion(url, [message for turn in history.turns for message in messages(turn)], history.tools)


def receive(url: str) -> list[harness.Seen]:
    chunks = list(completion(url, [{"role": "user", "content": "?"}], [WEATHER], stream=True))
    (choice,) = litellm.stream_chunk_builder(chunks).choices
    calls = [
        {"id": call.id, "name": call.function.name, "input": call.function.arguments}
        for call in choice.message.tool_calls or []
    ]
    return [*calls, {"stop": choice.finish_reason}]


harness.run("litellm", send, receive)
