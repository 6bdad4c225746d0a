"""The public names of `toolgen_transcripts`, each with its module. The program reads this list, too."""

from toolgen_transcripts.codec.names import Codec as Codec, codec_for as codec_for
from toolgen_transcripts.messages import (
    Block as Block,
    CachePoint as CachePoint,
    Json as Json,
    Media as Media,
    Opaque as Opaque,
    Reasoning as Reasoning,
    Role as Role,
    Source as Source,
    Text as Text,
    ToolCall as ToolCall,
    ToolResult as ToolResult,
    Transcript as Transcript,
    Turn as Turn,
)
from toolgen_transcripts.requests.decode import (
    DecodedResponse as DecodedResponse,
    Usage as Usage,
    decode_response as decode_response,
)
from toolgen_transcripts.requests.encode import (
    EncodedRequest as EncodedRequest,
    encode_request as encode_request,
)
from toolgen_transcripts.requests.fit import (
    Fitted as Fitted,
    estimate_tokens as estimate_tokens,
    fit as fit,
)
from toolgen_transcripts.requests.settings import Settings as Settings
from toolgen_transcripts.rules.check import (
    Repaired as Repaired,
    check as check,
    repair as repair,
)
from toolgen_transcripts.rules.draft import Change as Change
from toolgen_transcripts.rules.request import UNSET as UNSET, Violation as Violation
from toolgen_transcripts.rules.rule import Rule as Rule
from toolgen_transcripts.rules.table import (
    RULES as RULES,
    explain_provider_error as explain_provider_error,
)
