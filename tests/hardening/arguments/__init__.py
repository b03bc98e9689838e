"""Every public parameter against kinds of values that it is not meant for."""
