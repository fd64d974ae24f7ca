"""Training encoders: bases, losses, the trainer, distillation, and the ONNX form of what was trained."""
