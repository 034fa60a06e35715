"""The same network in plain numpy with float weights, and sentences of our own, to check a built model."""

import math
from functools import cache
from typing import TYPE_CHECKING

from recollect.embed.shape import EPSILON, HEAD_SIZE, HEADS, HIDDEN, LAYERS

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    from recollect.embed.weights import Weights

    Array = NDArray[numpy.float32]

SENTENCES = (
    "",
    "ok",
    "We deploy with Helm to GKE; the chart is in deploy/chart.",
    "Always use type hints and keep functions short.",
    "Never push to main without a green pipeline.",
    "Auth uses JWT in httpOnly cookies, signed with RS256; sessions in Redis were too slow.",
    "Why does the login test fail only on the build server and never on my machine?",
    "The queue worker restarts every night because it leaks about 40 MB an hour.",
    "Money is kept as whole cents; floats lost a cent per invoice last spring.",
    "def total(lines: list[Line]) -> int:\n    return sum(line.cents * line.count for line in lines)",
    "SELECT customer_id, count(*) FROM orders WHERE created_at > now() - interval '7 days' GROUP BY 1;",
    "const useCart = () => useContext(CartContext) ?? raise('no cart above this component')",
    "TypeError: Cannot read properties of undefined (reading 'price') at renderRow (src/table.tsx:88:17)",
    "ModuleNotFoundError: No module named 'shop.billing.tax'",
    "psycopg.errors.DeadlockDetected: deadlock detected DETAIL: Process 4121 waits for ShareLock",
    "error[E0502]: cannot borrow `cache` as mutable because it is also borrowed as immutable",
    "src/api/orders/refund_service.py",
    "kubectl -n staging rollout restart deployment/api && kubectl -n staging get pods -w",
    "a1b2c3d4 0xdeadbeef 192.168.4.17 v2.31.0-rc.2 2026-03-02T09:00:00Z",
    "请在合并之前运行全部测试。",
    "テストはすべてローカルで実行してください。",
    "배포는 금요일에 하지 않습니다.",
    "Bitte keine Umlaute in Dateinamen, das Archiv verträgt sie nicht.",
    "Не храните ключи в репозитории.",
    "🚀 shipped! 🎉🎉",
    "The importer reads a file of the bank, matches each line to an open invoice and books it. " * 12,
    "At com.shop.Cart.add(Cart.java:41)\n" * 24,
)


def compute_vectors(weights: "Weights", inputs: list[list[int]]) -> "list[Array]":
    """Return one vector of length 1 for each list of token ids."""
    return [_vector(weights, ids) for ids in inputs]


def _vector(weights: "Weights", ids: list[int]) -> "Array":
    import numpy

    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = _layer_norm(weights, x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        x = _layer(weights, x, f"encoder.layer.{layer}")
    mean = x.mean(axis=0)
    unit: Array = (mean / numpy.linalg.norm(mean)).astype(numpy.float32)
    return unit


def _layer(weights: "Weights", x: "Array", name: str) -> "Array":
    attended = _linear(weights, _attention(weights, x, name), f"{name}.attention.output.dense")
    x = _layer_norm(weights, attended + x, f"{name}.attention.output.LayerNorm")
    inner = _gelu(_linear(weights, x, f"{name}.intermediate.dense"))
    return _layer_norm(weights, _linear(weights, inner, f"{name}.output.dense") + x, f"{name}.output.LayerNorm")


def _attention(weights: "Weights", x: "Array", name: str) -> "Array":
    import numpy

    def heads(part: str) -> "Array":
        return _linear(weights, x, f"{name}.attention.self.{part}").reshape(-1, HEADS, HEAD_SIZE).swapaxes(0, 1)

    scores = heads("query") @ heads("key").swapaxes(1, 2) / numpy.float32(math.sqrt(HEAD_SIZE))
    shares = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    mixed: Array = (shares @ heads("value")).swapaxes(0, 1).reshape(-1, HIDDEN)
    return mixed


def _linear(weights: "Weights", x: "Array", name: str) -> "Array":
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _layer_norm(weights: "Weights", x: "Array", name: str) -> "Array":
    import numpy

    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = numpy.sqrt((centred * centred).mean(axis=-1, keepdims=True) + numpy.float32(EPSILON))
    normed: Array = centred / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return normed


def _gelu(x: "Array") -> "Array":
    import numpy

    points, values = _erf_table()
    half: Array = x * numpy.float32(0.5)
    gelu: Array = half + half * numpy.interp(x / math.sqrt(2), points, values).astype(numpy.float32)
    return gelu


@cache
def _erf_table() -> "tuple[NDArray[numpy.float64], NDArray[numpy.float64]]":
    """Return points of erf, which numpy lacks. Linear interpolation between them is exact to 2e-8."""
    import numpy

    points = numpy.linspace(-6, 6, 32_001)
    return points, numpy.array([math.erf(point) for point in points])
