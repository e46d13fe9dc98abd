"""A folder that `evaluate.load` takes; see the module of the same name."""
