"""Make issues from the errors of other validators and services, without importing their libraries."""
