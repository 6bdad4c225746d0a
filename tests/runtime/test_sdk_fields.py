"""Every field of the SDKs' own types is kept, or named in a diagnostic: one that a new version adds fails here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from losses import is_named, texts_of
from sdk_samples import Samples, fields_of, of_shape, variants
from support import table

from toolgen_runtime.providers.shared.messages.encoding import Encoded

PROVIDERS = ("anthropic", "bedrock", "gemini", "gemini_interactions", "openai", "openai_responses")
MODULES: dict[str, Any] = {name: import_module(f"toolgen_runtime.providers.{name}") for name in PROVIDERS}


def _sdk(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        return None


def _converse() -> Any:
    session = _sdk("botocore.session")
    return session and session.get_session().get_service_model("bedrock-runtime")


# Each case: the provider, a name, and what makes the native messages with all fields of one type.


def _claude(kind: Any) -> Any:
    def make(samples: Samples) -> list[Any]:
        return [{"role": "assistant", "content": [samples.of(kind)]}]

    return make


def _chat_part(kind: Any) -> Any:
    return lambda samples: [{"role": "user", "content": [samples.of(kind)]}]


def _item(kind: Any) -> Any:
    return lambda samples: [samples.of(kind)]


def _converse_block(name: str, shape: Any) -> Any:
    return lambda samples: [{"role": "user", "content": [{name: of_shape(shape, samples, (name,))}]}]


def _gemini_part(name: str, hint: Any) -> Any:
    def make(samples: Samples) -> list[Any]:
        return [{"role": "user", "parts": [{name: samples.of(hint, (name,))}]}]

    return make


def _step(kind: Any) -> Any:
    def make(samples: Samples) -> list[Any]:
        is_result = kind.__name__ == "FunctionResultStepParam"
        samples.without = frozenset({"name"} if is_result else ())  # which repeats that of its call
        return [samples.of(kind)]

    return make


def messages() -> Iterator[Any]:
    claude = _sdk("anthropic.types.content_block_param")
    for kind in variants(claude.ContentBlockParam) if claude else ():
        yield pytest.param("anthropic", _claude(kind), id=f"anthropic-{kind.__name__}")
    beta = _sdk("anthropic.types.beta.beta_content_block_param")
    for kind in variants(beta.BetaContentBlockParam) if beta else ():
        yield pytest.param("anthropic", _claude(kind), id=f"anthropic-{kind.__name__}")
    chat = _sdk("openai.types.chat")
    if chat:
        for kind in variants(chat.ChatCompletionContentPartParam):
            yield pytest.param("openai", _chat_part(kind), id=f"openai-{kind.__name__}")
        for kind in variants(chat.ChatCompletionMessageParam):
            yield pytest.param("openai", _item(kind), id=f"openai-{kind.__name__}")
    responses = _sdk("openai.types.responses.response_input_item_param")
    for kind in variants(responses.ResponseInputItemParam) if responses else ():
        yield pytest.param("openai_responses", _item(kind), id=f"openai_responses-{kind.__name__}")
    converse = _converse()
    for name, shape in converse.shape_for("ContentBlock").members.items() if converse else ():
        yield pytest.param("bedrock", _converse_block(name, shape), id=f"bedrock-{name}")
    genai = _sdk("google.genai.types")
    for name, hint in fields_of(genai.Part).items() if genai else ():
        yield pytest.param("gemini", _gemini_part(name, hint), id=f"gemini-{name}")
    steps = _sdk("google.genai.interactions")
    for kind in variants(steps.StepParam) if steps else ():
        yield pytest.param("gemini_interactions", _step(kind), id=f"gemini_interactions-{kind.__name__}")


MESSAGES = list(messages())
needs_sdks = pytest.mark.skipif(not MESSAGES, reason="no SDK is installed: pip install 'toolgen[dev]'")


@needs_sdks
@pytest.mark.parametrize(("provider", "make"), MESSAGES)
def test_every_field_of_a_message_is_kept_or_named(provider: str, make: Any) -> None:
    samples = Samples()
    native = make(samples)
    transcript = MODULES[provider].decode_messages(native)
    assert MODULES[provider].encode_messages(transcript).messages == native
    for target in PROVIDERS:
        if target == provider:
            continue
        encoded: Encoded = MODULES[target].encode_messages(transcript)
        said = " ".join((*texts_of(encoded.messages), *texts_of(encoded.system)))
        silent = {
            marker: path
            for marker, path in samples.markers.items()
            if marker not in said and not is_named(native, marker, encoded)
        }
        assert silent == {}, (target, encoded.diagnostics)


def _claude_tool(kind: Any) -> Any:
    return lambda samples: {"tools": [samples.of(kind)]}


def _converse_tool(name: str, shape: Any) -> Any:
    return lambda samples: {"tools": [{name: of_shape(shape, samples)}]}


def _gemini_tool(name: str, hint: Any, without: str) -> Any:
    def make(samples: Samples) -> dict[str, Any]:
        samples.without = frozenset({without, "propertyOrdering"})  # which the order of the properties says
        return {"tools": [{name: samples.of(hint, (name,))}]}

    return make


def tools() -> Iterator[Any]:
    claude = _sdk("anthropic.types.tool_union_param")
    for kind in variants(claude.ToolUnionParam) if claude else ():
        yield pytest.param("anthropic", _claude_tool(kind), id=f"anthropic-{kind.__name__}")
    chat = _sdk("openai.types.chat")
    for kind in variants(chat.ChatCompletionToolUnionParam) if chat else ():
        yield pytest.param("openai", _claude_tool(kind), id=f"openai-{kind.__name__}")
    responses = _sdk("openai.types.responses.tool_param")
    for kind in variants(responses.ToolParam) if responses else ():
        yield pytest.param("openai_responses", _claude_tool(kind), id=f"openai_responses-{kind.__name__}")
    converse = _converse()
    for name, shape in converse.shape_for("Tool").members.items() if converse else ():
        yield pytest.param("bedrock", _converse_tool(name, shape), id=f"bedrock-{name}")
    genai = _sdk("google.genai.types")
    if genai:
        for name, hint in fields_of(genai.Tool).items():
            for other in ("parameters", "parametersJsonSchema"):  # they exclude each other
                case = _gemini_tool(name, hint, other)
                yield pytest.param("gemini", case, id=f"gemini-{name}-without-{other}")
    steps = _sdk("google.genai.interactions")
    for kind in variants(steps.ToolParam) if steps else ():
        yield pytest.param(
            "gemini_interactions", _claude_tool(kind), id=f"gemini_interactions-{kind.__name__}"
        )


@needs_sdks
@pytest.mark.parametrize(("provider", "make"), list(tools()))
def test_every_field_of_a_tool_is_kept_or_named(provider: str, make: Any) -> None:
    samples = Samples()
    block = make(samples)
    read = MODULES[provider].read_tools(block)
    dropped = " ".join(d.message for d in read.diagnostics)
    for target in PROVIDERS:
        lowered = MODULES[target].lower_tools(read.definitions)
        said = " ".join(texts_of(lowered.block))
        told = " ".join(d.message for d in lowered.diagnostics)
        for marker, path in samples.markers.items():
            named = any(key in told or key in dropped for key in path)
            assert marker in said or named or not read.definitions, (target, path, lowered.diagnostics)
    assert read.definitions or read.diagnostics


# ---- stream events ----


def _events(union: Any, kind: str) -> Iterator[Any]:
    for each in variants(union):
        yield pytest.param(kind, each, id=f"{kind}-{each.__name__}")


def events() -> Iterator[Any]:
    claude = _sdk("anthropic.types.raw_message_stream_event")
    if claude:
        yield from _events(claude.RawMessageStreamEvent, "anthropic")
    responses = _sdk("openai.types.responses.response_stream_event")
    if responses:
        yield from _events(responses.ResponseStreamEvent, "openai_responses")
    chat = _sdk("openai.types.chat")
    if chat:
        yield from _events(chat.ChatCompletionChunk, "openai")
    converse = _converse()
    for name, shape in converse.shape_for("ConverseStreamOutput").members.items() if converse else ():
        yield from _converse_events(name, shape)
    genai = _sdk("google.genai.types")
    if genai:
        yield from _events(genai.GenerateContentResponse, "gemini")
    steps = _sdk("google.genai.interactions")
    if steps:
        yield from _step_events(steps)


def _converse_events(name: str, shape: Any) -> Iterator[Any]:
    """An event of Bedrock's; one with a union in it once for each member."""
    union = {"contentBlockStart": "start", "contentBlockDelta": "delta"}.get(name)
    for member in shape.members[union].members if union else ("",):
        yield pytest.param("bedrock", _OfShape(name, shape, union, member), id=f"bedrock-{name}-{member}")


STEPS_OF = {
    "arguments_delta": "function_call",
    "thought_signature": "thought",
    "thought_summary": "thought",
    **dict.fromkeys(("audio", "document", "image", "text", "text_annotation_delta", "video"), "model_output"),
}
"""The steps of Gemini's Interactions that get deltas of another type than their own."""


def _step_events(steps: Any) -> Iterator[Any]:
    """An event of Gemini's Interactions; a start or a delta once for each of its types."""
    for event in variants(steps.InteractionSSEEvent):
        fields = fields_of(event)
        member = next((key for key in ("step", "delta") if key in fields), "")
        for kind in variants(fields[member]) if member else (event,):
            if not kind.__name__.startswith("Unknown"):
                case = _OfStep(event, kind, member) if member else event
                yield pytest.param(
                    "gemini_interactions", case, id=f"interactions-{event.__name__}-{kind.__name__}"
                )


class _OfStep:
    """Makes an event of a step, whose type `kind` is."""

    def __init__(self, event: Any, kind: Any, member: str) -> None:
        self.event, self.kind, self.member = event, kind, member

    def make(self, samples: Samples) -> Any:
        made = samples.of(self.kind, (self.member,))
        return {
            "event_type": f"step.{'start' if self.member == 'step' else 'delta'}",
            "index": 0,
            self.member: made,
        }


class _OfShape:
    """Makes an event of a botocore shape."""

    def __init__(self, name: str, shape: Any, union: str | None, member: str) -> None:
        self.name, self.shape, self.union, self.member = name, shape, union, member

    def make(self, samples: Samples) -> Any:
        event = of_shape(self.shape, samples, (self.name,))
        if self.union:
            inner = self.shape.members[self.union].members[self.member]
            made = of_shape(inner, samples, (self.name, self.union, self.member))
            event[self.union] = {self.member: made}
        return {self.name: event}


REPEATED = ("delta", "text", "arguments", "input", "code", "item_id", "part", "obfuscation", "refusal")
"""Members of progress events that the end of their item says again."""


@needs_sdks
@pytest.mark.parametrize(("provider", "kind"), list(events()))
def test_every_field_of_an_event_is_kept_or_named(provider: str, kind: Any) -> None:
    """What the event says is in the message, beside it, or its kind among what was skipped."""
    samples = Samples()
    event = kind.make(samples) if isinstance(kind, _OfShape | _OfStep) else samples.of(kind)
    assembler = MODULES[provider].StreamAssembler()
    if event.get("event_type") == "step.delta":
        content = [{"type": "text", "text": ""}] if event["delta"]["type"] == "text_annotation_delta" else []
        step = {"type": STEPS_OF.get(event["delta"]["type"], event["delta"]["type"]), "content": content}
        assembler.feed({"event_type": "step.start", "index": 0, "step": step})
    assembler.feed(event)
    if event.get("type") == "content_block_start":
        assembler.feed({"type": "content_block_stop", "index": 0})
    if delta := event.get("contentBlockDelta"):
        assembler.feed({"contentBlockStop": {"contentBlockIndex": delta["contentBlockIndex"]}})
    done = assembler.finish()
    sources = [getattr(block, "source", None) for block in done.blocks]
    said = repr((done, sources, done.error and (str(done.error), getattr(done.error, "message", ""))))
    values = [source and source.value for source in sources] + [
        getattr(b, "value", None) for b in done.blocks
    ]
    said += " ".join(texts_of([done.metadata, *values]))
    if done.skipped and provider != "gemini_interactions":
        return
    left = {m: p for m, p in samples.markers.items() if m not in said and p[-1] not in REPEATED}
    assert {path for path in left.values() if not _is_passed(provider, path)} == set()


PASSED: dict[str, list[list[str]]] = table("provider_streams.json")["sdk_fields"]["passed"]
"""What repeats the request, what its item says again when it is done, and pieces that are put together."""


def _is_passed(provider: str, path: tuple[str, ...]) -> bool:
    return any(list(path[: len(start)]) == start for start in PASSED[provider])
