"""Fine-tune guards, calibrate them and export them."""
