"""Read records of calls in every format that programs export."""
