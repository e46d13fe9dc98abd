"""Readers of published data sets, one module a source."""
