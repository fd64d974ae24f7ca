"""The tools of language models: concepts found and checked here, so that a model never invents a code."""
