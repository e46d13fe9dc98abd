"""From items and ratings to figures: who is compared with whom, on which items, by which metrics."""
