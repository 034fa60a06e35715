"""Words with opposite meanings. Facts only."""

from functools import lru_cache

from recollect.text.words import index_words

_PAIRS = """
faster slower; quicker slower; fast slow; passed failed; pass fail; succeeded failed; works broken; allowed forbidden;
optional required; optional mandatory; enable disable; enabled disabled; on off; plural singular; sync async;
synchronous asynchronous; safe unsafe; ordered unordered; mutable immutable; include exclude;
accept reject; allow deny; keep delete; keep remove; add remove; put omit; encouraged discouraged; recommended
discouraged; stateful stateless; strict lenient; eager lazy; online offline;
automatic manual; automatically manually; hard soft; open closed; visible hidden;
short long; brief detailed; small large; increase decrease; increased decreased;
best worst; cheaper pricier; stable unstable; supported unsupported; deterministic random; idempotent repeated;
blocking nonblocking; shared isolated; tabs spaces;
mocked real; mock real; committed ignored; checked ignored; anonymous authenticated; many few;
better worse; higher lower; more less; can cannot; true false; always never; eager deferred;
parallel sequential; improved worse; improve degrade; used dead; used unused;
crashes works; fails works; hangs works; breaks works; soft permanent; final open; plain encrypted;
flaky reliable; smaller bigger; smaller larger; shorter longer; detailed short; welcome banned; missing present
"""

_NOT = ("un", "in", "im", "ir", "dis", "non")


@lru_cache(maxsize=1)
def _opposites() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.replace("\n", " ").split(";"):
        one, other = (index_words(word)[0] for word in pair.split())
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


def are_opposites(some: frozenset[str], others: frozenset[str]) -> bool:
    if any(not others.isdisjoint(_opposites().get(word, ())) for word in some):
        return True
    return _negates_one(some, others) or _negates_one(others, some)


def _negates_one(some: frozenset[str], others: frozenset[str]) -> bool:
    """`inaccurate`, where the others have `accurate`."""
    for word in some - others:
        for prefix in _NOT:
            if word.startswith(prefix) and word.removeprefix(prefix) in others:
                return True
    return False
