"""How well relevance tells what a good colleague would mention now. `python -m bench.relevance` says it."""
