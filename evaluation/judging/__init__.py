"""Judging with a rubric: prompts and the parsing of answers."""
