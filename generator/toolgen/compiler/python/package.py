"""Write the generated modules of a tool or of a toolset as text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from toolgen.compiler.codegen.code import Code, called, fragment, name, snake_case
from toolgen.compiler.codegen.foreign_source import merged
from toolgen.compiler.codegen.function import Function, write_function
from toolgen.compiler.codegen.literals import digest, docstring, json_text, literal
from toolgen.compiler.codegen.module import VALIDATE, Module, distinct, guarded_check
from toolgen.compiler.keywords import VOCABULARY
from toolgen.compiler.python.identifiers import MAX_IDENTIFIER, Identifier, class_name
from toolgen.compiler.python.key_count import key_count
from toolgen.compiler.python.layout import MODELS
from toolgen.compiler.python.secret_places import SecretTable
from toolgen.compiler.python.templates import render
from toolgen.compiler.schema.cycles import is_deep
from toolgen.compiler.schema.ir import Schema
from toolgen.compiler.specs.tool_spec import ToolSpec
from toolgen_runtime import generated

_TOOL: Final = [(name(generated.__name__), [name("Tool")])]
_BIND: Final = [(name(generated.__name__), [name("bind")])]
_SECRETS: Final = Code("SECRETS")
_SECRETS_AT: Final = Code("SECRETS.at")
_API: Final = literal(generated.API_VERSION)
_MAX_TYPED: Final = 500
"""The maximum number of tools with their own types in an index, because type checkers compare all overloads with each
other.
"""


def index_text(modules: Mapping[str, str]) -> str:
    """Write the `__init__.py` of a toolset. `modules` has the module of each tool by its name."""
    tools = [(literal(tool), literal(module)) for tool, module in sorted(modules.items())]
    return render("index.py.jinja", api_version=_API, tools=tools)


def index_stub_text(modules: Mapping[str, str]) -> str:
    """Write the `__init__.pyi` of a toolset, which names the payload class of each tool."""
    if len(modules) <= _MAX_TYPED:
        typed = sorted(modules.items())
    else:
        typed = []
    tools = [(literal(tool), name(module), name(class_name(tool))) for tool, module in typed]
    return render("index.pyi.jinja", models=name(MODELS), tools=tools)


def namespaces_text(packages: Mapping[str, str]) -> str:
    """Write the `__init__.py` of a package that contains several toolsets.

    It is made from the file names and the subpackages.
    """
    namespaces = [(literal(stem), literal(p)) for stem, p in sorted(packages.items())]
    return render("namespaces.py.jinja", api_version=_API, namespaces=namespaces)


@dataclass(frozen=True)
class ToolSource:
    """The two generated modules of one tool, which depend on this tool only."""

    spec: ToolSpec
    root: Schema
    module: Identifier

    @cached_property
    def _checks(self) -> Module:
        return tool_checks(self.root)

    @property
    def payload_class(self) -> Identifier:
        """The name of the class for the tool's whole payload."""
        return class_name(self.spec.name)

    def tool_text(self) -> str:
        """Write the module with the checks and the `Tool`, which does not import pydantic."""
        checks = self._checks
        spec, metadata = self.spec, self.spec.metadata
        if metadata:
            data = [metadata]
        else:
            data = []
        return render(
            "tool.py.jinja",
            source_hash=_source_hash(spec.name, spec.description, spec.schema, *data),
            docstring=docstring(f"The tool {_short(spec.name)}: the check and the type of its payloads.", 0),
            name=name(self.module),
            tool_name=literal(spec.name),
            description=literal(spec.description),
            schema=json_text(spec.schema),
            metadata=json_text(metadata) if metadata else None,
            models_package=fragment(".{models}", models=name(MODELS)),
            payload_class=name(self.payload_class),
            payload_class_literal=literal(self.payload_class),
            imports=merged([*checks.imports(), *_TOOL]),
            checks=checks,
        )

    def memory_text(self) -> str:
        """Write a module with the checks alone.

        It is for a caller in memory that already has the texts of the spec.
        """
        return _memory_text(self._checks)

    def models_text(self) -> str:
        """Write the module with the payload classes, each with the check of its own schema."""
        from toolgen.compiler.python.models.emission import (
            payload_models,  # loading it takes a quarter of a second
        )

        models = payload_models(self.root, self.payload_class)
        secrets = SecretTable(self.root)
        at_hand = self._checks.checks_at_hand()
        nested = {c: schema for c, schema in models.classes.items() if c != self.payload_class}
        imported = {s: check for s in nested.values() if (check := at_hand.get(s)) is not None}
        taken = dict.fromkeys(imported.values(), 1)
        bindings = {
            c: imported.get(schema) or distinct(_check_name(c, self.payload_class), taken)
            for c, schema in nested.items()
        }
        own = {bindings[c]: schema for c, schema in nested.items() if schema not in imported}
        checks = class_checks(own, imported)
        return render(
            "models.py.jinja",
            source_hash=_source_hash(self.spec.name, self.spec.schema),
            docstring=docstring(f"The payload classes of the tool {_short(self.spec.name)}.", 0),
            name=name(self.module),
            tool_name=literal(self.spec.name),
            payload_class=name(self.payload_class),
            classes=models.source,
            class_literals=[literal(c) for c in sorted(models.classes)],
            imports=merged([*models.imports, *checks.imports(), *_BIND]),
            checks=checks,
            imported_checks=sorted(imported.values(), key=str),
            bindings=[(name(c), check, _part(secrets, nested[c])) for c, check in bindings.items()],
            secrets=_SECRETS if secrets else None,
        )


def checks_text(root: Schema) -> str:
    """Write a module with the checks of a schema alone."""
    return _memory_text(tool_checks(root))


def _memory_text(checks: Module) -> str:
    return render("memory.py.jinja", imports=merged(checks.imports()), checks=checks)


def _part(secrets: SecretTable, schema: Schema) -> Code | None:
    """Return the secrets of a nested class, if it may contain any."""
    start = secrets.start(schema)
    if start is None:
        return None
    return called(_SECRETS_AT, *map(literal, start))


def _check_name(nested: Identifier, root: Identifier) -> Code:
    """Return the name of a class's check: `_check_notify_mail` for the class `CreateIssuePayloadNotifyMail`."""
    return fragment("_check_{words}", words=snake_case(nested.removeprefix(root), most=2 * MAX_IDENTIFIER))


def _source_hash(*source: Any) -> Code:
    return digest(json.dumps(source, ensure_ascii=True))


def _short(text: str) -> str:
    return ascii(text if len(text) <= 60 else text[:57] + "...")


# -- checks


def tool_checks(root: Schema) -> Module:
    """Write the checks of a tool: `validate` for the payload, and all functions that it needs."""
    module = Module([root])
    module.runtime("ValidationIssue")
    secrets = SecretTable(root)
    if secrets:
        module.secrets = _SECRETS
        module.constants[_SECRETS] = called(module.runtime("Secrets"), literal(secrets.nodes))
    if is_deep(root, module.edges) or root in module.crowded:  # remembering results takes more frames
        check = Function(module, VOCABULARY).check_of(root)
        module.functions.append(guarded_check(check, module.runtime("check_deep"), module))
    else:
        _write_root(module, root, VALIDATE, Code("payload"))
    module.finish()
    if (count := key_count(root, module.edges)) is not None:
        module.count_keys, functions = count
        module.functions += functions
    return module


def class_checks(classes: Mapping[Code, Schema], imported: Mapping[Schema, Code]) -> Module:
    """Write the checks of the schemas behind payload classes. Some of them are imported."""
    module = Module([*classes.values(), *imported])
    for schema, known in imported.items():
        module.name_check(schema, known)
    for known, schema in classes.items():
        module.runtime("Any")  # these modules load typing anyway; the tools' own modules do not
        _write_root(module, schema, known, Code("v"))
    module.finish()
    return module


def _write_root(module: Module, schema: Schema, name: Code, parameter: Code) -> None:
    """Write the check of a root under a given name, which references back to the root use too."""
    module.name_check(schema, name, partial(write_function, module, VOCABULARY, parameter=parameter))
