"""The version of the API between generated packages and this runtime."""

API_VERSION = 4
"""The version of the API; generated packages check it with `require_api`.

The number grows by one when a name of `toolgen_runtime.generated` is removed or changes its meaning. Packages must
then be built again. Adding a name does not change the number.
"""


def require_api(package: str, version: int) -> None:
    """Raise an error if this runtime does not have the API version that a generated package needs.

    Args:
        package: the import name of the package.
        version: the `API_VERSION` for which the package was generated.

    Raises:
        ImportError: this runtime has a different API version.
    """
    if version != API_VERSION:
        raise ImportError(
            f"{package} was generated for API version {version} of toolgen_runtime, and API version {API_VERSION} "
            "is installed: rebuild the package with `toolgen build`, or install the toolgen that it was built with",
            name=package,
        )
