"""LiteLLM: `completion`, its messages in OpenAI's shape."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import harness
import litellm
from api_cases import CHAT, CLAUDE, GEMINI, RESPONSES, Request
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn, items_of

litellm.suppress_debug_info = True


def messages(turn: Turn, api: str = "") -> list[dict[str, Any]]:
    match turn:
        case Message(role, words, (), False):
            return [{"role": role, "content": words}]
        case Message(role, words, documents, cached):
            mark = {"cache_control": {"type": "ephemeral"}} if cached else {}
            said: list[dict[str, Any]] = [{"type": "text", "text": words, **mark}] if words else []
            data = "data:application/pdf;base64," + b64encode(PDF).decode()
            said += [{"type": "file", "file": {"file_data": data, "filename": name}} for name in documents]
            return [{"role": role, "content": said}]
        case Results(results):
            return [{"role": "tool", "tool_call_id": r.id, "content": r.text} for r in results]
        case Calls(calls, words, signed):
            block = {"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE}
            blocks = {} if api == CHAT else {"thinking_blocks": [block]}
            thought = {**blocks, "reasoning_content": THOUGHT} if signed else {}
            mark = {"provider_specific_fields": {"thought_signature": SIGNATURE}}
            made = [
                {
                    **(mark if signed and api == GEMINI else {}),
                    "id": call.id,
                    "type": "function",
                    "function": {
                        "name": call.name,
                        "arguments": call.input if isinstance(call.input, str) else json.dumps(call.input),
                    },
                }
                for call in calls
            ]
            return [{"role": "assistant", "content": words, "tool_calls": made, **thought}]


def functions(tools: Any, **more: Any) -> list[dict[str, Any]]:
    return [
        {
            "type": "function",
            "function": {
                "name": t["name"],
                "description": t["description"],
                "parameters": t["schema"],
                **more,
            },
        }
        for t in tools
    ]


def completion(
    url: str, history: list[dict[str, Any]], tools: Any, model: str = harness.MODEL, **more: Any
) -> Any:
    return litellm.completion(
        model=f"bedrock/converse/{model}",
        messages=history,
        tools=functions(tools) or None,
        aws_bedrock_runtime_endpoint=url,
        num_retries=0,
        **more,
    )


def send(url: str, history: History) -> None:
    if history.items:
        litellm.responses(
            model=f"bedrock/converse/{harness.MODEL}",
            input=list(history.items),
            tools=list(history.item_tools),
            aws_bedrock_runtime_endpoint=url,
            num_retries=0,
        )
        return
    more = {}
    if history.thinking:
        more = {"thinking": {"type": "enabled", "budget_tokens": history.thinking}, "max_tokens": 4000}
    said = [message for turn in history.turns for message in messages(turn)]
    completion(url, said, history.tools, harness.model_of(history), **more)


def receive(url: str) -> list[harness.Seen]:
    chunks = list(completion(url, [{"role": "user", "content": "?"}], [WEATHER], stream=True))
    (choice,) = litellm.stream_chunk_builder(chunks).choices
    calls = [
        {"id": call.id, "name": call.function.name, "input": call.function.arguments}
        for call in choice.message.tool_calls or []
    ]
    return [*calls, {"stop": choice.finish_reason}]


SERVERS = {"deepseek": "deepseek", "kimi": "moonshot"}


def request(url: str, case: Request) -> None:
    common: dict[str, Any] = {"api_key": "fake", "num_retries": 0, "max_retries": 0}
    if case.api == RESPONSES:
        tools = [{"type": "function", **function["function"]} for function in functions(case.tools)]
        items: Any = list(case.items or items_of(case.turns))
        litellm.responses(model=f"openai/{case.model_id}", input=items, tools=tools, api_base=url, **common)
        return
    server = SERVERS.get(case.model_id.partition("-")[0], "openai") if case.api == CHAT else case.api
    if case.thinking:
        common |= {"thinking": {"type": "enabled", "budget_tokens": case.thinking}, "max_tokens": 4000}
    litellm.completion(
        model=f"{server}/{case.model_id}",
        messages=[message for turn in case.turns for message in messages(turn, case.api)],
        tools=functions(case.tools, **({"strict": True} if case.strict else {})),
        api_base=f"{url}/v1/messages" if case.api == CLAUDE else url,
        **common,
    )


harness.run(("litellm",), send, receive, request)
