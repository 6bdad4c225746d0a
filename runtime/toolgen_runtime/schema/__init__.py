"""What a tool's schema says, read at run time: pointers, subschemas, the facts of each location."""
