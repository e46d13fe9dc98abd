"""Serve a guard bundle; runs without torch."""
