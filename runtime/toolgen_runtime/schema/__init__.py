"""Read a tool's schema at run time: JSON pointers, subschemas, and what the schema says about each path."""
