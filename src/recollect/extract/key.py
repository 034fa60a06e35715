"""The key of an endpoint: read from its variable at the moment of a call, and kept nowhere."""

from collections.abc import Callable, Mapping

from recollect.domain.settings import ExtractorSettings
from recollect.extract.answer import NoAnswer

Key = Callable[[], str | None]  # not a text: what shows an object shows its fields


def read_key(settings: ExtractorSettings, env: Mapping[str, str]) -> str | None:
    """None: no key is wanted. NoAnswer: one is wanted and cannot be used; its value is never named."""
    name = settings.key_env
    if not name:
        return None
    key = env.get(name, "").strip()
    if not key:
        why = (
            f"the variable {name} is not set where the daemon runs; of the shell or host that starts it, it gets only "
            "those that begin with RECOLLECT_, none of your other keys"
        )
        raise NoAnswer(why, may_cost=False)
    if not key.isascii() or not key.isprintable() or " " in key:
        raise NoAnswer(f"what the variable {name} holds cannot be sent as a key", may_cost=False)
    return key
