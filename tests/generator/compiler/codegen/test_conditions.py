"""`Code` knows how tightly it binds: however conditions are nested, they mean what was put together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, strategies as st

from toolgen.compiler.codegen.code import (
    FALSE,
    TRUE,
    Code,
    both,
    code,
    compared,
    either,
    exactly_one,
    name as name_code,
    negated,
)
from toolgen.compiler.codegen.literals import literal

Meaning = Callable[[dict[str, Any]], bool]
Said = tuple[Code, Meaning]
"""A condition as code, and as a function of the variables."""

ATOMS: list[Said] = [
    *((name_code(v), lambda e, v=v: bool(e[v])) for v in "pqr"),
    (code("not {p}", p=Code("p")), lambda e: not e["p"]),
    (code("{x} in {y}", x=Code("n"), y=literal([1, 2])), lambda e: e["n"] in [1, 2]),
    (compared(Code("n"), "<", 2), lambda e: e["n"] < 2),
    (compared(Code("n"), ">=", 1), lambda e: e["n"] >= 1),
    (code("not {low} <= {n} <= {high}", low=1, n=Code("n"), high=2), lambda e: not 1 <= e["n"] <= 2),
    (code("{n} + {one} == 2", n=Code("n"), one=1), lambda e: e["n"] + 1 == 2),
    (code("(m := {n}) == 1 or {n} == 3", n=Code("n")), lambda e: e["n"] in (1, 3)),
    (
        code("{p} if {q} else {r}", p=Code("p"), q=Code("q"), r=Code("r")),
        lambda e: e["p"] if e["q"] else e["r"],
    ),
    (TRUE, lambda e: True),
    (FALSE, lambda e: False),
]


def _combined(children: st.SearchStrategy[Said]) -> st.SearchStrategy[Said]:
    some = st.lists(children, max_size=4)
    return st.one_of(
        some.map(lambda c: (both([x for x, _ in c]), lambda e: all(m(e) for _, m in c))),
        some.map(lambda c: (either([x for x, _ in c]), lambda e: any(m(e) for _, m in c))),
        children.map(lambda c: (negated(c[0]), lambda e: not c[1](e))),
        st.lists(children, min_size=1, max_size=6).map(
            lambda c: (exactly_one([x for x, _ in c]), lambda e: sum(bool(m(e)) for _, m in c) == 1)
        ),
        st.tuples(children, children, children).map(
            lambda c: (
                code("{a} if {b} else {d}", a=c[0][0], b=c[1][0], d=c[2][0]),
                lambda e: c[0][1](e) if c[1][1](e) else c[2][1](e),
            )
        ),
        children.map(lambda c: (code("[{c}][0]", c=c[0]), c[1])),
        children.map(lambda c: (code("{c} is True", c=code("bool({c})", c=c[0])), c[1])),
    )


NESTED = st.recursive(st.sampled_from(ATOMS), _combined, max_leaves=12)


@given(NESTED, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 4))
def test_a_nest_of_conditions_means_what_was_put_together(
    said: Said, p: bool, q: bool, r: bool, n: int
) -> None:
    condition, meaning = said
    scope = {"p": p, "q": q, "r": r, "n": n}
    assert bool(eval(condition.text, {}, dict(scope))) == bool(meaning(scope))
