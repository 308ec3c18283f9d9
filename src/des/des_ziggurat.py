#!/usr/bin/env python3
"""Prints des_ziggurat_tables.c: layers of Marsaglia and Tsang's ziggurat (J. Stat. Software 5(8), 2000), 256 layers.

The edge of the tail, r, solves "the base layer with its tail and the top layer close up at x = 0". It is found by
bisection in 60-digit decimal arithmetic, so every machine prints the same file.
"""
from decimal import Decimal, getcontext

getcontext().prec = 60
LAYERS = 256
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


def normal_tail(r):
    """Integral of exp(-x^2/2) from r on: continued fraction of Mills' ratio, evaluated from depth 2000."""
    value = r
    for depth in range(2000, 0, -1):
        value = r + depth / value
    return (-r * r / 2).exp() / value


SHAPES = {
    "exponential": (lambda x: (-x).exp(), lambda y: -y.ln(), lambda r: (-r).exp(), 5, 10),
    "normal": (lambda x: (-x * x / 2).exp(), lambda y: (-2 * y.ln()).sqrt(), normal_tail, 3, 5),
}


def edges(shape, r):
    """Right edges of the layers from the base's up to the top one, and the area of each; None if r is too small."""
    density, inverse, tail, _, _ = shape
    area = r * density(r) + tail(r)
    right = [r]
    for _ in range(LAYERS - 2):
        height = density(right[-1]) + area / right[-1]
        if height >= 1:
            return None, area
        right.append(inverse(height))
    return right, area


def solve(shape):
    low, high = Decimal(shape[3]), Decimal(shape[4])
    while high - low > Decimal(10) ** -40:
        r = (low + high) / 2
        right, area = edges(shape, r)
        if right and shape[0](right[-1]) + area / right[-1] < 1:
            high = r
        else:
            low = r
    return high


def print_rows(items, per_row):
    for i in range(0, len(items), per_row):
        print("        " + ", ".join(items[i:i + per_row]) + ",")


def table(name, shape):
    density = shape[0]
    r = solve(shape)
    right, area = edges(shape, r)
    # Layer 0 is the base: its width makes up for the tail's area. Layer i > 0 ends at x[i], layer i + 1 at x[i + 1].
    x = [area / density(r)] + right + [Decimal(0)]
    print(f"const struct des_ziggurat des_ziggurat_{name} = {{\n    .edge = {{")
    print_rows([float(edge).hex() for edge in x], 4)
    print("    },\n    .height = {")
    heights = [density(r if i == 0 else x[i]) for i in range(LAYERS)] + [Decimal(1)]
    print_rows([float(height).hex() for height in heights], 4)
    print("    }};")


print("/* Written by des_ziggurat.py; do not edit. */\n/* clang-format off */\n#include \"des/des_ziggurat.h\"\n")
for index, (name, shape) in enumerate(SHAPES.items()):
    if index:
        print()
    table(name, shape)
