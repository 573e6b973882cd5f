"""Names for the types of arrays."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scores = NDArray[np.floating]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
