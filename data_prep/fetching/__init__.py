"""Fetching a source from its publisher: where the files are, and how they come whole."""
