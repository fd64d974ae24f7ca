"""All that learns: training examples, encoders, rerankers, the ranking, its calibration, hard negatives.

Where to look (a test holds this list to the files):

- training examples from terminologies: ``recipes``; hard negatives: ``mining``; never negatives: ``equivalents``
- encoders: ``encoders``; rerankers: ``rerankers``; the loop that both share: ``trainer``, ``checkpoints``, ``threads``;
  what a training did not see: ``unseen``
- the weights of the ranking: ``ranking``, from queries that ``samples`` makes of names, written otherwise by
  ``rewriting``
- the calibration of confidences: ``calibration``, from questions that an index asks itself: ``questions``
- which stretches of a text are mentions: ``acceptance``, from texts whose mentions are known: ``markedtexts``
"""
