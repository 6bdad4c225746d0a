"""What a history breaks: every rule that a server would refuse it by."""
