"""Build corpora: sources, annotation, translation and register shift."""
