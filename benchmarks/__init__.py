"""Measurements: each file prints what it measures beside its target; `python -m benchmarks` runs all.

Everybody computes on one thread, which is fixed here, before NumPy is imported.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
