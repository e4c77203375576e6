"""Pure functions that rules use where the mathematics is more than one NumPy call."""

from tangent.runtime.kernels.accumulate import *  # noqa: F403
from tangent.runtime.kernels.axes import *  # noqa: F403
from tangent.runtime.kernels.calculus import *  # noqa: F403
from tangent.runtime.kernels.einsum import *  # noqa: F403
from tangent.runtime.kernels.elementwise import *  # noqa: F403
from tangent.runtime.kernels.factors import *  # noqa: F403
from tangent.runtime.kernels.fft import *  # noqa: F403
from tangent.runtime.kernels.fits import *  # noqa: F403
from tangent.runtime.kernels.functions import *  # noqa: F403
from tangent.runtime.kernels.index import *  # noqa: F403
from tangent.runtime.kernels.linalg import *  # noqa: F403
from tangent.runtime.kernels.matrices import *  # noqa: F403
from tangent.runtime.kernels.norms import *  # noqa: F403
from tangent.runtime.kernels.order import *  # noqa: F403
from tangent.runtime.kernels.padding import *  # noqa: F403
from tangent.runtime.kernels.polynomial import *  # noqa: F403
from tangent.runtime.kernels.products import *  # noqa: F403
from tangent.runtime.kernels.reduce import *  # noqa: F403
from tangent.runtime.kernels.rows import *  # noqa: F403
from tangent.runtime.kernels.selection import *  # noqa: F403
from tangent.runtime.kernels.sequences import *  # noqa: F403
from tangent.runtime.kernels.sets import *  # noqa: F403
from tangent.runtime.kernels.shape import *  # noqa: F403
from tangent.runtime.kernels.statistics import *  # noqa: F403
from tangent.runtime.kernels.vectorize import *  # noqa: F403
from tangent.runtime.kernels.vectors import *  # noqa: F403
