"""One module a provider: native dicts in, native dicts out, no SDK, no state."""

from toolgen_runtime.providers.shared.names import Codec, codec_for

__all__ = ["Codec", "codec_for"]
