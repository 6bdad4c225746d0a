"""Create a request from any history, and read the responses of all providers in one form."""
