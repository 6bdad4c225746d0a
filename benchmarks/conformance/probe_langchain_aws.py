"""LangChain: `ChatBedrockConverse`, and the chat models of the other APIs."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import harness
from api_cases import RESPONSES, Request
from cases import PDF, SIGNATURE, THOUGHT, WEATHER, Calls, History, Message, Results, Turn
from langchain_anthropic import ChatAnthropic
from langchain_aws import ChatBedrockConverse
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_deepseek import ChatDeepSeek
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI


def thought_of(api: str, ids: list[str]) -> tuple[list[Any], dict[str, Any]]:
    """Return the content blocks, and the separate fields, for thinking before calls."""
    match api:
        case "openai":
            return [], {"reasoning_content": THOUGHT}
        case "openai_responses":
            summary = [{"type": "summary_text", "text": THOUGHT}]
            return [
                {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": SIGNATURE}
            ], {}
        case "anthropic":
            return [{"type": "thinking", "thinking": THOUGHT, "signature": SIGNATURE}], {}
        case "gemini":
            return [], {"__gemini_function_call_thought_signatures__": dict.fromkeys(ids, SIGNATURE)}
    inner = {"text": THOUGHT, "signature": SIGNATURE}
    return [{"type": "reasoning_content", "reasoning_content": inner}], {}


def messages(turn: Turn, api: str = "") -> list[BaseMessage]:
    match turn:
        case Message("user", words, (), False):
            return [HumanMessage(words)]
        case Message("user", words, documents, cached):
            said: list[Any] = [{"type": "text", "text": words}] if words else []
            data = b64encode(PDF).decode()
            file = {"type": "file", "mime_type": "application/pdf", "base64": data}
            said += [{**file, "extras": {"name": name}} for name in documents]
            return [HumanMessage([*said, *([{"cachePoint": {"type": "default"}}] if cached else [])])]
        case Message(_, words):
            return [AIMessage(words)]
        case Results(results):
            return [
                ToolMessage(r.text, tool_call_id=r.id, status="error" if r.error else "success")
                for r in results
            ]
        case Calls(calls, words, signed):
            thought, beside = thought_of(api, [call.id for call in calls]) if signed else ([], {})
            sound = [c for c in calls if not isinstance(c.input, str)]
            made = [{"name": c.name, "args": c.input, "id": c.id, "type": "tool_call"} for c in sound]
            broken = [
                {"name": c.name, "args": c.input, "id": c.id, "error": None, "type": "invalid_tool_call"}
                for c in calls
                if isinstance(c.input, str)
            ]
            spoken: Any = thought or words or ""
            more = {"additional_kwargs": beside}
            return [AIMessage(spoken, tool_calls=made, invalid_tool_calls=broken, **more)]


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


def model(url: str, tools: Any, id: str = harness.MODEL, **more: Any) -> Any:
    chat = ChatBedrockConverse(model=id, endpoint_url=url, region_name="us-east-1", **more)
    return chat.bind_tools(functions(tools)) if tools else chat


def send(url: str, history: History) -> None:
    if history.items:
        raise harness.NoFormError
    more = {}
    if history.thinking:
        thinking = {"type": "enabled", "budget_tokens": history.thinking}
        more = {"additional_model_request_fields": {"thinking": thinking}}
    model(url, history.tools, harness.model_of(history), **more).invoke(
        [message for turn in history.turns for message in messages(turn)]
    )


def receive(url: str) -> list[harness.Seen]:
    whole: Any = None
    for chunk in model(url, [WEATHER]).stream([HumanMessage("?")]):
        whole = chunk if whole is None else whole + chunk
    calls = [{"id": c["id"], "name": c["name"], "input": c["args"]} for c in whole.tool_calls]
    broken = [{"id": c["id"], "name": c["name"], "input": c["args"]} for c in whole.invalid_tool_calls]
    return [*calls, *broken, {"stop": whole.response_metadata.get("stopReason")}]


def chat_model(url: str, case: Request) -> Any:
    key: Any = "fake"
    match case.api:
        case "openai" if case.model_id.startswith("deepseek"):
            return ChatDeepSeek(model=case.model_id, api_base=url, api_key=key, max_retries=0)
        case "openai" | "openai_responses":
            more = {"use_responses_api": True} if case.api == RESPONSES else {}
            return ChatOpenAI(model=case.model_id, base_url=url, api_key=key, max_retries=0, **more)
        case "anthropic":
            thinking = (
                {"thinking": {"type": "enabled", "budget_tokens": case.thinking}} if case.thinking else {}
            )
            return ChatAnthropic(
                model=case.model_id, base_url=url, api_key=key, max_tokens=4000, max_retries=0, **thinking
            )
    return ChatGoogleGenerativeAI(model=case.model_id, base_url=url, google_api_key=key, max_retries=0)


def written(item: dict[str, Any]) -> BaseMessage:
    """Return the message for an OpenAI item that has no turn in the cases."""
    match item.get("type"):
        case None:
            return HumanMessage(item["content"])
        case "custom_tool_call_output":
            return ToolMessage([item], tool_call_id=item["call_id"])
        case "function_call_output":
            return ToolMessage(item["output"], tool_call_id=item["call_id"])
    return AIMessage([item])


def request(url: str, case: Request) -> None:
    chat = chat_model(url, case)
    strict = {"strict": True} if case.strict else {}
    bound = chat.bind_tools(functions(case.tools, **strict), **strict)
    said = [message for turn in case.turns for message in messages(turn, case.api)]
    bound.invoke(said or [written(item) for item in case.items])


ALSO = ("langchain-openai", "langchain-deepseek", "langchain-anthropic", "langchain-google-genai")
harness.run(("langchain-aws", *ALSO), send, receive, request)
