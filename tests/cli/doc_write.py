#!/usr/bin/env python3
"""Renews what a page shows of a command: doc_write.py PAGE TEXT OUTPUT. TEXT is the block as it stands in the page, in which a line
"..." stands for any lines; each run of lines between two of these becomes the lines of OUTPUT that are most like it, in their order."""
import difflib
import sys


def likeness(shown, printed):
    return sum(difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() for a, b in zip(shown, printed))


def runs_of(lines):
    """The runs of lines between the dots, each with whether dots stand before it."""
    runs, dots = [], False
    for line in lines:
        if line == "...":
            dots = True
        elif runs and not dots:
            runs[-1][1].append(line)
        else:
            runs.append((dots, [line]))
            dots = False
    return runs, dots


def renewed(shown, printed):
    runs, dots_at_end = runs_of(shown)
    lines, at = [], 0
    for i, (dots, run) in enumerate(runs):
        last = i == len(runs) - 1
        ends_all = last and not dots_at_end
        room = len(printed) - at - sum(len(later) for _, later in runs[i + 1:])
        if not dots and ends_all:
            size, begin = len(printed) - at, at
        else:
            size = len(run)
            begins = [len(printed) - size] if ends_all else range(at, at + room - size + 1) if dots else [at]
            begin = max(begins, key=lambda b: likeness(run, printed[b:b + size]))
        lines += (["..."] if dots else []) + printed[begin:begin + size]
        at = begin + size
    return lines + (["..."] if dots_at_end else [])


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    page, text, output = sys.argv[1:]
    shown, whole = read(text), read(page)
    if whole.count(shown) != 1:
        sys.exit(f"{page}: the block is not there exactly once")
    printed = [line.rstrip() for line in read(output).strip("\n").splitlines()]
    lines = renewed(shown.splitlines(), printed)
    with open(page, "w", encoding="utf-8") as file:
        file.write(whole.replace(shown, "".join(line + "\n" for line in lines)))


main()
