"""Read records of calls in the formats of their exports."""
