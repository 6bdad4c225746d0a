"""One module for each provider. It reads and writes the provider's own dicts, without an SDK or state."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from toolgen_runtime.providers.shared.names import Codec as Codec, codec_for as codec_for
else:
    from toolgen_runtime.exports import lazy_exports

    __all__, __getattr__, __dir__ = lazy_exports(
        __name__, {"toolgen_runtime.providers.shared.names": "Codec codec_for"}
    )
