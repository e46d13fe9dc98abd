"""Raters of finished runs beside one another, on the same texts: what `python -m evaluation.compare` does."""
