"""Patterns that are slow in some engine, and texts that show it; what builds takes a tenth of a second for each."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Literal

from toolgen.compiler.patterns.automaton import automata_of
from toolgen.compiler.patterns.engine_text import Inexpressible
from toolgen.compiler.patterns.parser import tree_of
from toolgen.compiler.patterns.translate import engine_text, translate
from toolgen_runtime.validation.patterns import compile_pattern

Engine = Literal["python", "rust", "automata"]
ENGINES: Final[tuple[Literal["python", "rust"], ...]] = ("python", "rust")
NESTED = (
    *(r"(a|aa)+$", r"(a|a?)+$", r"(.*)*x", r"(a*)*b", r"(\w+\s?)*$", r"^(\d+|\d+\.)*$", r"(x+x+)+y"),
    *(
        r"^(([a-z])+.)+[A-Z]([a-z])+$",
        r"(\s*a\s*)*b",
        r"^(.+)+$",
        r"(?:[^<]+|<(?!/x))*</x>",
        r"(?:\b\w*\b)*x",
    ),
    *(r"(?:(?=a*b)a)*c", r"(\p{L}+\p{N}*)+!$", r"([\p{L}\p{N}]*)*-$"),
)
"""What repeats within what repeats."""
IN_A_ROW = (
    *(r"[\s\S]*[\s\S]*[\s\S]*x", r".*.*.*.*=.*", r"^.*a.*b.*c.*d$", r"a*a*a*a*a*b", r"^(?:.*,){50}x$"),
    *(r"\p{L}+\p{N}+$", r"[^,]*,[^,]*;$", r"^\s+|\s+$", r"\s*,\s*$", r"\bfoo\b.*\bbar\b"),
)
"""What repeats after what repeats."""
COUNTED = (
    *(
        r"(?:a{0,65535}){0,65535}b",
        r"a{1,65535}",
        r"^a{1,65535}$",
        r"(ab|a|b){1,1000}c",
        r"(a{1,100}){1,100}b",
        f"{'(?:' * 20}a{'){2,999999999999999999}' * 20}",  # bounds whose product no float can hold
    ),
    *(r"((((a{1,9}){1,9}){1,9}){1,9}){1,9}b", r"^(a?){200}a{200}$", r"(?:\d{1,3}){1,300}x", r"(.{0,1000})*z"),
    *(r"(?:.{1,2000})x", r"(?:x?){30000}y"),
)
ALIKE = (r"(foo|foobar|foobarbaz|fo|f)*x$", r"^(?:a|ab|abc|abcd|abcde)*f$", r"(a|b|ab)*(?=c)")
"""Words that begin alike."""
AROUND = (
    *(r"(?=(?=(?=.*a).*b).*c).*d", r"(?!.*(?!.*a))b", r"(?<=a+)b", r"(?<!a*b)c", r"(?<=(?<=a{1,99})b)c"),
    *(r"(?=a*b)", r"x*(?=y*z)", r"(?=[\s\S]{65535})a", r"^(?=a+$)(?=a*b)", r"^(?!.*--)[a-z-]+(?<!-)$"),
    r"^(?=.{8,})(?=.*\d)(?=.*[a-z]).*$",
)
"""Lookarounds, within one another too."""
OTHERS = (  # as strangers have written them
    r"(a+)+$",
    r"^(a+)+$",
    r"(x|x)*y",
    r"^(x|x)*y$",
    r"\s+$",
    r"^(.*\s+)*$",
    r"^(\w+\s?)*$",
    r"(a|aa)+b",
    r"(?:a?){40}a{40}b",
    r"a.*b.*c.*d",
    r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
    r"^(?=.*\d)(?=.*[a-z])(?!.*\s).*$",
    r"^(?:[^@]+@)+[^@]+$",
    r"(?:(?:a|b)*c|x)*y",
    r"^(?:(?!--)[a-z-])*$",
    r"[\p{L}\s]+[\p{L}\d]+$",
    r"\bx\B.*\B!$",
)
PATTERNS = (*NESTED, *IN_A_ROW, *COUNTED, *ALIKE, *AROUND, *OTHERS)


def texts(size: int) -> list[str]:
    """Texts that a pattern nearly matches, at every place or at the end."""
    words = ("a", "ab", "x", "1", " ", "foobar", "\u00e9", "a,", "<", "abcde", "\n", "aB", "-", "\U0001f600")
    ends = ("a" * size + "!", "abc" * (size // 3) + "\n", " " * size + "x", "a.@" * (size // 3) + "\n")
    return [*(word * (size // len(word)) for word in words), *ends]


def engine_texts(pattern: str) -> dict[Engine, str]:
    """Return a pattern for each engine that can run it."""
    node = tree_of(pattern)
    texts: dict[Engine, str | None] = {engine: engine_text(engine, node)[0] for engine in ENGINES}
    with suppress(Inexpressible):
        texts["automata"] = automata_of(node).text
    return {engine: text for engine, text in texts.items() if text is not None}


def verdicts(pattern: str, text: str) -> dict[str, bool]:
    """What each engine that can run the pattern says, and what is chosen."""
    texts = engine_texts(pattern)
    found: dict[str, bool] = {engine: bool(compile_pattern(t, engine)(text)) for engine, t in texts.items()}
    return {**found, "chosen": bool(translate(pattern).matcher()(text))}
