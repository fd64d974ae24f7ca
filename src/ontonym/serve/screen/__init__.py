"""The screen of a review: drawing and keys; what they do is in `ontonym.tasks.review`."""
