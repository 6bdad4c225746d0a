"""Issues, tools, and the functions that generated checks call. This package needs only the standard library."""
