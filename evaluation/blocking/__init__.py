"""Block lists: reading them, folding texts, finding their entries."""
