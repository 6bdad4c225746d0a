"""Find the value that the model probably meant. There is one module for each kind of value."""
