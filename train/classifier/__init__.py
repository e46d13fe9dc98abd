"""Classifier guards: an encoder or decoder with a head that gives, by category, the logits of P(level > above)."""
