"""Tangent: the gradient operator for Python. It reads a function and writes its derivative, as Python."""

from tangent import template
from tangent.api import autodiff, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from tangent.errors import TangentError
from tangent.runtime.calls import install
from tangent.runtime.persistent import PersistentArray, append, setitem
from tangent.runtime.zeros import ZeroGrad
from tangent.service import DerivativesOnDemand
from tangent.template import adjoint, tangent_
from tangent.testing import check_grads

install(DerivativesOnDemand())

__version__ = "0.1.0"
__all__ = [
    "PersistentArray", "TangentError", "ZeroGrad", "adjoint", "append", "autodiff", "check_grads", "grad", "hessian",
    "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "setitem", "tangent_", "template", "value_and_grad", "vjp",
]  # fmt: skip
