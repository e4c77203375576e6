"""Tangent: the gradient operator for Python. It reads a function and writes its derivative, as Python."""

from tangent import inside, template
from tangent.api import autodiff, grad, jvp, value_and_grad, vjp
from tangent.backends.library import bind_library
from tangent.custom import custom_jvp, custom_vjp
from tangent.errors import TangentError
from tangent.implicit import implicit
from tangent.matrices import hessian, hvp, jacfwd, jacobian, jacrev
from tangent.runtime.checkpoint import checkpoint
from tangent.runtime.dispatch import ArrayType
from tangent.runtime.insert import insert_grad_of, stop_gradient
from tangent.runtime.persistent import PersistentArray, append, setitem
from tangent.runtime.zeros import ZeroGrad
from tangent.template import adjoint, non_differentiable, rules, tangent_
from tangent.testing import check_grads

inside.install()

__version__ = "0.1.0"
__all__ = [
    "ArrayType", "PersistentArray", "TangentError", "ZeroGrad", "adjoint", "append", "autodiff", "bind_library",
    "check_grads", "checkpoint", "custom_jvp", "custom_vjp", "grad", "hessian", "hvp", "implicit", "insert_grad_of",
    "jacfwd", "jacobian", "jacrev", "jvp", "non_differentiable", "rules", "setitem", "stop_gradient", "tangent_",
    "template", "value_and_grad", "vjp",
]  # fmt: skip
