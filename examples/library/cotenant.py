"""cotenant from Python: one file, ctypes only.

    import cotenant, pandas
    rows = cotenant.run("mix.json", policies="mps,baymax", reps=5, set=["apps.vit.qos_ms=20"])
    pandas.DataFrame(rows).query("measure == 'latency_ms_p99'")

Each row is a dictionary with policy, scope, app, measure and value: a number, a text, or NaN where
it is unknown. libcotenant.so is the one of LD_LIBRARY_PATH or the system, or COTENANT_LIBRARY.
"""

import csv
import ctypes
import io
import itertools
import json
import math
import os
import re
import warnings


class Error(Exception):
    """What is wrong with a workload: .messages has (kind, where, text) of each."""

    def __init__(self, messages):
        super().__init__("; ".join(f"{where}: {text}" for _, where, text in messages))
        self.messages = messages


class _Message(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("where", ctypes.c_char_p), ("text", ctypes.c_char_p)]


class _Row(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("policy", "scope", "app", "measure", "text")]
    _fields_ += [("number", ctypes.c_double)]


def _record(name, *fields):
    types = {"i": ctypes.c_uint32, "n": ctypes.c_uint64, "t": ctypes.c_int64, "s": ctypes.c_char_p, "m": ctypes.c_int32}
    return type(name, (ctypes.Structure,), {"_fields_": [(f, types[t]) for t, names in fields for f in names.split()]})


_RECORDS = {  # by what is recorded: enum ct_record, and its structure
    "job": (1, _record("_Job", ("i", "app instance"), ("n", "job"), ("t", "arrival_ps first_issue_ps end_ps"))),
    "task": (2, _record("_Task", ("i", "app instance"), ("n", "job"), ("i", "task stream"), ("s", "kind name"),
                        ("n", "blocks bytes"), ("m", "share"),
                        ("t", "ready_ps issued_ps queued_ps started_ps ended_ps"))),
    "decision": (4, _record("_Decision", ("t", "time_ps"), ("s", "decision"), ("t", "app instance job task"),
                            ("n", "notes"))),
}

_Progress = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_double)


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("seed", ctypes.c_int64), ("reps", ctypes.c_uint32),
                ("threads", ctypes.c_uint32), ("no_blame", ctypes.c_bool), ("store", ctypes.c_char_p),
                ("progress", _Progress), ("context", ctypes.c_void_p), ("record", ctypes.c_uint),
                ("baseline", ctypes.c_char_p), ("measures", ctypes.c_char_p), ("self_check", ctypes.c_bool)]
    raised = None  # by the caller's progress, which C cannot hand on


def _load():
    library = ctypes.CDLL(os.environ.get("COTENANT_LIBRARY", "libcotenant.so.0.1"))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
            ("version", text), ("scenario_file", pointer, text), ("scenario_text", pointer, text, text),
            ("scenario_free", None, pointer), ("scenario_set", ctypes.c_bool, pointer, text),
            ("scenario_policies", ctypes.c_bool, pointer, text), ("scenario_check", ctypes.c_bool, pointer),
            ("scenario_allow_policy_files", None, pointer),
            ("scenario_message_count", ctypes.c_size_t, pointer),
            ("scenario_message", _Message, pointer, ctypes.c_size_t),
            ("scenario_run", pointer, pointer, ctypes.POINTER(_Options)), ("results_free", None, pointer),
            ("results_report", pointer, pointer, text),
            ("scenario_plan", pointer, pointer, text, ctypes.POINTER(_Options)),
            ("scenario_cluster", pointer, pointer, text, ctypes.POINTER(_Options)),
            ("scenario_sweep", pointer, pointer, ctypes.POINTER(_Options)),
            ("study_report", pointer, pointer, text), ("study_free", None, pointer), ("text_free", None, pointer),
            ("results_row_count", ctypes.c_size_t, pointer), ("results_row", _Row, pointer, ctypes.c_size_t),
            ("results_reps", ctypes.c_uint32, pointer), ("results_app", text, pointer, ctypes.c_size_t),
            ("results_note", text, pointer, *4 * (ctypes.c_size_t,), ctypes.POINTER(ctypes.c_double)),
            *((f"results_{what}", ctypes.c_bool, pointer, *3 * (ctypes.c_size_t,), ctypes.POINTER(record))
              for what, (_, record) in _RECORDS.items())):
        function = getattr(library, "ct_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def _text(value):
    return None if value is None else value.decode()


def _value(row):
    if row.text is None or not math.isnan(row.number):
        return row.number
    return _text(row.text)


def _messages(scenario):
    count = _library.ct_scenario_message_count(scenario)
    found = (_library.ct_scenario_message(scenario, i) for i in range(count))
    return [(("notice", "warning", "error")[m.kind], _text(m.where), _text(m.text)) for m in found]


def version():
    return _text(_library.ct_version())


def _open(workload, policies, set):
    if isinstance(workload, dict):
        name = str(workload.get("name", "workload"))
        scenario = _library.ct_scenario_text(json.dumps(workload).encode(), name.encode())
    else:
        scenario = _library.ct_scenario_file(os.fsencode(workload))
    for assignment in set:
        _library.ct_scenario_set(scenario, assignment.encode())
    if policies:
        _library.ct_scenario_policies(scenario, policies.encode())
    return scenario


def _options(reps, threads, seed, store, progress, record=0, baseline=None, measures=None, self_check=False):
    for name, value, least, end in (("reps", reps, 0, 2**32), ("threads", threads, 0, 2**32),
                                    ("seed", seed, -2**63, 2**63)):
        if not least <= value < end:  # ctypes takes any number, and cuts it
            raise ValueError(f"{name} cannot be {value}")
    options = _Options(ctypes.sizeof(_Options), seed, reps, threads, False,
                       os.fsencode(store) if store else None, _Progress(), None, record,
                       baseline and baseline.encode(), measures and measures.encode(), self_check)

    def hear(_, done):
        try:
            return progress(done) is not False
        except BaseException as raised:
            options.raised = raised
            return False

    if progress:
        options.progress = _Progress(hear)
    return options


def _reported(workload, policies, set, ask, arguments, options, read, free, allow_policy_files=False):
    """What `read` makes of what `ask` returns for the scenario."""
    scenario = _open(workload, policies, set)
    if allow_policy_files:
        _library.ct_scenario_allow_policy_files(scenario)
    found = None
    try:
        found = ask(scenario, *arguments, options)
        if options.raised:
            raise options.raised
        if not found:
            raise Error(_messages(scenario))
        for kind, where, text in _messages(scenario):
            if kind != "notice":  # an error beside results is a sweep's, of points that are not among them
                warnings.warn(f"{where}: {text}", stacklevel=4)
        return list(read(found))
    finally:
        if found:
            free(found)
        _library.ct_scenario_free(scenario)


def _run(workload, policies, set, options, read):
    return _reported(workload, policies, set, _library.ct_scenario_run, (), options, read, _library.ct_results_free)


def _rows(results):
    for i in range(_library.ct_results_row_count(results)):
        row = _library.ct_results_row(results, i)
        yield {"policy": _text(row.policy), "scope": _text(row.scope), "app": _text(row.app),
               "measure": _text(row.measure), "value": _value(row)}


def run(workload, policies=None, set=(), reps=1, threads=1, seed=-1, store=None, progress=None, self_check=False):
    """Runs a workload, a path or a dictionary, and returns its rows. `progress(done)` is told the part
    that is done, and ends the run by returning False. Warns of results that are not to be taken as they
    are, with `self_check` also of what costs runs of its own. Raises Error, ValueError for numbers that
    cannot be, and what `progress` raises."""
    return _run(workload, policies, set,
                _options(reps, threads, seed, store, progress, self_check=self_check), _rows)


_FORMULA = re.compile("^'(?='*[=+@\\t\\r-])")  # the apostrophe that stands before what a spreadsheet would run


def _csv(report):
    """What reads the rows of such a report's CSV, every value a text."""
    def read(found):
        text = report(found, b"csv")
        rows = [{name: _FORMULA.sub("", cell) for name, cell in row.items()}
                for row in csv.DictReader(io.StringIO(ctypes.string_at(text).decode()))]
        _library.ct_text_free(text)
        return rows
    return read


def compare(workload, policies, set=(), reps=5, threads=1, seed=-1, baseline=None, measures=None, progress=None):
    """The rows of a comparison, which of the policies differ: with `baseline`, one of them (None: the first)
    or "all" for all pairs, by the `measures` "targets" or "all"."""
    return _run(workload, policies, set,
                _options(reps, threads, seed, None, progress, baseline=baseline, measures=measures),
                _csv(_library.ct_results_report))


def _notes(results, *decision):
    value = ctypes.c_double()
    for note in itertools.count():
        key = _library.ct_results_note(results, *decision, note, value)
        if key is None:
            return
        yield _text(key), value.value


def _recorded(results, what):
    record = _RECORDS[what][1]()
    policies = dict.fromkeys(row["policy"] for row in _rows(results))
    for (p, policy), rep in itertools.product(enumerate(policies), range(_library.ct_results_reps(results))):
        for i in itertools.count():
            if not getattr(_library, "ct_results_" + what)(results, p, rep, i, record):
                break
            row = {field: getattr(record, field) for field, _ in record._fields_}
            row = {field: _text(value) if isinstance(value, bytes) else value for field, value in row.items()}
            if what == "decision":
                row["notes"] = dict(_notes(results, p, rep, i))
            name = _text(_library.ct_results_app(results, row["app"])) if row["app"] >= 0 else None
            yield {"policy": policy, "replication": rep, **row, "app": name}


def records(workload, what="job", policies=None, set=(), reps=1, threads=1, seed=-1):
    """Runs a workload and returns every job, "task" or "decision" of every run: times are simulated
    picoseconds, -1 where something did not happen. Raises Error."""
    return _run(workload, policies, set, _options(reps, threads, seed, None, None, _RECORDS[what][0]),
                lambda results: _recorded(results, what))


def _study(workload, policies, set, ask, arguments, options, allow_policy_files=False):
    return _reported(workload, policies, set, ask, arguments, options, _csv(_library.ct_study_report),
                     _library.ct_study_free, allow_policy_files)


def plan(workload, find, policies=None, set=(), reps=0, threads=1, seed=-1, progress=None):
    """The points that were looked at to find "max-rate:APP", "gpus", "batch-instances:APP" or
    "gpu:PRESET,PRESET". Ended by `progress`, those so far."""
    return _study(workload, policies, set, _library.ct_scenario_plan, [find.encode()],
                  _options(reps, threads, seed, None, progress))


def cluster(cluster, placements=None, policies=None, set=(), reps=0, threads=1, seed=-1, progress=None):
    """A row for each placement and policy of a cluster, a path or a dictionary. Ended by `progress`, those so far."""
    return _study(cluster, policies, set, _library.ct_scenario_cluster, [placements and placements.encode()],
                  _options(reps, threads, seed, None, progress))


def sweep(sweep, store, threads=1, progress=None, allow_policy_files=False):
    """A row for each point, policy and application of a sweep, a path or a dictionary; what the store has is not run
    again. Shared objects among its policies, which are code, are loaded where you allow it. Ended by `progress`, the
    points so far. Of points that cannot be run it warns, and returns the others; raises Error where there are none."""
    return _study(sweep, None, (), _library.ct_scenario_sweep, [], _options(0, threads, -1, store, progress),
                  allow_policy_files)
