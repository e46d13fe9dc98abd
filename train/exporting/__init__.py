"""From a trained guard to a bundle: ONNX in several precisions, and the proof that it decides alike."""
