"""Linear programs for the core, solved by HiGHS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]

__all__ = ["solve"]


def solve(
    costs: NDArray[np.float64],
    column_bounds: Bounds,
    row_bounds: Bounds,
    columns: tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Minimise the cost of columns whose rows keep to their bounds.

    On one thread and without any limit of time, so that equal programs have equal solutions. HiGHS
    lets other threads have the interpreter meanwhile.

    Parameters
    ----------
    costs : ndarray of float64, shape (columns,)
        Cost of one unit of each column.
    column_bounds, row_bounds : tuple of ndarray of float64
        Least and largest values of columns, and of the sums of rows; may be infinite.
    columns : tuple of ndarray
        Where each column's entries begin, shape (columns + 1,); then row and value of each entry.

    Returns
    -------
    ndarray of float64, shape (columns,)
        The values of the columns at an optimum.

    Raises
    ------
    RuntimeError
        When there is no optimum; the text is HiGHS's.
    """
    # Only a few routings need it, and it takes a while to load.
    import highspy

    starts, rows, values = columns
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(costs), len(row_bounds[0])
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = column_bounds
    program.row_lower_, program.row_upper_ = row_bounds
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = starts.astype(np.int32)
    program.a_matrix_.index_ = rows.astype(np.int32)
    program.a_matrix_.value_ = values

    highs = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("solver", "ipm")
    highs.passModel(program)
    highs.run()
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(highs.modelStatusToString(status))
    return np.array(highs.getSolution().col_value, dtype=np.float64)
