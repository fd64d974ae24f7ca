"""The screen on which a review is worked through: drawing and keys; what they do is said in `ontonym.tasks.review`."""
