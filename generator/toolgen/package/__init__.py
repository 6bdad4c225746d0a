"""Build a package from tool specs, as text or in memory; write it to its folder; load built packages."""
