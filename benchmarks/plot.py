"""Line plots on logarithmic axes, as SVG, without a plotting library."""

from __future__ import annotations

import math
from pathlib import Path

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 400, 70, 50, 20, 190
COLOURS = ("#1b6ca8", "#c0392b", "#27824b", "#7a4fa3", "#b9770e", "#566573", "#148f77", "#a04000")


def line_plot(file: Path, lines: dict[str, dict[int, float]], across: str, up: str) -> None:
    """One line for each name: values over sizes."""
    xs = [math.log10(n) for values in lines.values() for n in values]
    ys = [math.log10(v) for values in lines.values() for v in values.values()]
    left, right, low, high = min(xs), max(xs), math.floor(min(ys)), math.ceil(max(ys))

    def place(n: float, v: float) -> tuple[float, float]:
        x = LEFT + (math.log10(n) - left) / (right - left) * (WIDTH - LEFT - RIGHT)
        return x, HEIGHT - BOTTOM - (math.log10(v) - low) / (high - low) * (HEIGHT - BOTTOM - TOP)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]  # fmt: skip
    for power in range(low, high + 1):
        _, y = place(10**left, 10.0**power)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    for n in sorted({n for values in lines.values() for n in values}):
        x, _ = place(n, 10.0**low)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" font-size="9">{n}</text>')
    for k, (name, values) in enumerate(lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(n, v) for n, v in values.items()))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 16 + 18 * k}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{across}</text>')
    parts.append(f'<text x="16" y="{TOP - 6}" >{up}</text></svg>')
    file.write_text("\n".join(parts) + "\n")
