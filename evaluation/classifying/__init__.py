"""Sequence classifiers: loading, windows, batches, and what their labels mean."""
