"""`CheckFunction`: one finished function of a generated module."""

from __future__ import annotations

from dataclasses import dataclass

from toolgen.codegen.code import Code, fragment


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """One function of a generated module: its name, a line about it, and its body."""

    name: Code
    parameters: Code
    returns: Code
    about: Code
    body: Code


def check_function(name: Code, parameter: Code, about: Code, body: Code) -> CheckFunction:
    """Return a function from any value to its issues."""
    parameters = fragment("{p}: Any", p=parameter)
    return CheckFunction(name, parameters, Code("list[ValidationIssue]"), about, body)


def verdict_function(name: Code, parameter: Code, about: Code, body: Code) -> CheckFunction:
    """Return a function from any value to whether it is valid."""
    return CheckFunction(name, fragment("{p}: Any", p=parameter), Code("bool"), about, body)
