"""Text generators, one module a backend: in-process models, servers with an OpenAI-compatible interface."""
