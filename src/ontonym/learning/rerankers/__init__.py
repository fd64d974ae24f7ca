"""Training rerankers: groups of candidates, losses, the trainer, and the ONNX form of what was trained."""
