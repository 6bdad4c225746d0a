"""The check of one schema, keyword by keyword, and the checks of a whole tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from toolgen.codegen.code import Code, code
from toolgen.codegen.function import CheckFunction
from toolgen.codegen.literals import literal
from toolgen.codegen.module import VALIDATE, Keywords, Module, guarded_check
from toolgen.keywords.check import write_check
from toolgen.keywords.conditions import condition
from toolgen.keywords.unevaluated import evaluated
from toolgen.python.key_count import key_count
from toolgen.python.secret_places import SecretTable
from toolgen.schema.cycles import is_deep
from toolgen.schema.ir import Schema

KEYWORDS: Final = Keywords(write_check, condition, evaluated)
SECRETS: Final = Code("SECRETS")


@dataclass(frozen=True, slots=True)
class Checks:
    """What a generated module needs for its checks."""

    imports: list[tuple[Code, list[Code]]]
    constants: list[tuple[Code, Code]]
    functions: list[CheckFunction]
    note: Code | None
    """A comment about conditions that need one."""
    count_keys: Code | None = None
    """What counts the keys of a valid payload."""
    secrets: Code | None = None
    """The constant that says where a payload's secrets are, if it can have any."""
    at_hand: Mapping[Schema, Code] = field(default_factory=dict)
    """The functions that are the check of a nested schema."""


def tool_checks(root: Schema) -> Checks:
    """Return the checks of a tool: `validate` for the payload, and what it calls."""
    deep = is_deep(root)
    module = Module(KEYWORDS, [root], counts_steps=deep)
    module.runtime("ValidationIssue")
    secrets = SecretTable(root)
    if secrets:
        module.secrets = SECRETS
        module.constants[SECRETS] = code(
            "{secrets}({nodes})", secrets=module.runtime("Secrets"), nodes=literal(secrets.nodes)
        )
    if deep or module.is_crowded(root):  # what remembers takes more frames
        check = module.check_of(root)
        module.functions.append(guarded_check(check, module.runtime("check_deep"), module))
    else:
        module.root_function(root, VALIDATE, Code("payload"))
    checks = _finished(module)
    if (count := key_count(root)) is not None:
        name, functions = count
        checks = replace(checks, functions=[*checks.functions, *functions], count_keys=name)
    return replace(checks, secrets=module.secrets, at_hand=module.checks_at_hand())


def class_checks(classes: Mapping[Code, Schema], imported: Mapping[Schema, Code]) -> Checks:
    """Return the checks of some schemas under given names, none inlined into another; some are imported."""
    module = Module(KEYWORDS, [*classes.values(), *imported])
    for schema, known in imported.items():
        module.imported_check(schema, known)
    for known, schema in classes.items():
        module.runtime("Any")  # these modules load typing anyway, the tools' own do not
        module.root_function(schema, known, Code("v"))
    return _finished(module)


def _finished(module: Module) -> Checks:
    module.finish()
    return Checks(module.imports(), list(module.constants.items()), module.functions, module.note())
