"""Registers that rules can write, one module each."""
