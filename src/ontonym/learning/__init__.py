"""All that learns: training examples, encoders, rerankers, the ranking, its calibration, hard negatives."""
