"""Turns a text into a vector with all-MiniLM-L6-v2, on this machine's processor and without a network.

The same text always gets the same vector: texts are embedded one by one, because in a batch an int8 model gives other
vectors. Thread-safe.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.domain.errors import ModelError, ModelMissing
from recollect.domain.model import Condition
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.embed.folder import check
from recollect.embed.graph import INPUT
from recollect.embed.manifest import MODEL, TOKENIZER
from recollect.embed.shape import MAX_CHARS, MAX_TOKENS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

VECTOR_BYTES = 4 * DIMENSIONS
WORDS_ONLY = "Until then, search uses words only."


class MiniLm:
    """A loaded model; create it with `load`."""

    def __init__(self, model: ModelId, session: "InferenceSession", tokenizer: "Tokenizer") -> None:
        self._model = model
        self._session = session
        self._tokenizer = tokenizer

    @property
    def model(self) -> ModelId:
        return self._model

    def embed(self, text: str) -> Vector:
        import numpy

        (vectors,) = self._session.run(None, {INPUT: numpy.array([self._ids(text)], dtype=numpy.int64)})
        return Vector(vectors[0].astype("<f4").tobytes())

    def knows(self, word: str) -> bool:
        """Return True if the word is one token; the model spells rare words and non-words in several."""
        return self._tokenizer.token_to_id(word) is not None

    def _ids(self, text: str) -> list[int]:
        # The tokenizer would refuse the whole text because of one unpaired surrogate.
        readable = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._tokenizer.encode(readable).ids
        return ids


def load(folder: Path) -> MiniLm:
    """Load the model in a folder after checking every byte. Raises ModelMissing or ModelError."""
    state, contents = check(folder)
    if state.facts is None:
        kind = ModelMissing if state.condition is Condition.MISSING else ModelError
        raise kind(f"{state.says} {state.advice} {WORDS_ONLY}")
    model = MiniLm(state.facts.id, open_session(contents[MODEL]), load_tokenizer(contents[TOKENIZER]))
    _check_works(model, folder)
    return model


def _check_works(model: MiniLm, folder: Path) -> None:
    """Embed one text: the hashes in a manifest can be right although the files are not a model."""
    try:
        works = len(model.embed("Does it answer?")) == VECTOR_BYTES
    except _runtime_errors():
        works = False
    if not works:
        raise ModelError(
            f"The model in {folder} does not work, although its files match the manifest. "
            f"Rebuild it with `recollect model build --force`. {WORDS_ONLY}"
        )


def _runtime_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions of onnxruntime, which have no common base class, and those of unexpected numbers."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    own = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*own, ValueError, TypeError, IndexError, RuntimeError, OverflowError)


def import_onnxruntime() -> Any:
    """Import it without telemetry: it must not write a device id into the home folder nor contact any server.

    The variable counts only before the first import, so all code imports onnxruntime through this function.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime as runtime

    runtime.disable_telemetry_events()
    return runtime


def open_session(model: bytes) -> "InferenceSession":
    try:
        onnxruntime = import_onnxruntime()
    except ImportError as error:
        raise _package_error("onnxruntime", error) from error
    options = onnxruntime.SessionOptions()
    # One thread costs the least processor time per text, and the agent's own work needs the other cores.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Both would keep the memory of the longest text so far, and make nothing faster.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Further fusing makes an int8 model of this size slower (by 8 % at 41 tokens), and differs between processors.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3  # errors only: they are raised too; users do not need the rest
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except _runtime_errors() as error:
        # The bytes have the hash of the build, so this version of onnxruntime cannot read them.
        raise ModelError(
            f"onnxruntime {onnxruntime.__version__} cannot load the model ({error}). "
            f"Rebuild it with `recollect model build --force`. {WORDS_ONLY}"
        ) from error
    session._model_bytes = None  # 28 MB that it keeps for a change of provider, which we never make
    return session


def load_tokenizer(content: bytes) -> "Tokenizer":
    """Load the tokenizer with our limits; the file itself says to pad, and to cut at 128 tokens."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise _package_error("tokenizers", error) from error
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except (ValueError, TypeError) as error:
        raise ModelError(
            f"Cannot read the tokenizer ({error}). Rebuild it with `recollect model build --force`. {WORDS_ONLY}"
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _package_error(package: str, error: ImportError) -> ModelError:
    return ModelError(f"Cannot import the package {package} ({error}). Reinstall Recollect. {WORDS_ONLY}")
