"""The stages of a build: filter, normalise, deduplicate, balance, split, check and write."""
