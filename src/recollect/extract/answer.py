"""The answer of a model, or the reason why there is none. Neither contains a key or any part of the question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    text: str
    tokens: int | None  # of question and answer, as the provider counts them; None: not reported


class NoAnswer(Exception):
    """Says why in our own words: a server's error message may repeat a key or the question."""

    def __init__(self, why: str, *, may_cost: bool, wait_s: float = 0.0) -> None:
        super().__init__(why)
        self.why = why
        self.may_cost = may_cost  # the provider may have worked on the question
        self.wait_s = wait_s  # the server asks for no requests for this long
