"""Linear programs for the core, solved by HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._extras import needed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["solve"]


def solve(
    costs: NDArray[np.float64],
    column_bounds: Bounds,
    row_bounds: Bounds,
    columns: tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Minimise the cost of columns whose rows keep to their bounds; return their values.

    On one thread and without any limit of time, so that equal programs have equal solutions. HiGHS
    lets other threads have the interpreter meanwhile. Bounds are the least and the largest values
    of columns, and of the sums of rows; they may be infinite. `columns` is where each column's
    entries begin, shape (columns + 1,), then row and value of each entry. Without an optimum, a
    `RuntimeError` has HiGHS's text.
    """
    # Only a few routings need them, and they take a while to load.
    highspy, numpy = needed("highspy"), needed("numpy")

    starts, rows, values = columns
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(costs), len(row_bounds[0])
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = column_bounds
    program.row_lower_, program.row_upper_ = row_bounds
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = starts.astype(numpy.int32)
    program.a_matrix_.index_ = rows.astype(numpy.int32)
    program.a_matrix_.value_ = values

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("solver", "ipm")
    highs.passModel(program)
    highs.run()
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(highs.modelStatusToString(status))
    solution: NDArray[np.float64] = numpy.array(highs.getSolution().col_value, dtype=float)
    return solution
