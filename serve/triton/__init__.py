"""A guard as models of NVIDIA Triton."""
