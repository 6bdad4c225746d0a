"""What a decoder saw is in the encoding or in its diagnostics, from every provider to every other.

Histories are put together from the blocks that the APIs have. Every text in them is a marker of its own, and
members that no API has yet are put anywhere, so that whatever gets lost in silence is found by its marker.
"""

from __future__ import annotations

from base64 import b64encode
from copy import deepcopy
from typing import Any

from helpers.losses import is_named, texts_of
from helpers.providers import MODULES
from helpers.support import for_each, table
from hypothesis import HealthCheck, given, settings, strategies as st

from toolgen_transcripts import Transcript
from toolgen_transcripts.codec.encoding import Encoded

PROVIDERS = ("anthropic", "bedrock", "gemini", "openai", "openai_responses")

# "?" is a text of its own, "?64" one in base64, "?b" one in bytes.
CASES = table("provider_blocks.json")["provider_losses"]
BLOCKS: dict[str, dict[str, list[Any]]] = CASES["blocks"]


class Marked:
    """Marks every text of a value, and puts members that no API has into its objects."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data
        self.markers: list[str] = []

    def _marker(self) -> str:
        self.markers.append(f"mark{len(self.markers):03}x")
        return self.markers[-1]

    def __call__(self, value: Any) -> Any:
        if isinstance(value, dict):
            out = {key: self(item) for key, item in value.items()}
            if self._data.draw(st.integers(0, 5)) == 0:
                out["some_new_member"] = self._marker()
            return out
        if isinstance(value, list):
            return [self(item) for item in value]
        if not isinstance(value, str) or "?" not in value:
            return value
        if "?64" in value:
            return value.replace("?64", b64encode(self._marker().encode()).decode())
        return self._marker().encode() if value == "?b" else value.replace("?", self._marker())


def _content(provider: str, role: str, blocks: list[Any], more: dict[str, Any]) -> list[Any]:
    """A message with these blocks, or several items."""
    if provider == "gemini":
        return [{"role": "model" if role == "assistant" else "user", "parts": blocks}]
    return [{"role": role, "content": blocks, **more}]


def history(provider: str, data: st.DataObject, mark: Marked) -> list[Any]:
    kinds = BLOCKS[provider]
    pick = data.draw
    said = mark(pick(st.lists(st.sampled_from(kinds["user"]), min_size=1, max_size=3)))
    spoken = mark(pick(st.lists(st.sampled_from(kinds["assistant"]), max_size=3)))
    call = mark(pick(st.sampled_from(kinds["call"])))
    result = mark(pick(st.sampled_from(kinds["result"])))
    out = _content(provider, "user", said, {})
    if provider == "openai_responses":
        items = mark(pick(st.lists(st.sampled_from(CASES["items"]), max_size=2)))
        message = mark({"type": "message", "role": "assistant", "id": "?", "content": []}) if spoken else {}
        custom = call["type"] == "custom_tool_call"
        kind = "custom_tool_call_output" if custom else "function_call_output"
        spoken_items = [message | {"content": spoken}] if spoken else []
        return [*out, *items, *spoken_items, call, {"type": kind, "call_id": "call_1", **result}]
    if provider == "openai":
        more = mark(pick(st.sampled_from([{}, *CASES["beside"]])))
        return [*out, {"role": "assistant", "content": spoken or None, "tool_calls": [call], **more}, result]
    out += _content(provider, "assistant", [*spoken, call], {})
    return [*out, *_content(provider, "user", [result], {})]


@for_each(PROVIDERS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_nothing_is_lost_in_silence(source: str, *, data: st.DataObject) -> None:
    mark = Marked(data)
    native = history(source, data, mark)
    before = deepcopy(native)
    transcript: Transcript = MODULES[source].decode_messages(native)
    back = MODULES[source].encode_messages(transcript)
    assert back.messages == before
    assert back.diagnostics == ()
    for target in PROVIDERS:
        if target == source:
            continue
        encoded: Encoded = MODULES[target].encode_messages(transcript)
        said = " ".join(texts_of(encoded.messages)) + " ".join(texts_of(encoded.system))
        for marker in mark.markers:
            assert marker in said or is_named(native, marker, encoded), (target, marker, encoded.diagnostics)
