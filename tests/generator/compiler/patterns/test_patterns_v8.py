"""Patterns against V8: thousands of random patterns and texts, in one process of node."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections import Counter

import pytest
from helpers.hostile_patterns import verdicts
from helpers.support import TEST_DATA, for_each, read_json

from toolgen.compiler.patterns.translate import (
    PatternError,
    Translated,
    UnsupportedPattern,
    translate,
)

ATOMS: list[str] = read_json(TEST_DATA / "patterns" / "atoms.json")["all"]
_QUANTIFIERS = ["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?"]
_GROUPS = ["(?:%s)", "(%s)", "(?=%s)", "(?!%s)", "(?<=%s)", "(?<!%s)", "(?<n>%s)"]
_V8 = """
const verdicts = (pattern, texts, unicode) => {
  const regex = new RegExp(pattern, unicode ? "uy" : "y");
  // Sticky, from each code point: an unanchored search of V8 also starts between surrogates (it should not).
  return texts.map(text => {
    for (let i = 0; i <= text.length; i += unicode && text.codePointAt(i) > 0xffff ? 2 : 1) {
      regex.lastIndex = i;
      if (regex.test(text)) return true;
    }
    return false;
  });
};
const answer = ([pattern, texts]) => {
  try { return ["u", verdicts(pattern, texts, true)]; } catch {}
  try { return ["annex B", verdicts(pattern, texts, false)]; } catch {}
  return ["error", []];
};
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(answer)));
"""


def _random_pattern(rng: random.Random, depth: int) -> str:
    kind = rng.random()
    if depth == 0 or kind < 0.35:
        return rng.choice(ATOMS)
    if kind < 0.55:
        return "".join(_random_pattern(rng, depth - 1) for _ in range(rng.randint(0, 3)))
    if kind < 0.65:
        return f"({'|'.join(_random_pattern(rng, depth - 1) for _ in range(rng.randint(1, 3)))})"
    if kind < 0.85:
        return f"(?:{_random_pattern(rng, depth - 1)}){rng.choice(_QUANTIFIERS)}"
    if kind < 0.9:
        return rng.choice(["^", "$", r"\b", r"\B"])
    return rng.choice(_GROUPS) % _random_pattern(rng, depth - 1)


def _comparable(mode: str, text: str) -> bool:
    """Without the `u` flag V8 reads UTF-16 units, and some escapes mean something else."""
    odd = (r"\u{", r"\p", r"\P", r"\ud")
    return mode == "u" or not (max(text, default="") > "\uffff" or any(escape in text for escape in odd))


def _translated_or_refused(pattern: str, mode: str) -> Translated | None:
    """The translation; None where there rightly is none: what V8 takes as u-mode is at least no error."""
    try:
        translated = translate(pattern)
    except UnsupportedPattern:
        return None
    except PatternError:
        if mode == "u":
            raise
        return None
    assert mode != "error", f"{pattern!r} is no regular expression"
    return translated


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@for_each([(1, 1_000), pytest.param(2, 20_000, marks=pytest.mark.long)])
def test_v8_agrees(seed: int, count: int) -> None:
    rng = random.Random(seed)
    pool = [*"aab01_- .{}]\n", "\u2028", "\ufeff", "é", "💩", "💪", "\u212a", "\0", "\b", "\v"]
    cases = [
        (
            _random_pattern(rng, 3),
            ["".join(rng.choices(pool, k=rng.choice([0, 1, 2, 3, 6]))) for _ in range(6)],
        )
        for _ in range(count)
    ]
    node = ["node", "-e", _V8]
    out = subprocess.run(node, input=json.dumps(cases), capture_output=True, text=True, check=True)
    compared: Counter[str] = Counter()
    for (pattern, texts), (mode, expected) in zip(cases, json.loads(out.stdout), strict=True):
        translated = _translated_or_refused(pattern, mode) if _comparable(mode, pattern) else None
        if translated is None:
            continue
        for text, verdict in zip(texts, expected, strict=True):
            if _comparable(mode, text):
                ours = verdicts(pattern, text)
                assert set(ours.values()) == {verdict}, (pattern, text, ours, translated)
                compared[mode] += len(ours)
    assert compared["u"] > 7 * count
    assert compared["annex B"] > count / 4
