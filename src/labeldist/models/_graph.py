"""The formulas of the models as graphs of ONNX operators, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from labeldist._extras import require
from labeldist._typing import Array
from labeldist.simplex import OutputMap

SINGLE, INTEGER, DOUBLE = 1, 7, 11
"""ONNX's numbers of float32, int64 and float64."""

ROW = np.array([1])
"""The axis along a row."""


class Operators:
    """ONNX's operators: ``ops("Add", x, y)`` is a node, whose inputs are nodes and arrays."""

    VERSION = 19
    """The version of the operators (opset) that graphs are made of: the first that compares texts."""

    def __init__(self) -> None:
        self._operators = require("skl2onnx.algebra.onnx_ops", "onnx")

    def __call__(self, operator: str, *inputs: Any, **attributes: Any) -> Any:
        """Make a node."""
        return getattr(self._operators, f"Onnx{operator}")(*inputs, op_version=self.VERSION, **attributes)

    def affine(self, X: Any, coef: Array, intercept: Array) -> Any:
        """X coefᵀ + intercept, with a row of `coef` a column that comes out."""
        return self("Add", self("MatMul", X, np.ascontiguousarray(coef.T)), intercept)

    def standardised(self, X: Any, mean: Array, scale: Array) -> Any:
        """(X − mean) / scale."""
        return self("Div", self("Sub", X, mean), scale)

    def gaussian(self, X: Any, Y: Array, width: float) -> Any:
        """exp(−‖x − y‖² / (2 width²)), as `labeldist._kernels.kernels` computes it."""
        center = np.median(Y, axis=0)
        X, Y = self("Sub", X, center), Y - center
        products = self("Mul", self("MatMul", X, np.ascontiguousarray(Y.T)), np.array([-2.0]))
        squares = self("ReduceSum", self("Mul", X, X), ROW, keepdims=1)
        squared = self("Add", self("Add", products, squares), (Y**2).sum(axis=1))
        nonnegative = self("Max", squared, np.array([0.0]))
        return self("Exp", self("Div", self("Div", nonnegative, np.array([width])), np.array([-2 * width])))

    def distributions(
        self, scores: Any, n_labels: int, output: OutputMap, *, sharpness: float = 1.0, floor: float = 0.0
    ) -> Any:
        """`labeldist.simplex.to_distributions`."""
        degrees = scores
        if output == "softmax":
            degrees = self("Softmax", self("Mul", scores, np.array([sharpness], dtype=np.float64)), axis=1)
        elif output == "project":
            degrees = self._projected(scores, n_labels)
        degrees = self("Max", degrees, np.array([floor], dtype=np.float64))
        nothing = self("Equal", self._largest(degrees), np.array([0.0]))
        degrees = self("Where", nothing, np.array([1.0]), degrees)
        # Dividing by the largest first keeps the sum within the number range.
        return self._over_sum(self("Div", degrees, self._largest(degrees)))

    def _projected(self, scores: Any, n_labels: int) -> Any:
        """`labeldist.simplex.project`."""
        scores = self("Sub", scores, self._largest(scores))
        descending = self("TopK", scores, np.array([n_labels]), axis=1, largest=1, sorted=1)[0]
        excess = self("Sub", self("CumSum", descending, ROW), np.array([1.0]))
        thresholds = self("Div", excess, np.arange(1.0, n_labels + 1))
        # They rise as long as one more label belongs to the support, and fall from there on.
        return self._over_sum(self("Max", self("Sub", scores, self._largest(thresholds)), np.array([0.0])))

    def _largest(self, degrees: Any) -> Any:
        return self("ReduceMax", degrees, ROW, keepdims=1)

    def _over_sum(self, degrees: Any) -> Any:
        return self("Div", degrees, self("ReduceSum", degrees, ROW, keepdims=1))
