"""Builds the network as an ONNX graph: its input is the token ids of one text, its output a vector of length 1."""

from typing import TYPE_CHECKING, Any

from recollect.embed.shape import EPSILON, HEAD_SIZE, HEADS, HIDDEN, LAYERS, MAX_TOKENS

if TYPE_CHECKING:
    import numpy
    import onnx
    from numpy.typing import NDArray

    from recollect.embed.weights import Weights

OPSET = 20  # the first with Gelu
IR_VERSION = 10  # older runtimes read it too
INPUT = "ids"
OUTPUT = "vector"


class _Graph:
    """Nodes and constants in the order they are added; every output has its own name."""

    def __init__(self, weights: "Weights") -> None:
        from onnx import helper, numpy_helper

        self._make_node, self._from_array = helper.make_node, numpy_helper.from_array
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def apply(self, operation: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        output = to or f"{operation.lower()}_{len(self.nodes)}"
        self.nodes.append(self._make_node(operation, list(inputs), [output], name=f"make_{output}", **attributes))
        return output

    def constant(self, name: str, value: "NDArray[numpy.generic]") -> str:
        self.constants.append(self._from_array(value, name))
        return name

    def weight(self, name: str, *, transposed: bool = False) -> str:
        import numpy

        value = self.weights[name].T if transposed else self.weights[name]
        return self.constant(name, numpy.ascontiguousarray(value))

    def linear(self, x: str, name: str) -> str:
        product = self.apply("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.apply("Add", product, self.weight(f"{name}.bias"))

    def layer_norm(self, x: str, name: str) -> str:
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.apply("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)


def build_model(weights: "Weights") -> "onnx.ModelProto":
    from onnx import TensorProto, helper

    graph = _Graph(weights)
    x = _add_embeddings(graph)
    for layer in range(LAYERS):
        x = _add_layer(graph, x, f"encoder.layer.{layer}")
    _add_pooling(graph, x)
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            "minilm",
            [helper.make_tensor_value_info(INPUT, TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [1, HIDDEN])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="recollect",
    )


def _add_embeddings(graph: _Graph) -> str:
    import numpy

    words = graph.apply("Gather", graph.weight("embeddings.word_embeddings.weight"), INPUT, axis=0)
    table = graph.weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    # All texts have the same token type, so its embedding is added to every position.
    token_type = graph.weights["embeddings.token_type_embeddings.weight"][0]
    zero = graph.constant("zero", numpy.array(0))
    one = graph.constant("one", numpy.array(1))
    count = graph.apply("Gather", graph.apply("Shape", INPUT), one, axis=0)
    steps = graph.apply("Range", zero, count, one)
    positions = graph.apply("Gather", graph.constant("positions", table + token_type), steps, axis=0)
    return graph.layer_norm(graph.apply("Add", words, positions), "embeddings.LayerNorm")


def _add_layer(graph: _Graph, x: str, name: str) -> str:
    attended = graph.linear(_add_attention(graph, x, name), f"{name}.attention.output.dense")
    x = graph.layer_norm(graph.apply("Add", attended, x), f"{name}.attention.output.LayerNorm")
    inner = graph.apply("Gelu", graph.linear(x, f"{name}.intermediate.dense"))
    outer = graph.linear(inner, f"{name}.output.dense")
    return graph.layer_norm(graph.apply("Add", outer, x), f"{name}.output.LayerNorm")


def _add_attention(graph: _Graph, x: str, name: str) -> str:
    import numpy

    apart = graph.constant(f"{name}.apart", numpy.array([0, 0, HEADS, HEAD_SIZE]))
    together = graph.constant(f"{name}.together", numpy.array([0, 0, HIDDEN]))
    scale = graph.constant(f"{name}.scale", numpy.array(HEAD_SIZE**-0.5, dtype=numpy.float32))

    def heads(part: str, order: list[int]) -> str:
        split = graph.apply("Reshape", graph.linear(x, f"{name}.attention.self.{part}"), apart)
        return graph.apply("Transpose", split, perm=order)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    weights = graph.apply("Softmax", graph.apply("Mul", graph.apply("MatMul", query, key), scale), axis=-1)
    mixed = graph.apply("Transpose", graph.apply("MatMul", weights, value), perm=[0, 2, 1, 3])
    return graph.apply("Reshape", mixed, together)


def _add_pooling(graph: _Graph, x: str) -> None:
    """Add the mean over all tokens, scaled to length 1. Without padding, no mask is needed."""
    import numpy

    mean = graph.apply("ReduceMean", x, graph.constant("tokens_axis", numpy.array([1])), keepdims=0)
    graph.apply("LpNormalization", mean, axis=-1, p=2, to=OUTPUT)
