"""Generative guards: models that answer a published safety prompt with a verdict and, some of them, with categories."""
