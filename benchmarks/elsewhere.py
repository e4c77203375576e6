"""Peers in environments of their own: another interpreter takes its turns and tells how long they took.

The environment variables BENCH_TENSORFLOW and BENCH_TANGENT_AD name the interpreters (`.../bin/python`) of environments
with `tensorflow-cpu` and with `tangent-ad`, which has our import name. Where one is not set, its peers are left out.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measure import Action, leave_out

ROOT = Path(__file__).resolve().parents[1]
INTERPRETERS = {"TensorFlow": "BENCH_TENSORFLOW", "tf.function": "BENCH_TENSORFLOW", "tangent-ad": "BENCH_TANGENT_AD"}


class Elsewhere:
    """A gradient in another process, which lives from the first question to `close`; a call is a turn of one."""

    def __init__(self, tool: str, function: str, args: Sequence[Any], wrt: Sequence[int]) -> None:
        self.interpreter = os.environ[INTERPRETERS[tool]]
        self.task = (tool, function, tuple(args), tuple(wrt))
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        self.process = subprocess.Popen(
            [self.interpreter, "-m", "benchmarks.elsewhere"], cwd=ROOT, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip
        atexit.register(self.process.kill)
        self.ask(self.task)
        return self.process

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process = None

    def ask(self, question: Any) -> Any:
        self.process = self.process or self.start()
        assert self.process.stdin is not None and self.process.stdout is not None
        pickle.dump(question, self.process.stdin)
        self.process.stdin.flush()
        answer = pickle.load(self.process.stdout)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def __call__(self) -> Any:
        return self.ask(0)

    def turn(self, calls: int) -> float:
        """Seconds a call, as the other process measures them."""
        return float(self.ask(calls))


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    return {**kept, **quiet, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def peers(tools: Sequence[str], function: str, args: Sequence[Any], wrt: Sequence[int]) -> dict[str, Action]:
    """The tools whose interpreters are named, on `module:function`."""
    found: dict[str, Action] = {}
    for tool in tools:
        if INTERPRETERS[tool] in os.environ:
            found[tool] = Elsewhere(tool, function, args, wrt)
        else:
            leave_out(tool, f"{INTERPRETERS[tool]} is not set")
    return found


# The other side


def main() -> int:
    """Answer questions: first for a gradient, then for its value (0) or for the time of so many calls."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is not for us
    action: Action | None = None
    while True:
        try:
            question = pickle.load(sys.stdin.buffer)
        except EOFError:
            return 0
        try:
            if action is None:
                action = gradient(*question)
                answer: Any = None
            else:
                answer = action() if question == 0 else turn(action, question)
        except Exception as e:
            answer = RuntimeError(f"{type(e).__name__}: {e}")
        pickle.dump(answer, answers)
        answers.flush()


def turn(action: Action, calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        action()
    return (time.process_time() - start) / calls


def gradient(tool: str, function: str, args: tuple[Any, ...], wrt: tuple[int, ...]) -> Action:
    """The gradient of `module:function`, in this process."""
    if tool == "tangent-ad":
        f = imported(function)
        import tangent  # the one of this environment

        g = tangent.grad(f, wrt=wrt)
        return lambda: g(*args)
    return tensorflow_gradient(function, args, wrt, graph=tool == "tf.function")


def imported(function: str) -> Callable[..., Any]:
    module, _, name = function.partition(":")
    found: Callable[..., Any] = getattr(__import__(module, fromlist=[name]), name)
    return found


def tensorflow_gradient(function: str, args: tuple[Any, ...], wrt: tuple[int, ...], graph: bool) -> Action:
    import types

    import tensorflow as tf
    from tensorflow.python.ops.numpy_ops import np_config

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    np_config.enable_numpy_behavior()
    sys.modules.setdefault("tangent", types.ModuleType("tangent"))  # the benchmarks import it, and do not use it here
    sys.modules["tangent"].__dict__.update(dict.fromkeys(("PersistentArray", "append", "setitem")))
    f, numpy = imported(function), tf.experimental.numpy
    tensors = [tf.constant(a) if not isinstance(a, int) else a for a in args]
    inputs = [tensors[k] for k in wrt]

    def gradients(*inputs: Any) -> Any:
        every = list(tensors)
        with tf.GradientTape() as tape:
            for k, x in zip(wrt, inputs):
                tape.watch(x)
                every[k] = x
            out = f(numpy, *every)
        return tape.gradient(out, inputs)

    made = tf.function(gradients) if graph else gradients
    return lambda: [g.numpy() for g in made(*inputs)]


if __name__ == "__main__":
    sys.exit(main())
