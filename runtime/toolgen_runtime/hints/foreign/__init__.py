"""Turn the errors of other validators and services into issues, without importing their libraries."""
