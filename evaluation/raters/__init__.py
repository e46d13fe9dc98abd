"""Raters, one module a kind."""
