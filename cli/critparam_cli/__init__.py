"""The command line of critparam."""
