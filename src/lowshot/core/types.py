"""Names for the arrays that everything here passes around."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scores = NDArray[np.floating]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
