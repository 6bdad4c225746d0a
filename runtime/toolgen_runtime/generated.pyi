"""The names that generated code imports, each with its module. The program reads this list, too."""

from math import isfinite as isfinite

from toolgen_runtime.api_version import (
    API_VERSION as API_VERSION,
    require_api as require_api,
)
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
    missing_or_wrong as missing_or_wrong,
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
