"""Says what a text means: all-MiniLM-L6-v2 on this machine's processor, without a network.

The same text always gets the same vector: texts are embedded one by one, since an int8 model answers differently in
company. Safe to use from several threads at once.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from recollect.domain.errors import ModelError, ModelMissing
from recollect.domain.model import Condition
from recollect.domain.vector import DIMENSIONS, ModelId, Vector
from recollect.embed import telemetry_off
from recollect.embed.folder import check
from recollect.embed.graph import INPUT
from recollect.embed.manifest import MODEL, TOKENIZER
from recollect.embed.shape import MAX_CHARS, MAX_TOKENS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

VECTOR_BYTES = 4 * DIMENSIONS
WITHOUT = "Until then, search uses words only."


class MiniLm:
    """A loaded model; `load` makes one."""

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
        """Whether it was taught the word as one; what it has to spell is rare, or none."""
        return self._tokenizer.token_to_id(word) is not None

    def _ids(self, text: str) -> list[int]:
        # Half a surrogate pair is no character; the tokenizer would refuse the whole text for it.
        readable = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._tokenizer.encode(readable).ids
        return ids


def load(folder: Path) -> MiniLm:
    """The model in a folder, every byte of it checked. Raises ModelMissing or ModelError."""
    state, contents = check(folder)
    if state.facts is None:
        kind = ModelMissing if state.condition is Condition.MISSING else ModelError
        raise kind(f"{state.says} {state.advice} {WITHOUT}")
    return _tried(MiniLm(state.facts.id, session_of(contents[MODEL]), tokenizer_of(contents[TOKENIZER])), folder)


def _tried(model: MiniLm, folder: Path) -> MiniLm:
    """One text tells whether the parts belong together: a manifest can be true to files that are no model."""
    try:
        works = len(model.embed("Does it answer?")) == VECTOR_BYTES
    except _refusals():
        works = False
    if not works:
        raise ModelError(
            f"The model in {folder} is not one of ours, though its manifest says so. "
            f"`recollect model build --force` makes it anew. {WITHOUT}"
        )
    return model


def _refusals() -> tuple[type[Exception], ...]:
    """Whatever the run time raises, which has no common ancestor of its own, and what strange numbers lead to."""
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    own = [kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    return (*own, ValueError, TypeError, IndexError, RuntimeError, OverflowError)


def session_of(model: bytes) -> "InferenceSession":
    try:
        onnxruntime = telemetry_off.onnxruntime()
    except ImportError as error:
        raise _not_installed("onnxruntime", error) from error
    options = onnxruntime.SessionOptions()
    # One thread costs the least processor time per text, and the agent's own work needs the other cores.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Both would keep what the longest text ever needed, and make nothing faster.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    # Further fusing makes an int8 model of this size slower (by 8 % at 41 tokens), and differs between processors.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3  # errors only: they are raised too, the rest is not for our users
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except _refusals() as error:
        # The bytes are those that were built, so it is the run time that does not know them.
        raise ModelError(
            f"onnxruntime {onnxruntime.__version__} cannot load the model ({error}). "
            f"`recollect model build --force` makes one for it. {WITHOUT}"
        ) from error
    session._model_bytes = None  # 28 MB that it keeps for a change of provider, which never comes
    return session


def tokenizer_of(content: bytes) -> "Tokenizer":
    """Ours to set: the file itself says to pad, and to cut at 128 tokens."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise _not_installed("tokenizers", error) from error
    try:
        tokenizer = Tokenizer.from_buffer(content)
    except (ValueError, TypeError) as error:
        raise ModelError(
            f"The tokenizer cannot be read ({error}). `recollect model build --force` makes it anew. {WITHOUT}"
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _not_installed(package: str, error: ImportError) -> ModelError:
    return ModelError(f"The package {package} cannot be used ({error}): install Recollect again. {WITHOUT}")
