"""Modules for `evaluate.load`, one folder each: `evaluate.load("evaluation/metrics/hub/weighted_kappa")`."""
