"""What words can tell about a sentence."""

from enum import StrEnum


class Cue(StrEnum):
    ASKED = "asked"  # to be remembered
    LASTING = "lasting"  # always, never, from now on
    OURS = "ours"  # what is done or used here: we use, we don't, our
    PREFERENCE = "preference"
    REFUSAL = "refusal"  # an order not to: stop adding, no more
    WANT = "want"  # we want, we don't want
    REASON = "reason"
    CAUSE = "cause"  # of something that is wrong
    ONCE = "once"  # holds for this one time
    POINTER = "pointer"  # line 12, item 4: means something only now
    HEDGE = "hedge"
    HYPOTHESIS = "hypothesis"
    ELSEWHERE = "elsewhere"  # another project, another company, another time
    MOOD = "mood"  # anger, praise, jokes
    REBUKE = "rebuke"
    NARRATION = "narration"  # what the speaker is about to do
    TASK = "task"  # an order
    REPORTED = "reported"
    PASSED = "passed"  # tests pass, it builds
    EVENT = "event"  # what happened just now: I ran it, it failed
    UNIVERSAL = "universal"  # in all my projects
    OFFER = "offer"  # want me to ...?
