"""`python -m critparam_cli` is `critparam`."""

from critparam_cli.main import main

main()
