"""Write the Python code of a check from a schema graph. For most tools, this is a single function."""
