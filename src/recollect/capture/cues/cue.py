"""What words can tell about a sentence."""

from enum import StrEnum


class Cue(StrEnum):
    ASKED = "asked"  # to be remembered
    STANDING = "standing"  # holds from now on, or always has
    PREFERENCE = "preference"
    ALIKE = "alike"  # as everywhere else
    NORM = "norm"  # should, must
    WANT = "want"  # we want, we don't want
    DESIGN = "design"  # what takes precedence, what is the default, what is meant
    USAGE = "usage"  # what we use, and where something lives
    REASON = "reason"
    CONTRAST = "contrast"
    FORMER = "former"  # used to, no longer
    CAUSE = "cause"  # of something that is wrong
    FIX = "fix"
    CHANGE = "change"  # was added, was moved
    NOW = "now"  # how it works since
    STATE = "state"  # a verb that tells how things are
    PURPOSE = "purpose"  # what a file or a part is there for
    LEARNT = "learnt"  # turns out, the docs say
    EVERY = "every"
    REBUKE = "rebuke"
    DENIAL = "denial"
    ONCE = "once"  # holds for this one time
    POINTER = "pointer"  # line 12, item 4: means something only now
    HEDGE = "hedge"
    HYPOTHESIS = "hypothesis"
    NARRATION = "narration"  # what the speaker is about to do
    TASK = "task"  # an order
    JOINT = "joint"  # let's, we need to
    REPORTED = "reported"
    CHAT = "chat"
    PASSED = "passed"  # tests pass, it builds
    EVENT = "event"  # what happened just now: I ran it, it failed
    UNIVERSAL = "universal"  # in all my projects
    OFFER = "offer"  # want me to ...?
