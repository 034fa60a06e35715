"""A cache for several threads: when it is full, the oldest entry is dropped."""

import threading
from typing import Generic, TypeVar

MAX_KNOWN = 4096

Key = TypeVar("Key")
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    def __init__(self) -> None:
        self._known: dict[Key, Value] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def get(self, key: Key) -> Value | None:
        return self._known.get(key)

    def keep(self, key: Key, value: Value) -> None:
        with self._lock:
            while len(self._known) >= MAX_KNOWN and key not in self._known:
                del self._known[next(iter(self._known))]
            self._known[key] = value
