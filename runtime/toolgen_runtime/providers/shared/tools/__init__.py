"""Tool definitions: reading them, lowering their schemas, strict subsets."""
