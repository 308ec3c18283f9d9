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
import json
import math
import os


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


_Progress = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_double)


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("seed", ctypes.c_int64), ("reps", ctypes.c_uint32),
                ("threads", ctypes.c_uint32), ("no_blame", ctypes.c_bool), ("store", ctypes.c_char_p),
                ("progress", _Progress), ("context", ctypes.c_void_p)]


def _load():
    library = ctypes.CDLL(os.environ.get("COTENANT_LIBRARY", "libcotenant.so.0.1"))
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, *arguments in (
            ("version", text), ("scenario_file", pointer, text), ("scenario_text", pointer, text, text),
            ("scenario_free", None, pointer), ("scenario_set", ctypes.c_bool, pointer, text),
            ("scenario_policies", ctypes.c_bool, pointer, text), ("scenario_check", ctypes.c_bool, pointer),
            ("scenario_message_count", ctypes.c_size_t, pointer),
            ("scenario_message", _Message, pointer, ctypes.c_size_t),
            ("scenario_run", pointer, pointer, ctypes.POINTER(_Options)), ("results_free", None, pointer),
            ("scenario_plan", pointer, pointer, text, ctypes.POINTER(_Options)),
            ("scenario_cluster", pointer, pointer, text, ctypes.POINTER(_Options)),
            ("scenario_sweep", pointer, pointer, ctypes.POINTER(_Options)),
            ("study_report", pointer, pointer, text), ("study_free", None, pointer), ("text_free", None, pointer),
            ("results_row_count", ctypes.c_size_t, pointer), ("results_row", _Row, pointer, ctypes.c_size_t)):
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
        name = workload.get("name", "workload")
        scenario = _library.ct_scenario_text(json.dumps(workload).encode(), name.encode())
    else:
        scenario = _library.ct_scenario_file(os.fsencode(workload))
    for assignment in set:
        _library.ct_scenario_set(scenario, assignment.encode())
    if policies:
        _library.ct_scenario_policies(scenario, policies.encode())
    return scenario


def _options(reps, threads, seed, store, progress):
    hook = _Progress(lambda _, done: progress(done) is not False) if progress else _Progress()
    return _Options(ctypes.sizeof(_Options), seed, reps, threads, False,
                    os.fsencode(store) if store else None, hook, None)


def run(workload, policies=None, set=(), reps=1, threads=1, seed=-1, store=None, progress=None):
    """Runs a workload, a path or a dictionary, and returns its rows. `progress(done)` is told the part
    that is done, and ends the run by returning False. Raises Error."""
    scenario = _open(workload, policies, set)
    try:
        results = _library.ct_scenario_run(scenario, _options(reps, threads, seed, store, progress))
        if not results:
            raise Error(_messages(scenario))
        try:
            rows = (_library.ct_results_row(results, i) for i in range(_library.ct_results_row_count(results)))
            return [{"policy": _text(r.policy), "scope": _text(r.scope), "app": _text(r.app),
                     "measure": _text(r.measure), "value": _value(r)} for r in rows]
        finally:
            _library.ct_results_free(results)
    finally:
        _library.ct_scenario_free(scenario)


def _study(scenario, study):
    """The rows of a study's CSV, every value a text."""
    try:
        if not study:
            raise Error(_messages(scenario))
        text = _library.ct_study_report(study, b"csv")
        rows = list(csv.DictReader(io.StringIO(ctypes.string_at(text).decode())))
        _library.ct_text_free(text)
        _library.ct_study_free(study)
        return rows
    finally:
        _library.ct_scenario_free(scenario)


def plan(workload, find, policies=None, set=(), reps=0, threads=1, seed=-1, progress=None):
    """The points that were looked at to find "max-rate:APP", "gpus", "batch-instances:APP" or
    "gpu:PRESET,PRESET"."""
    scenario = _open(workload, policies, set)
    return _study(scenario, _library.ct_scenario_plan(
        scenario, find.encode(), _options(reps, threads, seed, None, progress)))


def cluster(path, placements=None, policies=None, set=(), reps=0, threads=1, seed=-1, progress=None):
    """A row for each placement and policy of a cluster file."""
    scenario = _open(path, policies, set)
    return _study(scenario, _library.ct_scenario_cluster(
        scenario, placements and placements.encode(), _options(reps, threads, seed, None, progress)))


def sweep(path, store, threads=1, progress=None):
    """A row for each point, policy and application of a sweep file; what the store has is not run again."""
    scenario = _open(path, None, ())
    return _study(scenario, _library.ct_scenario_sweep(
        scenario, _options(0, threads, -1, store, progress)))
