"""Each fact about a provider stands once, in its `WIRE`; nobody else looks at a provider's name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from helpers.support import for_each, for_each_at_once

import toolgen_transcripts
from toolgen_transcripts import check, repair
from toolgen_transcripts.codec.wire import PROVIDERS, wire_of

ROOT = Path(str(toolgen_transcripts.__file__)).parent
# A rule's own data says whom it is for and how each server words it; an error class bears its API's name.
DATA = {
    ROOT / "rules/rule.py",
    ROOT / "codec/wire.py",
    ROOT / "testing.py",
    ROOT / "codec/errors.py",
}
NEUTRAL = sorted(path for path in ROOT.rglob("*.py") if path not in DATA and path.name != "wire.py")


@for_each_at_once(NEUTRAL)
def test_no_code_looks_at_a_providers_name(path: Any) -> None:
    constants = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant)]
    assert [(node.lineno, node.value) for node in constants if node.value in PROVIDERS] == []


@for_each(PROVIDERS)
def test_a_provider_has_its_own_wire(provider: str) -> None:
    wire = wire_of(provider)
    assert wire.provider == provider
    assert wire is wire_of(provider)
    assert not [reason for reason, stop in wire.stops.items() if stop.malformed and stop.whole]


def test_every_folder_of_a_provider_is_known() -> None:
    assert tuple(sorted(path.parent.name for path in ROOT.glob("*/messages.py"))) == PROVIDERS


@for_each(["nobody", "shared", ""])
def test_an_unknown_provider_is_a_key_error(provider: str) -> None:
    with pytest.raises(KeyError):
        wire_of(provider)


def test_violations_and_changes_bear_plain_numbers_and_names() -> None:
    messages = [{"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": []}}]}]
    found, changed = check(messages, "bedrock"), repair(messages, "bedrock").changes
    assert [(type(v.rule), v.rule, v.slug) for v in found] == [(int, 1, "orphan-result")]
    assert (type(changed[0].rule), changed[0].rule, changed[0].slug) == (int, 1, "orphan-result")
