"""The encoder as an ONNX graph in 8-bit integers, made from the 4-bit weights without a float model in between."""

from __future__ import annotations

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memory.embed.weights import Shape, Weights
from memory.ports import Vectors

INPUT = "tokens"
OUTPUT = "mean"
_OPSET = 18
_IR_VERSION = 9  # what onnxruntime reads since 1.15
_CONTRIB = "com.microsoft"
_TOP = 64
"""Largest 8-bit weight. Above it two products overflow 16 bits on processors without VNNI: other vectors there."""


def build(weights: Weights) -> bytes:
    """The serialised model: token embeddings, shape (1, tokens, hidden), to their mean after all layers, (1, hidden).

    The graph takes one text at a time. It has neither padding nor mask: with them, and with several texts in a batch,
    the 8-bit scale of one text would depend on the others.
    """
    return _Graph(weights).model()


class _Graph:
    """Nodes and constants as they are added; every method returns the name of its result."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._shape: Shape = weights.shape
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def model(self) -> bytes:
        x = self._layer_norm("emb.ln", INPUT)
        for layer in range(self._shape.layers):
            x = self._layer(f"l{layer}", x)
        axis = self._constant("tokens.axis", np.array([1], np.int64))
        self._node("ReduceMean", [x, axis], [OUTPUT], keepdims=0)
        hidden = self._shape.hidden
        graph = helper.make_graph(
            self._nodes,
            "e5-small",
            [helper.make_tensor_value_info(INPUT, TensorProto.FLOAT, [1, "tokens", hidden])],
            [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [1, hidden])],
            self._constants,
        )
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIB, 1)]
        serialised: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION).SerializeToString()
        return serialised

    def _layer(self, name: str, x: str) -> str:
        hidden, inner = self._shape.hidden, self._shape.inner
        parts = [f"{name}.query", f"{name}.key", f"{name}.value"]
        projected = self._linear([f"{name}.q", f"{name}.k", f"{name}.v"], x, inputs=hidden)
        self._node("Split", [projected], parts, axis=2, num_outputs=3)
        seen = f"{name}.attention"
        self._node("MultiHeadAttention", parts, [seen], domain=_CONTRIB, num_heads=self._shape.heads)
        x = self._residual(f"{name}.aln", self._linear([f"{name}.ao"], seen, inputs=hidden), x)
        thought = f"{name}.gelu"
        self._node("Gelu", [self._linear([f"{name}.fi"], x, inputs=hidden)], [thought], domain=_CONTRIB)
        return self._residual(f"{name}.oln", self._linear([f"{name}.fo"], thought, inputs=inner), x)

    def _linear(self, names: list[str], x: str, *, inputs: int) -> str:
        """One matrix product for all the named matrices side by side; the input's 8-bit scale is found as it runs."""
        matrix = np.concatenate([self._weights.matrix(f"{name}.w", inputs=inputs) for name in names]).T
        bias = np.concatenate([self._weights.vector(f"{name}.b") for name in names])
        whole, scale = _quantised(matrix)
        result = f"{names[0]}.out"
        operands = [
            x,
            self._constant(f"{result}.weight", whole),
            self._constant(f"{result}.scale", scale),
            self._constant(f"{result}.zero", np.zeros(len(scale), np.int8)),
            self._constant(f"{result}.bias", bias),
        ]
        self._node("DynamicQuantizeMatMul", operands, [result], domain=_CONTRIB)
        return result

    def _residual(self, norm: str, change: str, x: str) -> str:
        self._node("Add", [change, x], [f"{norm}.sum"])
        return self._layer_norm(norm, f"{norm}.sum")

    def _layer_norm(self, name: str, x: str) -> str:
        gain = self._constant(f"{name}.gain", self._weights.vector(f"{name}.w"))
        shift = self._constant(f"{name}.shift", self._weights.vector(f"{name}.b"))
        self._node("LayerNormalization", [x, gain, shift], [f"{name}.out"], axis=-1, epsilon=self._shape.epsilon)
        return f"{name}.out"

    def _constant(self, name: str, values: NDArray[np.generic]) -> str:
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def _node(self, kind: str, inputs: list[str], outputs: list[str], domain: str = "", **attributes: float) -> None:
        node = helper.make_node(kind, inputs, outputs, domain=domain)
        node.attribute.extend(helper.make_attribute(name, value) for name, value in attributes.items())
        self._nodes.append(node)


def _quantised(matrix: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Columns of whole numbers up to `_TOP`, and what one step of each column is worth."""
    scale: Vectors = np.abs(matrix).max(axis=0) / np.float32(_TOP)
    scale[scale == 0] = 1
    return np.rint(matrix / scale).astype(np.int8), scale
