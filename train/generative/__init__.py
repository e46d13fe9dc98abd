"""Guards that write their answer: causal models, fine-tuned to rate in a judge's or in Llama Guard's format."""
