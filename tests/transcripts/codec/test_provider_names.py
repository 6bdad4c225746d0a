"""The name and id codec: injective, reversible, deterministic, and quiet about what is legal already."""

from __future__ import annotations

import random
import sys

from helpers.support import for_each
from hypothesis import given, settings, strategies as st

from toolgen_transcripts import Codec, codec_for
from toolgen_transcripts.codec.names import MISTRAL_ID
from toolgen_transcripts.codec.wire import PROVIDERS, WireRule, wire_of
from toolgen_transcripts.codec.wrapped import WRAPPED, decode_input, encode_input

ANY_TEXT = st.text(st.characters(), max_size=90)  # lone surrogates among them


def random_names(count: int) -> list[str]:
    """Distinct names of every length up to 90: ASCII, CJK, anything up to U+10FFFF, surrogates too."""
    chance = random.Random(6)
    ranges = [(0x20, 0x7F), (0x3000, 0x9FFF), (0, sys.maxunicode + 1)]
    names: set[str] = set()
    while len(names) < count:
        low, high = chance.choice(ranges)
        names.add("".join(chr(chance.randrange(low, high)) for _ in range(chance.choice((1, 3, 8, 20, 90)))))
    return sorted(names)


@for_each(PROVIDERS)
def test_many_random_names_and_ids_are_legal_come_back_and_none_collide(provider: str) -> None:
    names, wire, codec = random_names(1_000), wire_of(provider), codec_for(provider)
    for rule, encode, decode in (
        (wire.name_rule, codec.encode_name, codec.decode_name),
        (wire.id_rule, codec.encode_id, codec.decode_id),
    ):
        sent = [encode(name) for name in names]
        assert len(set(sent)) == len(names)
        assert all(map(rule.legal, sent))
        assert list(map(decode, sent)) == names


@for_each(PROVIDERS)
@given(data=st.data())
@settings(max_examples=15)
def test_a_legal_name_or_id_stays(provider: str, *, data: st.DataObject) -> None:
    for rule, encode in (
        (wire_of(provider).name_rule, codec_for(provider).encode_name),
        (wire_of(provider).id_rule, codec_for(provider).encode_id),
    ):
        legal = data.draw(st.from_regex(rf"\A(?:{rule.pattern})\Z").filter(rule.legal))
        assert encode(legal) == legal


@given(st.lists(ANY_TEXT, max_size=8), st.sampled_from(PROVIDERS))
def test_forms_of_forms_do_not_collide(names: list[str], provider: str) -> None:
    """A hostile tool may be called what another's name is sent as."""
    first = codec_for(provider)
    hostile = [*names, *map(first.encode_name, names)]
    hostile += [codec_for(provider).encode_name(name) for name in hostile]
    codec = codec_for(provider, hostile)
    wire = {name: codec.encode_name(name) for name in hostile}
    assert len(set(wire.values())) == len(wire)
    assert all(codec.decode_name(w) == name for name, w in wire.items())


@given(st.text(st.characters(), min_size=1, max_size=8), st.sampled_from(PROVIDERS))
def test_separate_codecs_agree_and_read_what_fits(name: str, provider: str) -> None:
    wire = codec_for(provider).encode_name(name)
    assert wire == codec_for(provider).encode_name(name)
    assert codec_for(provider).decode_name(wire) == name


def test_nobody_passes_for_another() -> None:
    """A tool that is called what `files.delete` is sent as is not taken for it, even by a codec that knows neither."""
    hostile = codec_for("bedrock").encode_name("files.delete")
    wire = codec_for("bedrock").encode_name(hostile)
    assert wire != hostile
    assert codec_for("bedrock").decode_name(wire) == hostile


@for_each(["a-110000---abcdef", "a-ffffff-b--abcdef"])
def test_a_name_with_what_is_no_code_point_is_no_escaped_name(wire: str) -> None:
    assert codec_for("bedrock").decode_name(wire) == wire


def test_a_name_too_long_to_hold_itself_needs_the_codec_that_knows_it() -> None:
    long = "github.com/" + "very-long-" * 20
    wire = codec_for("bedrock").encode_name(long)
    assert len(wire) == 64
    assert wire.startswith("github_com_very_long_")
    assert codec_for("bedrock").decode_name(wire) == wire
    assert codec_for("bedrock", [long]).decode_name(wire) == long


def test_a_legal_name_keeps_its_form_against_a_digest_of_another() -> None:
    long = "!" * 80  # sorts before its digest
    taken = codec_for("bedrock").encode_name(long)
    codec = codec_for("bedrock", [long, taken])
    assert codec.encode_name(taken) == taken
    assert codec.encode_name(long) != taken
    assert codec.decode_name(codec.encode_name(long)) == long


def test_claiming_is_independent_of_order() -> None:
    names = [*random_names(200), "a.b", "a_b", "a-b"]
    one, other = codec_for("bedrock", names), codec_for("bedrock", reversed(names))
    assert [one.encode_name(n) for n in names] == [other.encode_name(n) for n in names]


@for_each(
    [
        ("a.b", "a-2e-b--"),
        ("a b", "a-20-b--"),
        (".x", "_-2e-x--"),
        ("9 l", "_-39--20-l--"),
        ("天", "_-5929---"),
    ]
)
def test_the_escaped_form_is_readable(name: str, wire: str) -> None:
    assert codec_for("bedrock").encode_name(name).startswith(wire)


def test_mistral_ids_have_nine_letters_and_digits() -> None:
    codec = codec_for("bedrock", model="mistral.mistral-large-2407-v1:0")
    wire = codec.encode_id("tooluse_kZJMlvQmRJ6eAyJE5GIl7Q")
    assert MISTRAL_ID.legal(wire)
    assert codec.decode_id(wire) == "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q"
    assert codec.encode_id("abcdef123") == "abcdef123"


def test_digests_that_meet_part() -> None:
    """Ids of one letter leave 62 forms for 62 texts."""
    narrow = Codec(wire_of("bedrock").name_rule, WireRule(r"[A-Za-z0-9]+", 1, exact=True))
    texts = [f"long-{i}" for i in range(40)]
    wire = [narrow.encode_id(t) for t in texts]
    assert len(set(wire)) == 40
    assert [narrow.decode_id(w) for w in wire] == texts


@for_each([[1, 2], "x", None, 3.5, {}, {"a": 1}, {WRAPPED: 1}, {WRAPPED: {WRAPPED: []}}])
def test_inputs_come_back(payload: object) -> None:
    assert isinstance(encode_input(payload), dict)
    assert decode_input(encode_input(payload)) == payload
