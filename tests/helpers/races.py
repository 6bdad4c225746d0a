"""One race in a fresh process: `races.py CASE`. Four threads use something for the first time, at the same moment.

Each must get what a thread gets that comes later, alone. Run by `test_threads.py`, with a generated package
`raced_tools` on the path.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import threading
from collections.abc import Callable
from typing import Any

THREADS = 4
PATTERNS = {
    r"^(?!admin)\p{Lo}+$": "\u3042\u4e00\U0002a700",
    r"^(?!admin)\p{Lu}+$": "\u0391\u0410\U00010400",
    r"^(?!admin)\p{Ll}+$": "\u03b1\u0430\U00010428",
    r"^(?!admin)\P{L}+$": "12 \u0e50\U0001d7ce",
    r"^(?!admin)[\p{N}\p{So}]+$": "1\u0660\U0001f600",
    r"^\p{Script=Greek}+$": "\u03b1\u1f00",
}
"""Patterns, and what each matches, with code points from both ends of its ranges."""
FORMATS = {
    "date": "2024-02-29", "date-time": "2024-02-29T23:59:59.5+01:00", "time": "23:59:60Z", "duration": "P1Y2M3DT4H",
    "email": "a.b@example.org", "idn-email": "\u00fc@\u00fc.example", "hostname": "xn--bcher-kva.example",
    "idn-hostname": "b\u00fccher.example", "ipv4": "1.2.3.4", "ipv6": "1::8:ffff", "uri": "http://a.example/b?c#d",
    "uri-reference": "../a", "iri": "http://\u00fc.example/", "iri-reference": "\u00fc", "uri-template": "/a{?b}",
    "uuid": "01234567-89ab-cdef-0123-456789abcdef", "json-pointer": "/a~1b", "relative-json-pointer": "1/a",
    "regex": r"^\p{L}(?<n>a)\k<n>$",
}  # fmt: skip
ORDER: dict[str, Any] = {"id": 7, "lines": [{"sku": "a-1", "price": 2.5, "extra": 1}]}
WRONG: dict[str, Any] = {"ID": 7, "lines": [{"sku": "?", "price": "2.5"}, 5], "more": 1}
TOOLS: list[dict[str, Any]] = [
    *(
        {"name": f"pattern-{i}", "schema": {"type": "string", "pattern": pattern}}
        for i, pattern in enumerate(PATTERNS)
    ),
    *({"name": f"format-{name}", "schema": {"type": "string", "format": name}} for name in FORMATS),
    {
        "name": "order",
        "description": "Place an order.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": {"type": "integer", "description": "Its number."},
                "lines": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "sku": {"type": "string", "pattern": "^[a-z]+-[0-9]+$"},
                            "price": {"type": "number", "minimum": 0},
                        },
                        "required": ["sku"],
                    },
                },
            },
            "required": ["id"],
            "additionalProperties": False,
        },
    },
]  # fmt: skip
Act = Callable[[int], Any]
"""What thread `i` does; `i` is 0 where the order of what it does is not to matter."""


def in_turn(names: list[str], start: int) -> list[str]:
    """The names, each thread's from another one on, so that several are first with something."""
    start = start * len(names) // THREADS
    return names[start:] + names[:start]


def toolset(*, compiled: bool) -> Any:
    if compiled:
        from toolgen import compile_tools

        return compile_tools(TOOLS)
    return importlib.import_module("raced_tools").toolset


def verdicts(compiled: bool) -> Act:
    """The verdicts of all tools but one, and that each name has one tool."""
    tools = toolset(compiled=compiled)
    payloads = {f"pattern-{i}": text for i, text in enumerate(PATTERNS.values())}
    payloads |= {f"format-{name}": text for name, text in FORMATS.items()}

    def act(i: int) -> Any:
        found = {}
        for name in in_turn(list(payloads), i):
            tool, text = tools[name], payloads[name]
            found[name] = id(tool), tool.validate(text) == [], tool.validate(text + "\0 ~") == []
        assert all(good for _, good, _ in found.values()), found
        return sorted(found.items())

    return act


def payload_types(compiled: bool) -> Act:
    tools = toolset(compiled=compiled)

    def act(i: int) -> Any:
        tool = tools["order"]
        model = tool.parse(ORDER) if i % 2 else tool.payload_type.model_validate(ORDER)
        assert type(model) is tool.payload_type
        return (
            id(tool),
            id(tool.payload_type),
            model.model_dump(by_alias=True, exclude_unset=True),
            repr(model),
        )

    return act


def hints() -> Act:
    import toolgen_runtime

    tools = toolset(compiled=False)

    def act(i: int) -> Any:
        registry = toolgen_runtime.Registry()
        registry.register(tools)
        hint = registry.hint("order", tools["order"].validate(WRONG), payload=WRONG)
        foreign = registry.hint(
            "order", "1 validation error for Order\nlines.0.price\n  Input should be a number"
        )
        output = registry.call("order", WRONG, lambda payload: payload)
        return hint.render(), hint.to_dict(), foreign.render(), output.kind

    return act


def names(package: str) -> Act:
    def act(i: int) -> Any:
        module = importlib.import_module(package)
        loaded = {name: id(getattr(module, name)) for name in in_turn(sorted(module.__all__), i)}
        return sorted(loaded.items())

    return act


def modules() -> Act:
    """Each thread imports all modules of the runtime, from another one on.

    Modules of a package that itself loads its modules are left out: there CPython's own locks meet, and a thread
    that asks for such a module first, past its package, may get a `_DeadlockError`.
    """
    package = "toolgen_runtime"
    root = importlib.import_module(package)
    found = [m.name for m in pkgutil.walk_packages(root.__path__, f"{package}.")]
    loading = {name for name in found if not hasattr(sys.modules.get(name), "lazy_exports")}
    names = [
        name for name in found if (parent := name.rpartition(".")[0]) == package or parent not in loading
    ]
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        del sys.modules[name]  # walking has imported the packages: begin anew
    importlib.reload(root)

    def act(i: int) -> Any:
        return sorted(importlib.import_module(name).__name__ for name in in_turn(names, i))

    return act


def compiling() -> Act:
    def act(i: int) -> Any:
        from toolgen import compile_tools

        tool = compile_tools(TOOLS[-1:])["order"]
        assert type(tool.parse(ORDER)) is tool.payload_type
        return [repr(issue) for issue in tool.validate(WRONG)]

    return act


CASES: dict[str, Callable[[], Act]] = {
    "verdicts of a package": lambda: verdicts(False),
    "verdicts of compiled tools": lambda: verdicts(True),
    "payload types of a package": lambda: payload_types(False),
    "payload types of compiled tools": lambda: payload_types(True),
    "hints": hints,
    "public names": lambda: names("toolgen_runtime"),
    "modules of the runtime": modules,
    "compiling": compiling,
}


def race(act: Act) -> list[Any]:
    """What each of the threads got, or raised."""
    barrier = threading.Barrier(THREADS)
    results: list[Any] = [None] * THREADS

    def run(i: int) -> None:
        barrier.wait()
        try:
            results[i] = act(i)
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "threads wait for each other"
    return results


def main() -> None:
    act = CASES[sys.argv[1]]()
    sys.setswitchinterval(1e-5)
    results = race(act)
    alone = act(0)
    for result in results:
        if isinstance(result, BaseException):
            raise result
        assert result == alone, f"{result}\n{alone}"


if __name__ == "__main__":
    main()
