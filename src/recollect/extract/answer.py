"""What a model that was asked gives back: an answer, or none. Neither holds a key, nor anything of the question."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    text: str
    tokens: int | None  # of question and answer, as the provider counts them; None: it does not say


class NoAnswer(Exception):
    """Why there is none, in words of our own: what a server says of an error may repeat a key or the question."""

    def __init__(self, why: str, *, may_cost: bool, wait_s: float = 0.0) -> None:
        super().__init__(why)
        self.why = why
        self.may_cost = may_cost  # the question may have been worked on
        self.wait_s = wait_s  # so long the server wants not to be asked again
