"""All names that generated code imports, and the version of this API.

A name's module is loaded when the name is first used: checks do not load pydantic, and an index does not load checks.
`API_VERSION` grows by one when a name is removed or changes its meaning, so that packages must be built again. It
does not change when a name is added.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from math import isfinite as isfinite

    from toolgen_runtime.client import ToolClient as ToolClient
    from toolgen_runtime.payloads.payload import (
        JsonInteger as JsonInteger,
        JsonNumber as JsonNumber,
        Payload as Payload,
        PayloadRoot as PayloadRoot,
        bind as bind,
    )
    from toolgen_runtime.validation.formats import format_check as format_check
    from toolgen_runtime.validation.helpers import (
        any_of as any_of,
        as_object as as_object,
        check_deep as check_deep,
        equal as equal,
        is_array as is_array,
        is_integer as is_integer,
        is_number as is_number,
        is_string as is_string,
        one_of as one_of,
        remember as remember,
        remember_all as remember_all,
        under as under,
    )
    from toolgen_runtime.validation.issues import (
        MISSING as MISSING,
        ValidationIssue as ValidationIssue,
    )
    from toolgen_runtime.validation.multiples import is_multiple as is_multiple
    from toolgen_runtime.validation.patterns import (
        compile_pattern as compile_pattern,
    )
    from toolgen_runtime.validation.redaction import Secrets as Secrets
    from toolgen_runtime.validation.tool import Tool as Tool
    from toolgen_runtime.validation.toolset import (
        Toolset as Toolset,
        Toolsets as Toolsets,
    )
    from toolgen_runtime.validation.unique_items import duplicate_item as duplicate_item
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "math": "isfinite",
            "toolgen_runtime.validation.helpers": (
                "any_of as_object check_deep equal is_array is_integer "
                "is_number is_string one_of remember remember_all under"
            ),
            "toolgen_runtime.validation.formats": "format_check",
            "toolgen_runtime.validation.issues": "MISSING ValidationIssue",
            "toolgen_runtime.validation.multiples": "is_multiple",
            "toolgen_runtime.validation.patterns": "compile_pattern",
            "toolgen_runtime.client": "ToolClient",
            "toolgen_runtime.payloads.payload": "JsonInteger JsonNumber Payload PayloadRoot bind",
            "toolgen_runtime.validation.redaction": "Secrets",
            "toolgen_runtime.validation.tool": "Tool",
            "toolgen_runtime.validation.toolset": "Toolset Toolsets",
            "toolgen_runtime.validation.unique_items": "duplicate_item",
        },
    )

API_VERSION = 4
"""The version that generated packages check with `require_api`."""


def require_api(package: str, version: int) -> None:
    """Check that this runtime has the API version that a generated package needs.

    Args:
        package: the import name of the package.
        version: the `API_VERSION` that the package was generated for.

    Raises:
        ImportError: this runtime has another API version.
    """
    if version != API_VERSION:
        raise ImportError(
            f"{package} was generated for API version {version} of toolgen_runtime, and API version {API_VERSION} "
            "is installed: rebuild the package with `toolgen build`, or install the toolgen that it was built with",
            name=package,
        )
