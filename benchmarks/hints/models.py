"""Plain models of the same schemas by datamodel-code-generator, without this project's checks."""

from __future__ import annotations

import itertools
import json
import sys
import types
from typing import Any

from datamodel_code_generator import DataModelType, InputFileType, generate

_count = itertools.count()


def plain_model(schema: Any, kind: DataModelType = DataModelType.PydanticV2BaseModel) -> Any:
    """Return the class for a schema; None if it cannot be generated."""
    module = types.ModuleType(f"plain_model_{next(_count)}")
    try:
        code = generate(
            json.dumps(schema),
            input_file_type=InputFileType.JsonSchema,
            output_model_type=kind,
            formatters=[],
            class_name="Model",
        )
        sys.modules[module.__name__] = module
        exec(str(code), module.__dict__)
        model = module.__dict__["Model"]
        if kind is DataModelType.PydanticV2BaseModel:
            model.model_rebuild()
    except Exception:  # any exception of the library: this schema is not compared
        return None
    return model
