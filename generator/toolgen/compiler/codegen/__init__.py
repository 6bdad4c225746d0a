"""Write the code of a check from the schema graph. Most tools need only one function."""
