"""One module for each kind of rule: what it looks at is a `Request`, what it gives are `Violation`s."""
