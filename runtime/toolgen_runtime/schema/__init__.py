"""Read a tool's schema at run time: pointers, subschemas, and the facts about each location."""
