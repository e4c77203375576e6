"""Pure functions that rules use where the mathematics is more than one NumPy call."""

from tangent.runtime.kernels.elementwise import *  # noqa: F403
from tangent.runtime.kernels.fft import *  # noqa: F403
from tangent.runtime.kernels.index import *  # noqa: F403
from tangent.runtime.kernels.linalg import *  # noqa: F403
from tangent.runtime.kernels.products import *  # noqa: F403
from tangent.runtime.kernels.reduce import *  # noqa: F403
from tangent.runtime.kernels.shape import *  # noqa: F403
