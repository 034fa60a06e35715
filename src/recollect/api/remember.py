"""Storing one sentence that a user or an agent teaches."""

from dataclasses import dataclass

from recollect.api.operation import HERE, Operation, Request
from recollect.domain.memory import Kind, Sensitivity
from recollect.domain.outcome import Omissions, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Request):
    text: str
    kind: Kind | None = None  # null: a rule, a preference or a decision, judged by the words
    scope: str = HERE  # "project": the folder's project
    title: str | None = None
    aliases: tuple[str, ...] = ()
    files: tuple[str, ...] = ()  # that the memory is about, relative to the folder
    importance: float = 1.0  # 0..2
    sensitivity: Sensitivity = Sensitivity.PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    outcome: Stored
    assumed: bool  # the request named no kind
    omitted: Omissions
    unwatched: tuple[str, ...]  # files that are too large to track for changes


REMEMBER = Operation("remember", "Stores one sentence as a memory.", Remember, Remembered, writes=True)
