"""Tools as Python declarations: what a model needs to write calls, and no more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolgen.codegen.literals import literal
from toolgen.python.models.views import ClassView, FieldView, View
from toolgen.signatures.client_files import type_code, typing_names
from toolgen.signatures.field_text import about, printable
from toolgen.signatures.shared_types import SharedTypes
from toolgen.signatures.signature import Signature, is_parameter_name


def python_stubs(signatures: Sequence[Signature]) -> str:
    """Return the declarations of some tools as the text of a stub file."""
    types = _Types(signatures)
    functions = [types.function(signature) for signature in signatures]
    classes = [types.declared(name, body) for name, body in types.bodies]
    text = "\n".join([*classes, *functions]) + "\n"
    used = sorted(typing_names(signatures))
    return f"from typing import {', '.join(used)}\n{text}" if used else text


class _Types(SharedTypes):
    """The types as Python writes them."""

    def type(self, view: View) -> str:
        return type_code(view, self.name).text

    def body(self, view: ClassView) -> str:
        if all(is_parameter_name(field.key) for field in view.fields):
            return (
                "\n".join(_with_comment(f"{one.key}: {self._member(one)}", one) for one in view.fields)
                or "..."
            )
        return "{\n" + "\n".join(self._item(field) for field in view.fields) + "\n}"

    def _item(self, field: FieldView) -> str:
        return _with_comment(f"{literal(field.key).text}: {self._member(field)},", field)

    def _member(self, field: FieldView) -> str:
        written = self.type(field.type)
        return written if field.required else f"NotRequired[{written}]"

    def declared(self, name: str, body: str) -> str:
        """Return the statement of an object type."""
        if body.startswith("{"):
            return f"{name} = TypedDict({literal(name).text}, {body})"
        lines = body.replace("\n", "\n ")
        return f"class {name}(TypedDict):\n {lines}"

    def function(self, signature: Signature) -> str:
        """Return the declaration of a tool."""
        head, end = f"async def {signature.name}(", f") -> {self.type(signature.result)}: "
        parameters = list(self._parameters(signature))
        if any("#" in parameter for parameter in parameters):
            inner = "\n " + "\n ".join(parameters) + "\n"
        else:
            inner = " ".join(parameters).removesuffix(",")
        text = printable(signature.spec.description.strip())
        return f"{self._more(signature)}{head}{inner}{end}{_docstring(text) if text else '...'}"

    def _parameters(self, signature: Signature) -> Iterator[str]:
        if signature.payload is not None:
            yield f"payload: {self.type(signature.payload)}, /,"
            return
        if signature.named_fields:
            yield "*,"
        for field in signature.named_fields:
            default = literal(field.default).text if field.default is not None else "..."
            declared = f"{field.key}: {self.type(field.type)}"
            yield _with_comment(f"{declared}," if field.required else f"{declared} = {default},", field)
        if signature.other_fields and signature.extra is None:
            yield f"**more: Unpack[{_more_name(signature)}],"
        elif signature.extra is not None:
            yield f"**more: {self.type(signature.extra)},"

    def _more(self, signature: Signature) -> str:
        """Return the type of parameters whose names Python cannot have, above the function that takes them."""
        if not signature.other_fields or signature.extra is not None:
            return ""
        items = "\n".join(self._item(field) for field in signature.other_fields)
        return self.declared(_more_name(signature), "{\n" + items + "\n}") + "\n"


def _more_name(signature: Signature) -> str:
    return f"{signature.name}_more"


def _with_comment(code: str, field: FieldView) -> str:
    text = about(field)
    return f"{code}  # {text}" if text else code


def _docstring(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{text} """' if text.endswith('"') else f'"""{text}"""'
