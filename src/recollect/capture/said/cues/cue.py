"""Findings about a sentence, by its words."""

from enum import StrEnum


class Cue(StrEnum):
    ASKED = "asked"  # a request to remember
    LASTING = "lasting"  # always, never, from now on
    OURS = "ours"  # practice here: we use, we don't, our
    PREFERENCE = "preference"
    REFUSAL = "refusal"  # an order not to: stop adding, no more
    WANT = "want"  # we want, we don't want
    REASON = "reason"
    CAUSE = "cause"  # of a fault
    ONCE = "once"  # valid only this time
    POINTER = "pointer"  # line 12, item 4: means something only now
    HEDGE = "hedge"
    HYPOTHESIS = "hypothesis"
    ELSEWHERE = "elsewhere"  # another project, another company, another time
    MOOD = "mood"  # anger, praise, jokes
    REBUKE = "rebuke"
    NARRATION = "narration"  # the speaker's next steps
    TASK = "task"  # an order
    REPORTED = "reported"
    PASSED = "passed"  # tests pass, it builds
    EVENT = "event"  # just now: I ran it, it failed
    UNIVERSAL = "universal"  # in all my projects
    OFFER = "offer"  # want me to ...?
