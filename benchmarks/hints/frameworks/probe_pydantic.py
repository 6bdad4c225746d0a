"""pydantic alone: the model of a tool's arguments, and `str(error)`."""

from __future__ import annotations

from frame import Call, Written, run
from pydantic import ValidationError


async def ask(tools: list[Written], call: Call) -> str | None:
    tool = next((tool for tool in tools if tool.name == call.tool), None)
    if tool is None:
        return None
    try:
        model = tool.model
        arguments = (
            model.model_validate(call.payload) if call.text is None else model.model_validate_json(call.text)
        )
    except ValidationError as error:
        return str(error)
    return tool.of_model()(arguments)


if __name__ == "__main__":
    run("pydantic", ask)
