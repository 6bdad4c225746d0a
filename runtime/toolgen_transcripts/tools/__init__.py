"""Read and write tool definitions, and convert their schemas for providers and strict tools."""
