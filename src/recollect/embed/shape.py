"""The shape of all-MiniLM-L6-v2, which graph and reference share; and how a text is made into its input."""

MODEL_NAME = "all-MiniLM-L6-v2"
LAYERS = 6
HEADS = 12
HIDDEN = 384
HEAD_SIZE = HIDDEN // HEADS
EPSILON = 1e-12  # of every layer norm

MAX_TOKENS = 256  # what the model was trained for; the rest of a text is not read
MAX_CHARS = 10_000  # 256 tokens of any language are less; spares the tokenizer a pasted log

# How a text becomes a vector is part of the model's id: count it up when limits, pooling or normalising change.
PREPROCESSING = 1
