"""From the schema graph to the body of a check: plain Python, one function a tool in the common case."""
