"""The HTTP API of a guard."""
