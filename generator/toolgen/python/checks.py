"""The checks of a tool, and those of its payload classes, as modules to be rendered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from toolgen.codegen.code import Code, code
from toolgen.codegen.function import Function, write_function
from toolgen.codegen.literals import literal
from toolgen.codegen.module import VALIDATE, Module, guarded_check
from toolgen.keywords import VOCABULARY
from toolgen.python.key_count import key_count
from toolgen.python.secret_places import SecretTable
from toolgen.schema.cycles import is_deep
from toolgen.schema.ir import Schema

SECRETS: Final = Code("SECRETS")


def tool_checks(root: Schema) -> Module:
    """Return the checks of a tool: `validate` for the payload, and what it calls."""
    deep = is_deep(root)
    module = Module([root], counts_steps=deep)
    module.runtime("ValidationIssue")
    secrets = SecretTable(root)
    if secrets:
        module.secrets = SECRETS
        module.constants[SECRETS] = code(
            "{secrets}({nodes})", secrets=module.runtime("Secrets"), nodes=literal(secrets.nodes)
        )
    if deep or module.is_crowded(root):  # what remembers takes more frames
        check = Function(module, VOCABULARY).check_of(root)
        module.functions.append(guarded_check(check, module.runtime("check_deep"), module))
    else:
        _write_root(module, root, VALIDATE, Code("payload"))
    module.finish()
    if (count := key_count(root)) is not None:
        module.count_keys, functions = count
        module.functions += functions
    return module


def class_checks(classes: Mapping[Code, Schema], imported: Mapping[Schema, Code]) -> Module:
    """Return the checks of some schemas under given names, none inlined into another; some are imported."""
    module = Module([*classes.values(), *imported])
    for schema, known in imported.items():
        module.name_check(schema, known)
    for known, schema in classes.items():
        module.runtime("Any")  # these modules load typing anyway, the tools' own do not
        _write_root(module, schema, known, Code("v"))
    module.finish()
    return module


def _write_root(module: Module, schema: Schema, name: Code, parameter: Code) -> None:
    """Write the check of a root under a given name; references back to the root use it too."""
    module.name_check(
        schema, name, lambda schema, name: write_function(module, VOCABULARY, schema, name, parameter)
    )
