"""The shape of all-MiniLM-L6-v2, shared by graph and reference, and the limits of its input."""

MODEL_NAME = "all-MiniLM-L6-v2"
LAYERS = 6
HEADS = 12
HIDDEN = 384
HEAD_SIZE = HIDDEN // HEADS
EPSILON = 1e-12  # of every layer norm

MAX_TOKENS = 256  # the length the model was trained for; the rest of a text is ignored
MAX_CHARS = 10_000  # more than 256 tokens of any language; keeps pasted logs from the tokenizer

# Part of the model's id: increase it when limits, pooling or normalising change.
PREPROCESSING = 1
