"""The generated modules of a tool and of a toolset as text, from the schema graph."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolgen.codegen.code import (
    Code,
    code,
    comma_separated,
    declarations,
    digest,
    imported,
    literal,
    merged,
    name,
)
from toolgen.python.checks import SECRETS, class_checks, tool_checks
from toolgen.python.layout import MODELS
from toolgen.python.names import Identifier, class_name
from toolgen.python.secrets import SecretTable
from toolgen.python.templates import (
    IndexModule,
    ModelsModule,
    NamespacesModule,
    ToolModule,
    render,
)
from toolgen.schema.ir import Schema
from toolgen.specs.tool_spec import ToolSpec
from toolgen_runtime import generated

_TOOL: Final = [(name(generated.__name__), [name("Tool")])]
_BIND: Final = [(name(generated.__name__), [name("bind")])]
_API: Final = literal(generated.API_VERSION)


def index_text(modules: Mapping[str, str]) -> str:
    """The `__init__.py` of a toolset, from the tools' names and modules."""
    return render(IndexModule(_API, _raw_json(dict(sorted(modules.items())))))


def namespaces_text(packages: Mapping[str, str]) -> str:
    """The `__init__.py` of a package with several toolsets, from stems and subpackages."""
    namespaces = [(literal(stem), literal(p)) for stem, p in sorted(packages.items())]
    return render(NamespacesModule(_API, namespaces))


@dataclass(frozen=True, slots=True)
class ToolSource:
    """The two generated modules of one tool; they depend on nothing but the tool."""

    spec: ToolSpec
    root: Schema
    module: Identifier

    @property
    def payload_class(self) -> Identifier:
        """The name of the tool's own payload class."""
        return class_name(self.spec.name)

    def tool_text(self) -> str:
        """The module of the checks and the `Tool`; imports no pydantic."""
        checks = tool_checks(self.root)
        return render(
            ToolModule(
                source_hash=_source_hash(self.spec.name, self.spec.description, self.spec.schema),
                docstring=literal(
                    f"The tool {_short(self.spec.name)}: checks of its payloads, and their type."
                ),
                name=name(self.module),
                tool_name=literal(self.spec.name),
                description=literal(self.spec.description),
                schema_lines=_schema_lines(self.spec),
                models_package=code(".{models}", models=name(MODELS)),
                payload_class=name(self.payload_class),
                payload_class_literal=literal(self.payload_class),
                imports=merged([*checks.imports, *_TOOL]),
                constants=checks.constants,
                functions=checks.functions,
                count_keys=checks.count_keys,
                secrets=checks.secrets,
            )
        )

    def models_text(self) -> str:
        """The module of the payload classes, each bound to the check of its own schema."""
        from toolgen.python.models import payload_models  # takes a quarter of a second to load

        models = payload_models(self.root, self.payload_class)
        secrets = SecretTable(self.root)
        nested = {c: schema for c, schema in models.classes.items() if c != models.root_class}
        bindings = {c: code("_check_{c}", c=name(c)) for c in nested}
        checks = class_checks({bindings[c]: schema for c, schema in nested.items()})
        imports = [*imported(models.imports), *checks.imports, *_BIND]
        return render(
            ModelsModule(
                source_hash=_source_hash(self.spec.name, self.spec.schema),
                docstring=literal(f"The payload classes of the tool {_short(self.spec.name)}."),
                name=name(self.module),
                tool_name=literal(self.spec.name),
                payload_class=name(models.root_class),
                classes=declarations(models.source),
                class_literals=[literal(c) for c in models.classes],
                imports=merged(imports),
                constants=checks.constants,
                functions=checks.functions,
                bindings=[(name(c), check, _part(secrets, nested[c])) for c, check in bindings.items()],
                secrets=SECRETS if secrets else None,
            )
        )


def _part(secrets: SecretTable, schema: Schema) -> Code | None:
    """The secrets of a nested class, if it can have any."""
    start = secrets.start(schema)
    if start is None:
        return None
    return code("{secrets}.at({nodes})", secrets=SECRETS, nodes=comma_separated([literal(n) for n in start]))


def _source_hash(*source: Any) -> Code:
    return digest(json.dumps(source, ensure_ascii=True))


def _schema_lines(spec: ToolSpec) -> list[Code]:
    """The schema's JSON text, a literal a line."""
    text = json.dumps(spec.schema, ensure_ascii=True, indent=1)
    return [literal(line) for line in text.splitlines(keepends=True)]


def _raw_json(modules: Mapping[str, str]) -> Code:
    """JSON with a line for each name, as one raw string: however long, it compiles in no time.

    JSON has a backslash before each quote in a name, so that nothing ends the string before its end.
    """
    text = json.dumps(modules, ensure_ascii=True, indent=0).replace("\x7f", "\\u007f")
    return declarations(f'r"""{text}"""')


def _short(text: str) -> str:
    return ascii(text if len(text) <= 60 else text[:57] + "...")
