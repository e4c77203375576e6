"""Tangent: the gradient operator for Python. It reads a function and writes its derivative, as Python."""

from tangent import inside, template
from tangent.api import autodiff, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp
from tangent.errors import TangentError
from tangent.runtime.calls import install
from tangent.runtime.zeros import ZeroGrad
from tangent.service import DerivativesOnDemand
from tangent.template import adjoint, tangent_
from tangent.testing import check_grads

install(DerivativesOnDemand())
inside.install()

__version__ = "0.1.0"
__all__ = [
    "TangentError", "ZeroGrad", "adjoint", "autodiff", "check_grads", "grad", "hessian", "hvp", "jacfwd", "jacobian",
    "jacrev", "jvp", "tangent_", "template", "value_and_grad", "vjp",
]  # fmt: skip
