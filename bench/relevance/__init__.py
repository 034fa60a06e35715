"""How well relevance tells what a good colleague would mention now, on a corpus of our own. `python -m bench.relevance`."""
