#!/usr/bin/env python3
"""Three figures of the page of results, drawn again from the tables of `cotenant export`.

    cotenant export results.db -o tables
    python3 redraw.py tables figures

p99 over target by policy, the distribution of latency, and where the slowest 1 % of jobs spend their time. Needs pandas and
matplotlib (Debian: python3-pandas, python3-matplotlib). tables/dictionary.csv says what every column is.
"""
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

COLOURS = ["#0072b2", "#c04c00", "#007a5a", "#a3447f", "#8a6d00", "#2f86b8", "#555555", "#6b4fbb"]


def read(folder):
    """The tables by name; of a policy that was compared its pooled runs, else its runs."""
    tables = {name: pd.read_csv(folder / f"{name}.csv") for name in ("runs", "applications", "jobs", "dictionary")}
    pooled = tables["runs"][tables["runs"].replication.isna()]
    shown = pooled if len(pooled) else tables["runs"]
    return tables, shown.drop_duplicates("policy", keep="last")


def targets(tables, shown):
    """A bar per policy and service, with the 95 % interval where there is one."""
    apps = tables["applications"]
    apps = apps[apps.run.isin(shown.run) & apps.p99_over_qos.notna()]
    table, low, high = (apps.pivot(index="policy", columns="app", values=f"p99_over_qos{end}").reindex(shown.policy) for end in ("", "_ci95_low", "_ci95_high"))
    reach = [[(table - low)[app], (high - table)[app]] for app in table]
    figure, axes = plt.subplots(layout="constrained")
    table.plot.barh(ax=axes, color=COLOURS, xerr=reach, capsize=3)
    axes.axvline(1, color="black", linestyle="--", linewidth=1)
    axes.set(xlabel="p99 / target", ylabel="")
    axes.invert_yaxis()
    return figure, table


def latencies(tables, shown):
    """The part of the jobs of the first service that took longer, all replications of a policy together."""
    apps = tables["applications"]
    service = apps[apps.run.isin(shown.run) & (apps.role == "service")].app.iloc[0]
    runs = tables["runs"]
    members = runs[runs.pool.isin(shown.run) | runs.run.isin(shown.run)]
    warm = members.set_index("run").warmup_s * 1000
    jobs = tables["jobs"]
    jobs = jobs[jobs.run.isin(members.run) & (jobs.app == service) & jobs.latency_ms.notna()]
    jobs = jobs[jobs.arrival_ms >= jobs.run.map(warm)]
    figure, axes = plt.subplots(layout="constrained")
    for colour, policy in zip(COLOURS * 4, shown.policy):
        ms = jobs[jobs.policy == policy].latency_ms.sort_values()
        axes.step(ms, 1 - (ms.rank(method="first") - 0.5) / max(len(ms), 1), color=colour, label=policy)
    axes.set(xscale="log", yscale="log", xlabel=f"latency of a job of {service}, ms", ylabel="part that took longer")
    axes.legend()
    return figure, jobs.groupby("policy", sort=False).latency_ms.quantile(0.99, interpolation="higher").reindex(shown.policy)


def blame(tables, shown):
    """Where the slowest 1 % of the first service's jobs spend their time, in ms per job."""
    apps = tables["applications"]
    apps = apps[apps.run.isin(shown.run)]
    service = apps[apps.role == "service"].app.iloc[0]
    parts = [column for column in apps if column.startswith("blame_ms_p99_")]
    words = tables["dictionary"].query("table == 'applications'").set_index("column").meaning
    table = apps[apps.app == service].set_index("policy")[parts].reindex(shown.policy)
    table = table.loc[:, table.sum() > 0]
    table = table.rename(columns=lambda part: words[part].split(": ", 1)[1])
    figure, axes = plt.subplots(layout="constrained")
    table.plot.barh(ax=axes, stacked=True, colormap="tab20")
    axes.set(xlabel=f"ms per job of the slowest 1 % of {service}", ylabel="")
    axes.invert_yaxis()
    return figure, table


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = map(Path, sys.argv[1:])
    target.mkdir(exist_ok=True)
    tables, shown = read(source)
    for draw in (targets, latencies, blame):
        figure, numbers = draw(tables, shown)
        figure.savefig(target / f"{draw.__name__}.svg")
        numbers.to_csv(target / f"{draw.__name__}.csv")


main()
