"""What moderation services have in common: pieces of long texts, their labels as our levels, and one rater for all."""
