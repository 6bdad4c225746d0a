"""Tool definitions: reading and writing them, converting their schemas for providers, strict subsets."""
