"""Words, sentences, tokens, error signatures and the fenced block. Pure."""
