"""jsonschema alone: the message of the error that `validate` raises."""

from __future__ import annotations

import jsonschema
from frame import Call, Written, run


async def ask(tools: list[Written], call: Call) -> str | None:
    tool = next((tool for tool in tools if tool.name == call.tool), None)
    if tool is None or call.text is not None:
        return None
    kind = jsonschema.Draft202012Validator
    try:
        jsonschema.validate(call.payload, tool.schema, cls=kind, format_checker=kind.FORMAT_CHECKER)
    except jsonschema.ValidationError as error:
        return str(error.message)
    return tool.function(**call.payload)


if __name__ == "__main__":
    run("jsonschema", ask)
