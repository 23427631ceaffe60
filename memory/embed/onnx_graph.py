"""The encoder as an ONNX graph in 8-bit integers, made from the 4-bit weights without a float model in between.

The package `onnx` has all types of messages and takes 35 MB; the few that a model is written with are described here to
protobuf, which comes with onnxruntime. The names, numbers and types of their fields are those of the specification
(`onnx.proto`, https://onnx.ai/onnx/repo-docs/IR.html).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embed.model_file import Shape, Weights
from memory.ports import Vectors

INPUT = "tokens"
OUTPUT = "mean"
_OPSET = 23
_IR_VERSION = 9  # what onnxruntime reads since 1.15
_CONTRIB = "com.microsoft"
_MAX_WEIGHT = 64
"""Largest 8-bit weight. Above it two products overflow 16 bits on processors without VNNI: other vectors there."""
_OUTLIER_NEURONS = {0: 318, 1: 1462, 2: 354, 4: 778, 5: 658, 6: 1152, 7: 413}
"""Layer -> the neuron whose output is 3 to 15 times that of every other one there, whatever the text.

One 8-bit scale for all neurons would drown the rest: computed apart in float, these seven take away 60 % of the
error against the float model (mean cosine .9964 to .9986 on 40 texts in eight languages).
"""
_USUAL_SHARE = 0.97
"""Inputs that can be larger than this share of the others are made smaller, and their weights larger: see `_smooth`."""


def build(weights: Weights) -> bytes:
    """Build the serialised model: token embeddings, shape (1, tokens, hidden), to their mean after all layers.

    The graph takes one text at a time. It has neither padding nor mask: with them, and with several texts in a batch,
    the 8-bit scale of one text would depend on the others.
    """
    return _Graph(weights).build()


class _Graph:
    """Nodes and constants as they are added; every method returns the name of its result."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._shape: Shape = weights.shape
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def build(self) -> bytes:
        x, norm = self._layer_norm("emb.ln", INPUT), "emb.ln"
        for layer in range(self._shape.layers):
            x = self._feed_forward(layer, self._attention(layer, x, norm))
            norm = f"l{layer}.oln"
        axis = self._constant("tokens.axis", np.array([1], np.int64))
        self._node("ReduceMean", [x, axis], [OUTPUT], keepdims=0)
        hidden = self._shape.hidden
        graph = message(
            "Graph",
            name="e5-small",
            node=self._nodes,
            input=[value_info(INPUT, 1, "tokens", hidden)],
            output=[value_info(OUTPUT, 1, hidden)],
            initializer=self._constants,
        )
        opsets = [message("OperatorSet", domain=domain, version=of) for domain, of in (("", _OPSET), (_CONTRIB, 1))]
        model = message("Model", ir_version=_IR_VERSION, opset_import=opsets, graph=graph)
        serialised: bytes = model.SerializeToString()
        return serialised

    def _attention(self, layer: int, x: str, norm: str) -> str:
        """Add the self-attention of a layer. `norm` is the layer norm that `x` comes out of."""
        name = f"l{layer}"
        parts, seen = [f"{name}.query", f"{name}.key", f"{name}.value"], f"{name}.attention"
        matrix = np.concatenate([self._matrix(f"{name}.{part}") for part in "qkv"], axis=1)
        bias = np.concatenate([self._weights.vector(f"{name}.{part}.b") for part in "qkv"])
        self._node(
            "Split", [self._linear(f"{name}.qkv", *self._smooth(x, norm, matrix), bias)], parts, axis=2, num_outputs=3
        )
        heads = self._shape.heads
        self._node("Attention", parts, [seen], q_num_heads=heads, kv_num_heads=heads)
        change = self._linear(f"{name}.ao", seen, self._matrix(f"{name}.ao"), self._weights.vector(f"{name}.ao.b"))
        return self._residual(f"{name}.aln", change, x)

    def _feed_forward(self, layer: int, x: str) -> str:
        """Add the feed-forward part of a layer, which works on each token alone."""
        name = f"l{layer}"
        inward, outward = self._matrix(f"{name}.fi"), self._matrix(f"{name}.fo", inputs=self._shape.inner)
        bias = self._weights.vector(f"{name}.fi.b").copy()
        carried = x
        if layer in _OUTLIER_NEURONS:
            carried = self._add_outlier(name, x, (inward, bias, outward), _OUTLIER_NEURONS[layer])
        entered = self._linear(f"{name}.fi", *self._smooth(x, f"{name}.aln", inward), bias)
        active = self._gelu(f"{name}.gelu", entered)
        change = self._linear(f"{name}.fo", active, outward, self._weights.vector(f"{name}.fo.b"))
        return self._residual(f"{name}.oln", change, carried)

    def _add_outlier(self, name: str, x: str, layer: tuple[Vectors, Vectors, Vectors], neuron: int) -> str:
        """Add one neuron's output to `x` in float; that neuron is set to 0 in the 8-bit matrices."""
        inward, bias, outward = layer
        weight = self._constant(f"{name}.loud.in", inward[:, [neuron]])
        shift = self._constant(f"{name}.loud.bias", bias[[neuron]])
        back = self._constant(f"{name}.loud.out", outward[[neuron]])
        inward[:, neuron], bias[neuron], outward[neuron] = 0, 0, 0
        hidden = self._op("Add", f"{name}.loud.heard", [self._op("MatMul", f"{name}.loud.sum", [x, weight]), shift])
        output = self._op("MatMul", f"{name}.loud.said", [self._gelu(f"{name}.loud.gelu", hidden), back])
        return self._op("Add", f"{name}.loud", [x, output])

    def _smooth(self, x: str, norm: str, matrix: Vectors) -> tuple[str, Vectors]:
        """Make the few large inputs of a product smaller and their weights larger; the product stays the same.

        How large an input gets can be read off the layer norm before it (Xiao et al. 2023, "SmoothQuant", where it is
        measured): three spreads around its shift.
        """
        reach = np.abs(self._weights.vector(f"{norm}.b")) + 3 * np.abs(self._weights.vector(f"{norm}.w"))
        factor = np.maximum(1, reach / np.quantile(reach, _USUAL_SHARE)).astype(np.float32)
        name = f"{norm}.calm"
        return self._op("Mul", name, [x, self._constant(f"{name}.by", 1 / factor)]), matrix * factor[:, None]

    def _linear(self, name: str, x: str, matrix: Vectors, bias: Vectors) -> str:
        """Add a matrix product in 8 bits; the scale of the input is computed as it runs."""
        # Columns of whole numbers up to `_MAX_WEIGHT`, and what one step of each column is worth.
        scale: Vectors = np.abs(matrix).max(axis=0) / np.float32(_MAX_WEIGHT)
        scale[scale == 0] = 1
        whole = np.rint(matrix / scale).astype(np.int8)
        operands = [
            x,
            self._constant(f"{name}.weight", whole),
            self._constant(f"{name}.scale", scale),
            "",  # zero is zero, which costs less where it is not said
            self._constant(f"{name}.bias", bias),
        ]
        return self._op("DynamicQuantizeMatMul", f"{name}.out", operands, domain=_CONTRIB)

    def _gelu(self, name: str, x: str) -> str:
        return self._op("Gelu", name, [x], domain=_CONTRIB)

    def _residual(self, norm: str, change: str, x: str) -> str:
        return self._layer_norm(norm, self._op("Add", f"{norm}.sum", [change, x]))

    def _layer_norm(self, name: str, x: str) -> str:
        gain = self._constant(f"{name}.gain", self._weights.vector(f"{name}.w"))
        shift = self._constant(f"{name}.shift", self._weights.vector(f"{name}.b"))
        self._node("LayerNormalization", [x, gain, shift], [f"{name}.out"], axis=-1, epsilon=self._shape.epsilon)
        return f"{name}.out"

    def _matrix(self, name: str, *, inputs: int = 0) -> Vectors:
        """Read a weight matrix as shape (inputs, outputs)."""
        return self._weights.matrix(f"{name}.w", inputs=inputs or self._shape.hidden).T.copy()

    def _op(self, kind: str, result: str, inputs: list[str], domain: str = "") -> str:
        self._node(kind, inputs, [result], domain)
        return result

    def _constant(self, name: str, values: NDArray[np.generic]) -> str:
        self._constants.append(tensor(name, values))
        return name

    def _node(self, kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: float) -> None:
        described = [attribute(*one) for one in attributes.items()]
        self._nodes.append(
            message("Node", op_type=kind, input=inputs, output=outputs, domain=domain, attribute=described)
        )


_FIELDS = {
    "Model": "1 ir_version int64; 7 graph Graph; 8* opset_import OperatorSet",
    "OperatorSet": "1 domain string; 2 version int64",
    "Graph": "1* node Node; 2 name string; 5* initializer Tensor; 11* input ValueInfo; 12* output ValueInfo",
    "Node": "1* input string; 2* output string; 4 op_type string; 5* attribute Attribute; 7 domain string",
    "Attribute": "1 name string; 2 f float; 3 i int64; 20 type int32",
    "Tensor": "1* dims int64; 2 data_type int32; 8 name string; 9 raw_data bytes",
    "ValueInfo": "1 name string; 2 type Type",
    "Type": "1 tensor_type TensorType",
    "TensorType": "1 elem_type int32; 2 shape Shape",
    "Shape": "1* dim Dimension",
    "Dimension": "1 dim_value int64; 2 dim_param string",
}
"""Message -> number, `*` where it is repeated, name and type of each field."""

FLOAT = 1
"""A 32-bit float, among the types of tensors and of attributes."""
_INTEGER = 2
"""A whole number, among the types of attributes."""
_TENSOR_TYPES = {"float32": FLOAT, "int8": 3, "int64": 7}


@cache
def _classes() -> dict[str, Any]:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="scrubjay_onnx.proto", package="scrubjay.onnx", syntax="proto2")
    kind = descriptor_pb2.FieldDescriptorProto
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for number, field, value_type in (described.split() for described in fields.split("; ")):
            label = kind.LABEL_REPEATED if number.endswith("*") else kind.LABEL_OPTIONAL
            added = message.field.add(name=field, number=int(number.rstrip("*")), label=label)
            if value_type in _FIELDS:
                added.type, added.type_name = kind.TYPE_MESSAGE, f".scrubjay.onnx.{value_type}"
            else:
                added.type = kind.Type.Value(f"TYPE_{value_type.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"scrubjay.onnx.{name}")) for name in _FIELDS
    }


def message(kind: str, **fields: Any) -> Any:
    """Return a new message of a type in `_FIELDS`."""
    return _classes()[kind](**fields)


def tensor(name: str, values: NDArray[np.generic]) -> Any:
    """Return a constant; its values are 32-bit floats, or integers of 8 or 64 bits."""
    data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    return message("Tensor", name=name, dims=values.shape, data_type=_TENSOR_TYPES[values.dtype.name], raw_data=data)


def attribute(name: str, value: float) -> Any:
    """Return an attribute of a node: a whole number or a float."""
    if isinstance(value, int):
        return message("Attribute", name=name, i=value, type=_INTEGER)
    return message("Attribute", name=name, f=value, type=FLOAT)


def value_info(name: str, *shape: int | str) -> Any:
    """Return what a graph takes or gives: a tensor of floats; a size that is a word may be any."""
    sizes = [
        message("Dimension", **({"dim_param": size} if isinstance(size, str) else {"dim_value": size}))
        for size in shape
    ]
    of_floats = message("TensorType", elem_type=FLOAT, shape=message("Shape", dim=sizes))
    return message("ValueInfo", name=name, type=message("Type", tensor_type=of_floats))
