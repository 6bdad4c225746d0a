"""What will hurt a model or a provider: findings about tools that are valid specs."""
