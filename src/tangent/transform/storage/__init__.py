"""Storage: writes in place are found, brought into a form that has an adjoint, or refused."""
