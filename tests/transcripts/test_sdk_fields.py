"""Every field of the SDKs' own types is kept, or named in a diagnostic: one that a new version adds fails here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from helpers.losses import is_named, texts_of
from helpers.providers import MODULES
from helpers.sdk_samples import Samples, fields_of, of_shape, variants
from helpers.support import for_each_at_once, table

from toolgen_transcripts.codec.encoding import Encoded


def _sdk(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        return None


def _converse() -> Any:
    session = _sdk("botocore.session")
    return session and session.get_session().get_service_model("bedrock-runtime")


# Each case: a provider, and what makes a native value with all fields of one type.

Make = Callable[[Samples], Any]
Shape = Callable[[Any], Any]
WITHOUT = {"FunctionResultStepParam": frozenset({"name"})}
"""Fields that are not sampled: the name repeats that of the call."""


def _in(role: str, key: str = "content") -> Shape:
    return lambda made: [{"role": role, key: [made]}]


def _alone(made: Any) -> list[Any]:
    return [made]


def _block(made: Any) -> dict[str, Any]:
    return {"tools": [made]}


def _itself(made: Any) -> Any:
    return made


def _cases(*rows: tuple[str, str, str, Shape]) -> Iterator[Any]:
    """Yield the cases of rows: a provider, a module of its SDK, a union of types in it, and what holds a value."""
    for provider, module, union, shape in rows:
        for kind in variants(getattr(_sdk(module), union)) if _sdk(module) else ():
            yield pytest.param(provider, _made(kind, shape), id=f"{provider}-{kind.__name__}")


def _made(kind: Any, shape: Shape) -> Make:
    def make(samples: Samples) -> Any:
        samples.without = WITHOUT.get(kind.__name__, frozenset())
        return shape(samples.of(kind))

    return make


def _converse_cases(union: str, shape: Shape) -> Iterator[Any]:
    """Yield the cases of the members of one of Bedrock's unions."""
    converse = _converse()
    for name, member in converse.shape_for(union).members.items() if converse else ():
        yield pytest.param("bedrock", _of_shape(name, member, shape), id=f"bedrock-{name}")


def _of_shape(name: str, member: Any, shape: Shape) -> Make:
    path = () if shape is _block else (name,)  # what names a tool's field names it without its kind
    return lambda samples: shape({name: of_shape(member, samples, path)})


def _gemini_cases(kind: str, shape: Shape, *without: str) -> Iterator[Any]:
    """Yield the cases of the fields of one of google-genai's types, once for each field that it is `without`."""
    genai = _sdk("google.genai.types")
    for name, hint in fields_of(getattr(genai, kind)).items() if genai else ():
        for other in without or ("",):
            yield pytest.param("gemini", _of_field(name, hint, shape, other), id=f"gemini-{name}-{other}")


def _of_field(name: str, hint: Any, shape: Shape, other: str) -> Make:
    def make(samples: Samples) -> Any:
        # the order of the properties says the ordering
        samples.without = frozenset({other, "propertyOrdering"} if other else ())
        return shape({name: samples.of(hint, (name,))})

    return make


MESSAGES = [
    *_cases(
        ("anthropic", "anthropic.types.content_block_param", "ContentBlockParam", _in("assistant")),
        (
            "anthropic",
            "anthropic.types.beta.beta_content_block_param",
            "BetaContentBlockParam",
            _in("assistant"),
        ),
        ("openai", "openai.types.chat", "ChatCompletionContentPartParam", _in("user")),
        ("openai", "openai.types.chat", "ChatCompletionMessageParam", _alone),
        (
            "openai_responses",
            "openai.types.responses.response_input_item_param",
            "ResponseInputItemParam",
            _alone,
        ),
        ("gemini_interactions", "google.genai.interactions", "StepParam", _alone),
    ),
    *_converse_cases("ContentBlock", _in("user")),
    *_gemini_cases("Part", _in("user", "parts")),
]
needs_sdks = pytest.mark.skipif(not MESSAGES, reason="no SDK is installed: pip install 'toolgen[dev]'")


@for_each_at_once(MESSAGES)
@needs_sdks
def test_every_field_of_a_message_is_kept_or_named(provider: Any, make: Any) -> None:
    samples = Samples(has_new_members=True)
    native = make(samples)
    transcript = MODULES[provider].decode_messages(native)
    assert MODULES[provider].encode_messages(transcript).messages == native
    for target in MODULES:
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


TOOLS = [
    *_cases(
        ("anthropic", "anthropic.types.tool_union_param", "ToolUnionParam", _block),
        ("openai", "openai.types.chat", "ChatCompletionToolUnionParam", _block),
        ("openai_responses", "openai.types.responses.tool_param", "ToolParam", _block),
        ("gemini_interactions", "google.genai.interactions", "ToolParam", _block),
    ),
    *_converse_cases("Tool", _block),
    *_gemini_cases("Tool", _block, "parameters", "parametersJsonSchema"),  # they exclude each other
]


@for_each_at_once(TOOLS)
@needs_sdks
def test_every_field_of_a_tool_is_kept_or_named(provider: Any, make: Any) -> None:
    samples = Samples()
    block = make(samples)
    read = MODULES[provider].read_tools(block)
    dropped = " ".join(d.message for d in read.diagnostics)
    for target in MODULES:
        lowered = MODULES[target].lower_tools(read.definitions)
        said = {marker for text in texts_of(lowered.block) for marker in re.findall(r"mark\d+x", text)}
        told = " ".join(d.message for d in lowered.diagnostics) + dropped
        silent = [path for marker, path in samples.markers.items() if marker not in said]
        silent = [path for path in silent if not any(key in told for key in path)]
        assert silent == [] or not read.definitions, (target, lowered.diagnostics)
    assert read.definitions or read.diagnostics


# ---- stream events ----


def _converse_events() -> Iterator[Any]:
    """Yield Bedrock's events; one with a union in it once for each member."""
    converse = _converse()
    for name, shape in converse.shape_for("ConverseStreamOutput").members.items() if converse else ():
        union = {"contentBlockStart": "start", "contentBlockDelta": "delta"}.get(name)
        for member in shape.members[union].members if union else ("",):
            yield pytest.param(
                "bedrock", _of_event(name, shape, union, member), id=f"bedrock-{name}-{member}"
            )


def _of_event(name: str, shape: Any, union: str | None, member: str) -> Make:
    def make(samples: Samples) -> Any:
        event = of_shape(shape, samples, (name,))
        if union:
            inner = shape.members[union].members[member]
            event[union] = {member: of_shape(inner, samples, (name, union, member))}
        return {name: event}

    return make


STEPS_OF = {
    "arguments_delta": "function_call",
    "thought_signature": "thought",
    "thought_summary": "thought",
    **dict.fromkeys(("audio", "document", "image", "text", "text_annotation_delta", "video"), "model_output"),
}
"""The steps of Gemini's Interactions that get deltas of another type than their own."""


def _step_events() -> Iterator[Any]:
    """Yield an event of Gemini's Interactions; a start or a delta once for each of its types."""
    steps = _sdk("google.genai.interactions")
    for event in variants(steps.InteractionSSEEvent) if steps else ():
        fields = fields_of(event)
        member = next((key for key in ("step", "delta") if key in fields), "")
        for kind in variants(fields[member]) if member else (event,):
            if not kind.__name__.startswith("Unknown"):
                make = _of_step(kind, member) if member else _made(kind, _itself)
                yield pytest.param("gemini_interactions", make, id=f"{event.__name__}-{kind.__name__}")


def _of_step(kind: Any, member: str) -> Make:
    event_type = f"step.{'start' if member == 'step' else 'delta'}"
    return lambda samples: {"event_type": event_type, "index": 0, member: samples.of(kind, (member,))}


EVENTS = [
    *_cases(
        ("anthropic", "anthropic.types.raw_message_stream_event", "RawMessageStreamEvent", _itself),
        ("openai_responses", "openai.types.responses.response_stream_event", "ResponseStreamEvent", _itself),
        ("openai", "openai.types.chat", "ChatCompletionChunk", _itself),
        ("gemini", "google.genai.types", "GenerateContentResponse", _itself),
    ),
    *_converse_events(),
    *_step_events(),
]
REPEATED = ("delta", "text", "arguments", "input", "code", "item_id", "part", "obfuscation", "refusal")
"""Members of progress events that the end of their item says again."""


@for_each_at_once(EVENTS)
@needs_sdks
def test_every_field_of_an_event_is_kept_or_named(provider: Any, make: Any) -> None:
    """What the event says is in the message, beside it, or its kind among what was skipped."""
    samples = Samples()
    event = make(samples)
    assembler = MODULES[provider].StreamAssembler()
    if event.get("event_type") == "step.delta":
        content = [{"type": "text", "text": ""}] if event["delta"]["type"] == "text_annotation_delta" else []
        step = {
            "type": STEPS_OF.get(event["delta"]["type"], event["delta"]["type"]),
            "content": content,
        }
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
