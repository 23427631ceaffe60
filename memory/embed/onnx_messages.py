"""The few message types of the ONNX format that a model is written with, described to `protobuf`.

The package `onnx` has all of them and takes 35 MB; protobuf comes with onnxruntime, which runs the model. The names,
numbers and types of the fields are those of the specification (`onnx.proto`, https://onnx.ai/onnx/repo-docs/IR.html).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        for number, field, type_ in (described.split() for described in fields.split("; ")):
            label = kind.LABEL_REPEATED if number.endswith("*") else kind.LABEL_OPTIONAL
            added = message.field.add(name=field, number=int(number.rstrip("*")), label=label)
            if type_ in _FIELDS:
                added.type, added.type_name = kind.TYPE_MESSAGE, f".scrubjay.onnx.{type_}"
            else:
                added.type = kind.Type.Value(f"TYPE_{type_.upper()}")
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
