"""Read a tool's schema at run time: JSON pointers, subschemas, and facts about each location."""
