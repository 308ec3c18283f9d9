#!/usr/bin/env python3
"""Inputs of 1 MB that are the worst that was thought of, for every reader: each is read, or refused, in 20 s of a core.

worst_sizes.py COTENANT [NAME...]: prints a table, and fails where one took longer or ended otherwise. Run by
hostile_sizes.sh where COTENANT_SIZES=all.
"""
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile

scale = 1.0  # of the rows that databases are asked for, so that they fit
MOST_BYTES, MOST_SECONDS, SURVEY = 1 << 20, 20, int(os.environ.get("COTENANT_SURVEY", "0"))
SYNTHETIC = {"blocks": 80, "threads": 256, "duration_ms": 1}
cotenant, names = sys.argv[1], sys.argv[2:]
cases = []


def case(name, files, *words):
    """`files`: name to text, bytes, or what makes a database of a path; `words`: those of the command."""
    cases.append((name, files, words))


def fill(make, between=",", before="", after="", most=MOST_BYTES):
    """So many of make(0), make(1) ... as fit."""
    parts, used, i = [], len(before) + len(after), 0
    while True:
        part = make(i)
        used += len(part.encode()) + len(between)
        if used > most:
            return before + between.join(parts) + after
        parts.append(part)
        i += 1


def deep(before, after, inner="1"):
    half = (MOST_BYTES - len(before) - len(after)) // 2 - 1
    return before + "[" * half + inner + "]" * half + after


def huge(before, after):
    return before + "x" * (MOST_BYTES - len(before) - len(after)) + after


def app(i, **keys):
    return json.dumps({"name": f"a{i}", "synthetic": SYNTHETIC, **keys}, separators=(",", ":"))


def workload(apps, **keys):
    head = {"gpu": "v100", "duration_s": 0.01, "warmup_s": 0, **keys}
    return json.dumps(head)[:-1] + ', "apps": [' + apps + "]}"


def one(**keys):
    return workload(app(0, **{k: v for k, v in keys.items() if k[0] != "_"}))


# ---- Workloads ----

def service(**arrivals):
    return {"role": "service", "qos_ms": 20, "arrivals": arrivals}


room = MOST_BYTES - 200
many = fill(lambda i: app(i), most=room)
case("workload: applications", {"w.json": workload(many)}, "check", "w.json")
case("workload: services", {"w.json": workload(fill(lambda i: app(i, **service(process="poisson", rate_per_s=10)), most=room))},
     "check", "w.json")
case("workload: deep", {"w.json": deep('{"gpu": ', "}")}, "check", "w.json")
case("workload: one text", {"w.json": huge('{"gpu": "', '"}')}, "check", "w.json")
case("workload: unknown keys", {"w.json": fill(lambda i: f'"k{i}":1', before="{", after="}")}, "check", "w.json")
case("workload: keys of a GPU", {"w.json": fill(lambda i: f'"k{i}":1', before='{"gpu":{"base":"v100",', after="}}")}, "check", "w.json")
case("workload: one name in every application",
     {"w.json": workload(fill(lambda i: '{"name":"a"}', most=room))}, "check", "w.json")
case("workload: stages in a chain", {"w.json": workload(fill(
    lambda i: app(i, role="service", server={"max_batch": 1}, arrivals={"process": "stage", "after": [f"a{i - 1}"]} if i else
                  {"process": "poisson", "rate_per_s": 1}), most=room))}, "check", "w.json")
case("workload: stages of one", {"w.json": workload(fill(
    lambda i: app(i, role="service", server={"max_batch": 1}, arrivals={"process": "stage", "after": ["a0"]} if i else
                  {"process": "poisson", "rate_per_s": 1}), most=room))}, "check", "w.json")
for clients in (10**5, 10**6, 2 * 10**7, 10**9, 10**18):
    text = one(**service(process="closed", clients=clients))
    case(f"workload: {clients:.0e} closed clients", {"w.json": text}, "check", "w.json")
for instances in (10**4, 10**6, 10**9, 10**18):
    case(f"workload: {instances:.0e} instances", {"w.json": one(instances=instances)}, "check", "w.json")
case("workload: applications of many instances", {"w.json": workload(fill(lambda i: app(i, instances=1000), most=room))}, "check", "w.json")
for kernels in (10**6, 10**7, 10**18):
    case(f"workload: {kernels:.0e} kernels", {"w.json": workload(json.dumps(
        {"name": "a", "synthetic": {**SYNTHETIC, "kernels": kernels}}))}, "check", "w.json")
case("workload: rate of 1e18", {"w.json": one(**service(process="poisson", rate_per_s=1e18))}, "check", "w.json")
case("workload: blocks and threads", {"w.json": workload(json.dumps(
    {"name": "a", "synthetic": {"blocks": 2**31 - 1, "threads": 1024, "duration_ms": 1}}))}, "check", "w.json")
case("workload: queries of 1e18", {"w.json": one(queries=10**18)}, "check", "w.json")
case("workload: stages after all others", {"w.json": workload(fill(lambda i: app(i, server={"max_batch": 1}, **service(process="poisson", rate_per_s=1)), most=room // 2) + "," +
     json.dumps({"name": "last", "role": "service", "server": {"max_batch": 1}, "synthetic": SYNTHETIC, "arrivals": {"process": "stage", "after": [f"a{i}" for i in range(3000)]}}))},
     "check", "w.json")
case("workload: one stage again and again", {"w.json": workload(app(0, server={"max_batch": 1}, **service(process="poisson", rate_per_s=1)) + "," + json.dumps(
    {"name": "last", "role": "service", "server": {"max_batch": 1}, "synthetic": SYNTHETIC, "arrivals": {"process": "stage", "after": ["a0"] * 150000}}))}, "check", "w.json")
case("workload: preferred sizes", {"w.json": one(**service(process="poisson", rate_per_s=10), server={"max_batch": 1024, "preferred": [1, 2] * 100000})},
     "check", "w.json")
case("workload: levels", {"w.json": one(**service(process="poisson", rate_per_s=10), server={"levels": [{"weight": 1}] * 60000})}, "check", "w.json")
case("workload: counts of bytes", {"w.json": workload(json.dumps({"name": "a", "synthetic": {**SYNTHETIC, "bytes_in": [1] * 200000}}))}, "check", "w.json")
case("workload: kernels' patterns", {"w.json": workload(json.dumps({"name": "a", "trace": "../traces.db", "kernels": [
    {"match": "*" * 8, "l2_fraction": 0.1}] * 15000}))}, "check", "w.json")
case("workload: a pattern of stars", {"w.json": workload(json.dumps({"name": "a", "trace": "../traces.db", "kernels": [
    {"match": "*a" * 300000, "l2_fraction": 0.1}]}))}, "check", "w.json")
case("workload: jobs of a trace", {"w.json": workload(json.dumps({"name": "a", "trace": "../traces.db", "jobs": [{"job": "x", "weight": 1}] * 20000}))},
     "check", "w.json")
case("run: closed clients of 20 applications", {"w.json": workload(",".join(app(i, **service(process="closed", clients=10**6)) for i in range(20)), duration_s=1e-5)},
     "run", "w.json", "-q")
case("run: closed clients of many instances", {"w.json": workload(app(0, instances=1024, **service(process="closed", clients=10**6)), duration_s=1e-5)},
     "run", "w.json", "-q")
case("run: workers of many instances", {"w.json": workload(fill(lambda i: app(i, instances=1024, workers=1024), most=room), duration_s=1e-5)}, "run", "w.json", "-q")
case("run: applications of many instances", {"w.json": workload(fill(lambda i: app(i, instances=1024), most=room), duration_s=1e-5)}, "run", "w.json", "-q")
case("run: 60 applications of 1,024 instances", {"w.json": workload(",".join(app(i, instances=1024) for i in range(60)), duration_s=1e-5)}, "run", "w.json", "-q")
case("run: tasks of many instances", {"w.json": workload(json.dumps({"name": "a", "instances": 1024, "workers": 1024, "synthetic": {
    **SYNTHETIC, "kernels": 1000000}}), duration_s=1e-5)}, "run", "w.json", "-q")
case("run: many iterations", {"w.json": workload(json.dumps({"name": "a", "iterations": 1000000, "synthetic": {**SYNTHETIC, "kernels": 1000000}}),
     duration_s=1e-5)}, "run", "w.json", "-q")
case("workload: long settings of a policy", {"w.json": workload(app(0), policy="mps:" + ":".join(f"k{i}=1" for i in range(80000)))},
     "check", "w.json")
case("workload: policy's options", {"w.json": workload(app(0), policy="baymax", policy_options={f"k{i}": 1 for i in range(50000)})},
     "check", "w.json")
case("workload: report of a run", {"w.json": workload(fill(lambda i: app(i), most=200000))}, "run", "w.json", "-q")
case("workload: predict", {"w.json": workload(fill(lambda i: app(i), most=60000))}, "predict", "--workload", "w.json", "-q")
case("plan: applications", {"w.json": workload(fill(lambda i: app(i, **service(process="poisson", rate_per_s=1)), most=room // 10))},
     "plan", "w.json", "--find", "gpus", "--budget", "1M", "-q")
case("plan: prices", {"w.json": one(**service(process="poisson", rate_per_s=10)), "p.json": fill(
    lambda i: f'"g{i}":1', before="{", after="}")}, "plan", "w.json", "--find", "gpu:v100", "--prices", "p.json", "--budget", "1M", "-q")
case("plan: a GPU's price many times", {"w.json": one(**service(process="poisson", rate_per_s=10)), "p.json": fill(
    lambda i: '"v100":1', before="{", after="}")}, "plan", "w.json", "--find", "gpu:v100", "--prices", "p.json", "--budget", "1M", "-q")
case("advise: applications", {"w.json": workload(fill(lambda i: app(i, **service(process="poisson", rate_per_s=1)), most=room))},
     "advise", "w.json", "--reps", "2", "--max-reps", "2", "-q")

# ---- Sweeps, clusters, papers ----


def sweep(designs, **keys):
    return json.dumps({"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["mps"], **keys})[:-1] + \
        ', "designs": [' + designs + "]}"


small = {"w.json": one()}
case("sweep: designs", {**small, "s.json": sweep(fill(lambda i: '{"grid":{"seed":["x"]}}', most=room))}, "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: values", {**small, "s.json": sweep(fill(lambda i: str(i), before='{"grid":{"seed":["x",', after="]}}", most=room))},
     "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: values without end", {**small, "s.json": sweep('{"grid":{"seed":' + str(list(range(1000))) + ',"duration_s":' +
     str([1] * 1000) + ',"warmup_s":' + str([0] * 1000) + "}}")}, "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: wrong values", {**small, "s.json": sweep(fill(lambda i: '"x"', before='{"grid":{"seed":[', after="]}}", most=room))},
     "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: keys of one axis", {**small, "s.json": sweep(fill(lambda i: f'"k{i}":[1]', before='{"grid":{', after="}}", most=room))},
     "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: settings", {**small, "s.json": sweep('{"grid":{"seed":[1]}}', set={f"k{i}": 1 for i in range(60000)})},
     "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: policies", {**small, "s.json": sweep('{"grid":{"seed":[1]}}', policies=[f"mps:k={i}" for i in range(60000)])},
     "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: random points", {**small, "s.json": sweep('{"random": {"seed": {"integers": [1, 1000000]}}, "points": 1000000000000, "latin": true}')},
     "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: deep", {**small, "s.json": deep('{"schema": ', "}")}, "sweep", "s.json", "-o", "s.db", "-q")
case("sweep: workload inside", {"s.json": json.dumps({"schema": "cotenant.sweep/1", "name": "s", "policies": ["mps", "fifo"], "designs": [
    {"grid": {"seed": ["x", *range(2000)]}}]})[:-1] + ', "workload": ' + workload(fill(lambda i: app(i), most=room - 30000)) + "}"},
    "sweep", "s.json", "-o", "s.db", "-q")


def cluster(gpus, apps, **keys):
    return json.dumps({"schema": "cotenant.cluster/1", "name": "c", "duration_s": 0.001, "warmup_s": 0, **keys})[:-1] + \
        f', "gpus": [{gpus}], "apps": [{apps}]' + "}"


case("cluster: applications", {"c.json": cluster('{"gpu":"v100","count":1000}', fill(lambda i: app(i, gpus=1), most=room))}, "cluster", "c.json", "-q")
case("cluster: groups", {"c.json": cluster(fill(lambda i: '{"gpu":"v100","count":1}', most=room), app(0, gpus=1))}, "cluster", "c.json", "-q")
for count in (10**6, 10**18):
    case(f"cluster: {count:.0e} GPUs", {"c.json": cluster('{"gpu":"v100","count":%d}' % count, app(0, gpus=1))}, "cluster", "c.json", "-q")
    case(f"cluster: {count:.0e} places", {"c.json": cluster('{"gpu":"v100","count":1}', app(0, gpus=count))}, "cluster", "c.json", "-q")
case("cluster: unknown keys", {"c.json": cluster('{"gpu":"v100","count":1}', app(0, gpus=1), **{f"k{i}": 1 for i in range(60000)})},
     "cluster", "c.json", "-q")
case("cluster: deep", {"c.json": deep('{"schema": ', "}")}, "cluster", "c.json", "-q")
case("cluster: placements", {"c.json": cluster('{"gpu":"v100","count":1}', app(0, gpus=1), placement=["random"] * 80000)}, "cluster", "c.json", "-q")

# ---- What a workload names: GPUs, contention, memory, networks, arrivals, servers' logs ----

own_gpu = json.dumps({**json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/models/gpus/v100.json"))),
                      "name": "g", "title": "g", "also": [], "sources": {}})[:-1]
case("GPU: keys", {"w.json": workload(app(0), gpu="g"), "share/gpus/g.json": fill(lambda i: f'"k{i}":1', before=own_gpu + ",", after="}", most=room)},
     "check", "w.json")
case("GPU: sources", {"w.json": workload(app(0), gpu="g"), "share/gpus/g.json": fill(
    lambda i: f'"k{i}":"x"', before=own_gpu.replace('"sources": {}', '"notes": 1') + ',"sources":{', after="}}", most=room)}, "check", "w.json")
case("GPU: numbers", {"w.json": workload(app(0), gpu={"base": "v100", "sms": 1024, "hw_queues": 10**9})}, "check", "w.json")
SOLO, PAIRS = "app,quota_pct,latency_ms\n", "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms\n"
case("contention: rows of many applications", {"s.csv": fill(lambda i: f"a{i},100,1", "\n", SOLO), "p.csv": fill(
    lambda i: f"a{i},100,a{i + 1},100,2,2", "\n", PAIRS)}, "validate", "s.csv", "p.csv", "-q")
case("contention: rows", {"s.csv": fill(lambda i: f"a{i},100,1", "\n", SOLO, most=4000), "p.csv": fill(
    lambda i: f"a{i % 299},100,a{(i * 7 + 1) % 300},100,1.5,2", "\n", PAIRS)}, "validate", "s.csv", "p.csv", "-q")
case("contention: fit", {"s.csv": fill(lambda i: f"a{i},100,1", "\n", SOLO, most=4000), "p.csv": fill(
    lambda i: f"a{i % 299},100,a{(i * 7 + 1) % 300},100,1.5,2", "\n", PAIRS)}, "calibrate", "s.csv", "p.csv", "-o", "m.json", "-q")
case("contention: fit of many applications", {"s.csv": fill(lambda i: f"a{i},100,1", "\n", SOLO), "p.csv": fill(
    lambda i: f"a{i},100,a{i + 1},100,2,2", "\n", PAIRS)}, "calibrate", "s.csv", "p.csv", "-o", "m.json", "-q")
case("memory: curve", {"w.json": workload(app(0), gpu={"base": "v100", "dram": "d.json"}), "d.json": fill(
    lambda i: '{"rbh":%.6f,"utilisation":0.5}' % (i / 1e5), before='{"schema":"cotenant.dram/1","points":[],"line":{"c1":0.6,"c2":0.4,"r2":0.9},"curve":[',
    after="]}")}, "check", "w.json")
case("arrivals: stamps", {"a.csv": fill(lambda i: str(i), "\n", "seconds\n"), "w.json": one(
    role="service", qos_ms=1, arrivals={"process": "trace", "file": "a.csv", "column": "seconds"})}, "check", "w.json")
case("arrivals: one line", {"a.csv": "seconds," * (MOST_BYTES // 8)}, "import", "arrivals", "a.csv", "--column", "seconds", "-o", "o.csv", "-q")
case("arrivals: columns", {"a.csv": fill(lambda i: f"c{i}") + "\n"}, "import", "arrivals", "a.csv", "--column", "x", "-o", "o.csv", "-q")
case("arrivals: quotes", {"a.csv": 'seconds\n"' + '""' * (MOST_BYTES // 2 - 10)}, "import", "arrivals", "a.csv", "--column", "seconds", "-o", "o.csv", "-q")
case("arrivals: wrong stamps", {"a.csv": fill(lambda i: "x", "\n", "seconds\n")}, "import", "arrivals", "a.csv", "--column", "seconds", "-o", "o.csv", "-q")
case("arrivals: dates", {"a.csv": fill(lambda i: "2023-11-16 18:17:03.9799600", "\n", "seconds\n")}, "import", "arrivals", "a.csv", "--column", "seconds",
     "-o", "o.csv", "-q")
case("network: layers", {"n.json": fill(lambda i: '{"kind":"elementwise","name":"t%d"}' % i, before=
     '{"schema":"cotenant.network/1","name":"n","source":"m","licence":"","batch":1,"element_bytes":4,"input":[3,32,32],"layers":[', after="]}")},
     "import", "network", "n.json", "--gpu", "v100", "-o", "n.db", "-q")
case("network: one name", {"n.json": fill(lambda i: '{"kind":"elementwise","name":"t"}', before=
     '{"schema":"cotenant.network/1","name":"n","source":"m","licence":"","batch":1,"element_bytes":4,"input":[3,32,32],"layers":[', after="]}")},
     "import", "network", "n.json", "--gpu", "v100", "-o", "n.db", "-q")
case("network: deep", {"n.json": deep('{"schema":', "}")}, "import", "network", "n.json", "--gpu", "v100", "-o", "n.db", "-q")

# ---- Recordings ----


def kernel(i, name, ts=None, stream=7, args=""):
    return (f'{{"ph":"X","cat":"kernel","name":"{name}","ts":{ts if ts is not None else 10 * i},"dur":5,"args":{{"device":0,"stream":{stream},'
            f'"grid":[80,1,1],"block":[256,1,1]{args}}}}}')


def kineto(make):
    return fill(make, before='{"deviceProperties":[{"id":0,"name":"Tesla V100-SXM2-16GB"}],"traceEvents":[', after="]}")


imports = ("import", "kineto", "k.json", "-o", "t.db", "-q")
case("kineto: kernels of many names", {"k.json": kineto(lambda i: kernel(i, f"k{i}"))}, *imports)
case("kineto: kernels at one time", {"k.json": kineto(lambda i: kernel(i, "k", 0))}, *imports)
case("kineto: streams", {"k.json": kineto(lambda i: kernel(i, "k", stream=i))}, *imports)
case("kineto: devices", {"k.json": kineto(lambda i: kernel(i, "k").replace('"device":0', f'"device":{i}'))}, *imports)
case("kineto: correlations", {"k.json": kineto(lambda i: kernel(i, "k", args=f',"correlation":{i // 2}') if i % 2 else
     f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":{10 * i},"dur":3,"tid":{i},"args":{{"correlation":{i // 2}}}}}')}, *imports)
case("kineto: operators inside one another", {"k.json": kineto(
    lambda i: f'{{"ph":"X","cat":"cpu_op","name":"o{i}","ts":{i},"dur":{10**6 - 2 * i},"tid":1,"pid":1,"args":{{}}}}')[:-2] + "," + kernel(0, "k") + "]}"}, *imports)
case("kineto: steps", {"k.json": kineto(lambda i: kernel(i, "k") if i % 2 else
     f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{i}","ts":{10 * i},"dur":19,"tid":1}}')}, *imports)
case("kineto: flows and synchronisations", {"k.json": kineto(lambda i: kernel(i, "k", args=f',"correlation":{i}') if i % 3 == 0 else
     f'{{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","ts":{10 * i},"dur":3,"tid":1,"args":{{"correlation":{i}}}}}')}, *imports)
case("kineto: empty events", {"k.json": kineto(lambda i: "{}")}, *imports)
case("kineto: deep", {"k.json": deep('{"traceEvents":', "}")}, *imports)
case("kineto: one text", {"k.json": huge('{"traceEvents":[{"name":"', '"}]}')}, *imports)
case("kineto: numbers", {"k.json": '{"traceEvents":[{"ts":' + "9" * (MOST_BYTES - 100) + "}]}"}, *imports)
case("nsys csv: kernels", {"k.csv": fill(lambda i: f"{10 * i},5,{i},80,1,1,256,1,1,16,0,0,,Tesla V100 (0),{i},k{i}", "\n",
     "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Device,Strm,Name\n")},
     "import", "nsys", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("nsys csv: devices", {"k.csv": fill(lambda i: f"{10 * i},5,{i},80,1,1,256,1,1,16,0,0,,Tesla V100 ({i}),1,k", "\n",
     "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Device,Strm,Name\n")},
     "import", "nsys", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
nvprof = ('==1== NVPROF is profiling process 1, command: ./app\n==1== Profiling result:\n"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y",'
          '"Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"\n'
          'us,us,,,,,,,,B,B,KB,GB/s,,,,,,\n')
case("nvprof: kernels", {"k.csv": fill(lambda i: f'{10 * i},5,80,1,1,256,1,1,16,0,0,,,,,"Tesla V100 (0)","1","7","k{i}"', "\n", nvprof)},
     "import", "nvprof", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("nvprof: streams", {"k.csv": fill(lambda i: f'{10 * i},5,80,1,1,256,1,1,16,0,0,,,,,"Tesla V100 (0)","1","{i}","k"', "\n", nvprof)},
     "import", "nvprof", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("nvprof: metrics", {"k.csv": fill(lambda i: f'"GeForce GTX 1080 Ti (0)","k{i}",3,"achieved_occupancy","a","0.5","0.6","0.55"', "\n",
     '==1== NVPROF is profiling process 1, command: ./app\n==1== Metric result:\n"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n')},
     "import", "nvprof", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
ncu = ('"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name",'
       '"Metric Unit","Metric Value"\n')
case("ncu: kernels", {"k.csv": fill(lambda i: f'"{i}","9","a","h","k{i}","1","7","(128, 2, 1)","(64, 1, 1)","0","9.0","S","Duration","usecond","1"', "\n", ncu)},
     "import", "ncu", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("ncu: metrics of one kernel", {"k.csv": fill(lambda i: f'"0","9","a","h","k","1","7","(128, 2, 1)","(64, 1, 1)","0","9.0","S","Metric {i}","usecond","1"', "\n", ncu)},
     "import", "ncu", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("orion: kernels", {"k.csv": fill(lambda i: f"k{i},1,0,8,100", "\n", "Name,Profile,Memory_footprint,SM_usage,Duration\n")},
     "import", "orion", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("csv: fields of nothing", {"k.csv": "," * MOST_BYTES}, "import", "orion", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("csv: lines of nothing", {"k.csv": "\n" * MOST_BYTES}, "import", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")
case("measured: papers' rows", {"k.csv": "\0" * MOST_BYTES}, "import", "k.csv", "--gpu", "v100", "-o", "t.db", "-q")


def nsys(path, *statements):
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT);"
        "INSERT INTO TARGET_INFO_GPU VALUES(0, 'Tesla V100-SXM2-16GB');"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,"
        " correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,"
        " blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);"
        "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, text TEXT, globalTid INTEGER, eventType INTEGER, textId INTEGER);")
    for s in statements:
        db.executescript(s() if callable(s) else s)
    db.commit()
    db.execute("VACUUM")
    db.close()


def rows(most, select):
    return f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {int(most * scale)}) {select} FROM n;"


def nsys_case(name, *statements):
    case(f"nsys: {name}", {"k.sqlite": lambda p: nsys(p, *statements)}, "import", "nsys", "k.sqlite", "-o", "t.db", "-q")


def with_rows(most, select):
    table, values = select
    return lambda: f"INSERT INTO {table} " + rows(most, f"SELECT {values}")


KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
nsys_case("kernels of many names", with_rows(12000, ("StringIds", "i, 'k' || i")),
          with_rows(12000, (KERNEL, "10*i, 10*i+5, 0, 1, 7, i, 1, i, i, 80, 1, 1, 256, 1, 1, 16, 0, 0")))
nsys_case("streams", "INSERT INTO StringIds VALUES(1, 'k');",
          with_rows(15000, (KERNEL, "10*i, 10*i+5, 0, 1, i, i, 1, 1, 1, 80, 1, 1, 256, 1, 1, 16, 0, 0")))
nsys_case("ranges inside one another", "INSERT INTO StringIds VALUES(1, 'k');",
          with_rows(2000, (KERNEL, "10*i, 10*i+5, 0, 1, 7, i, 1, 1, 1, 80, 1, 1, 256, 1, 1, 16, 0, 0")),
          with_rows(2000, ("CUPTI_ACTIVITY_KIND_RUNTIME", "10*i-5, 10*i-4, 1, i, 1")),
          with_rows(20000, ("NVTX_EVENTS", "i, 10000000-i, 'r' || i, 1, 59, NULL")))
nsys_case("one time", "INSERT INTO StringIds VALUES(1, 'k');",
          with_rows(16000, (KERNEL, "1, 6, 0, 1, 7, 1, 1, 1, 1, 80, 1, 1, 256, 1, 1, 16, 0, 0")),
          with_rows(4000, ("CUPTI_ACTIVITY_KIND_RUNTIME", "1, 1, 1, 1, 1")))

# ---- Stores ----


def edited(source, *statements):
    def make(path):
        with open(source, "rb") as old, open(path, "wb") as new:
            new.write(old.read())
        db = sqlite3.connect(path)
        for s in statements:
            db.executescript(s() if callable(s) else s)
        db.commit()
        db.execute("VACUUM")
        db.close()
    return make


READERS = (("report",), ("report", "--format", "json"), ("report", "--format", "csv"), ("explain",), ("html", "-o", "x.html"), ("timeline", "-o", "x.json"),
           ("plot", "-o", "x"))


def store_case(name, *statements):
    for words in READERS:
        case(f"{' '.join(words)} of a store: {name}", {"r.db": edited("../base.db", *statements)}, words[0], "r.db", *words[1:], "-q")


def insert(table, values, most):
    return lambda: f"INSERT OR IGNORE INTO {table} " + rows(most, f"SELECT {values}")


def app_copies(most):
    def make(path):
        edited("../base.db")(path)
        db = sqlite3.connect(path)
        columns = [r[1] for r in db.execute("PRAGMA table_info(app)")]
        listed = ", ".join({"position": "n.i", "name": "'n' || n.i"}.get(c, c) for c in columns)
        db.executescript(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {int(most * scale)})"
                         f" INSERT INTO app SELECT {listed} FROM (SELECT * FROM app WHERE position = 0), n;")
        db.commit()
        db.execute("VACUUM")
        db.close()
    return make


def run_copies(most):
    def make(path):
        edited("../base.db")(path)
        db = sqlite3.connect(path)
        tables = {"run": "number", "system": "run", "app": "run"}
        for table in ("job", "task", "decision", "decision_note", "job_delay", "sample", "counter", "device", "notice", "blame", "blame_matrix"):
            db.execute(f"DELETE FROM {table}")
        for table, number in tables.items():
            columns = [r[1] for r in db.execute(f"PRAGMA table_info({table})")]
            listed = ", ".join(f"{number} + n.i" if c == number else c for c in columns)
            db.executescript(f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {int(most * scale)})"
                             f" INSERT INTO {table} SELECT {listed} FROM (SELECT * FROM {table} WHERE {number} = 1), n;")
        db.commit()
        db.execute("VACUUM")
        db.close()
    return make


for words in READERS:
    case(f"{' '.join(words)} of a store: applications", {"r.db": app_copies(2500)}, words[0], "r.db", *words[1:], "-q")
    case(f"{' '.join(words)} of a store: runs", {"r.db": run_copies(700)}, words[0], "r.db", *words[1:], "-q")
CLEAR = "DELETE FROM job_delay; DELETE FROM sample; DELETE FROM decision_note; DELETE FROM decision; DELETE FROM task; DELETE FROM job;"
store_case("jobs", CLEAR, insert("job(run, app, instance, number, arrival_ps, first_issue_ps, end_ps)", "1, 0, 0, i, i, i, i + 1", 40000))
store_case("tasks", CLEAR, insert("job(run, app, instance, number, arrival_ps, first_issue_ps, end_ps)", "1, 0, 0, 0, 0, 0, 100000000", 1),
           insert("task", "1, 0, 0, 0, i, i, 0, 0, -1, 0, 1, 0, i, i, i, i, i + 1, 1", 25000))
store_case("samples", CLEAR, insert("sample", "1, i, i, 's' || i, '%', NULL, 1", 30000))
store_case("decisions", "DELETE FROM decision_note; DELETE FROM decision;", "INSERT OR IGNORE INTO decision_kind VALUES(1000, 'h', 'hold', 'k', '', '', '');",
           insert("decision(run, number, time_ps, kind, app, instance, job, task, value0)", "1, i, i, 1000, 0, 0, 0, 0, 1", 20000))
store_case("notices", insert("notice", "1, 1000 + i, 'n' || i", 50000))
store_case("counters", insert("counter", "1, 1000 + i, 'k' || i, 1", 40000))
store_case("settings", insert("device", "1, 1000 + i, 'k' || i, 'v'", 40000))
store_case("kept configuration", "UPDATE run SET config = '{\"a\":' || replace(hex(zeroblob(200000)), '00', '[') || '}';")
for table in ("sweep_value",):
    store_case("points", "CREATE TABLE IF NOT EXISTS sweep_point(number INTEGER PRIMARY KEY, key TEXT UNIQUE, sweep TEXT, comparison INTEGER);"
               "CREATE TABLE IF NOT EXISTS sweep_run(point INTEGER, position INTEGER, run INTEGER, PRIMARY KEY(point, position)) WITHOUT ROWID;"
               "CREATE TABLE IF NOT EXISTS sweep_value(point INTEGER, position INTEGER, key TEXT, value NUMERIC, PRIMARY KEY(point, position)) WITHOUT ROWID;",
               insert("sweep_point", "i, 'k' || i, 's', NULL", 8000), insert("sweep_run", "i, 0, 1", 8000), insert("sweep_value", "i, 0, 'k', i", 8000))

TRACE_READERS = (("trace", "show"), ("trace", "check"), ("trace", "list"), ("trace", "export"), ("trace", "demand"), ("predict",))


def trace_case(name, *statements):
    for words in TRACE_READERS:
        case(f"{' '.join(words)}: {name}", {"t.db": edited("../traces.db", *statements)}, *words, "t.db", "-q")
    case(f"check of a trace: {name}", {"t.db": edited("../traces.db", *statements), "w.json": json.dumps(
        {"gpu": "v100", "duration_s": 0.001, "warmup_s": 0, "apps": [{"name": "a", "trace": "t.db#one"}]})}, "check", "w.json")


KERNEL_OF = "{app}, {id}, {name}, 80, 1, 1, 256, 1, 1, 16, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"
trace_case("kernels", insert("text", "1000 + i, 'k' || i", 12000), insert("kernel", KERNEL_OF.format(app=1, id="i", name="1000 + i"), 12000))
trace_case("tasks", insert("task", "1, i, 0, 0, 0, 0, 1, 1, 1, 1, NULL, NULL, 0", 30000), "UPDATE job SET tasks = (SELECT count(*) FROM task);")
trace_case("dependencies", insert("task", "1, i, 0, 0, 0, 0, 1, 1, 1, 1, NULL, NULL, 0", 300), "UPDATE job SET tasks = (SELECT count(*) FROM task);",
           "INSERT OR IGNORE INTO dependency SELECT 1, a.id, b.id FROM task a, task b WHERE b.id < a.id;")
trace_case("streams", insert("task", "1, i, 0, 0, i, 0, 1, 1, 1, 1, NULL, NULL, 0", 25000), "UPDATE job SET tasks = (SELECT count(*) FROM task);", "UPDATE app SET streams = (SELECT count(*) FROM task);")
trace_case("jobs", insert("task", "1, i, 0, 0, 0, 0, 1, 1, 1, 1, NULL, NULL, 0", 12000), insert("job", "1, i, 'j' || i, i, 1, 0, 5", 12000))
trace_case("applications", insert("app", "i + 1, 'a' || i, 'v100', '', '', 1000, 1000, 1, 0, 0, 1", 5000),
           insert("kernel", KERNEL_OF.format(app="i + 1", id=0, name="(SELECT min(id) FROM text)"), 5000),
           insert("task", "i + 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, NULL, NULL, 0", 5000), insert("job", "i + 1, 0, 'j', 0, 1, 0, 5", 5000))
trace_case("curves", insert("curve", "1, 0, i, 2.0", 999), "INSERT INTO curve VALUES(1, 0, 1000, 1.0);")
trace_case("text", "UPDATE text SET value = hex(zeroblob(400000));")
case("workload: applications of one store", {"t.db": edited("../traces.db", insert("app", "i + 1, 'a' || i, 'v100', '', '', 1000, 1000, 1, 0, 0, 1", 2000),
     insert("kernel", KERNEL_OF.format(app="i + 1", id=0, name="(SELECT min(id) FROM text)"), 2000),
     insert("task", "i + 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, NULL, NULL, 0", 2000), insert("job", "i + 1, 0, 'j', 0, 1, 0, 5", 2000)),
     "w.json": json.dumps({"gpu": "v100", "duration_s": 0.001, "warmup_s": 0, "apps": [{"name": f"a{i}", "trace": f"t.db#a{i}"} for i in range(1, 2001)]})},
     "check", "w.json")


def run(files, words):
    global scale
    for name, content in files.items():
        scale = 1.0
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        while callable(content):
            if os.path.exists(name):
                os.remove(name)
            content(name)
            if os.path.getsize(name) <= MOST_BYTES:
                break
            scale *= 0.8 * MOST_BYTES / os.path.getsize(name)
        if not callable(content):
            with open(name, "w") as out:
                out.write(content)
            assert os.path.getsize(name) <= MOST_BYTES + 4096, (name, os.path.getsize(name))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = SURVEY or MOST_SECONDS
    done = subprocess.run([cotenant, *words], stdin=subprocess.DEVNULL, env={**os.environ, **({"COTENANT_SHARE": "share"} if os.path.isdir("share") else {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    text = done.stderr.decode(errors="replace").replace("\r", "\n").strip().split("\n")
    return done.returncode, seconds, text[0]


def main():
    cotenant_here = os.path.abspath(cotenant)
    globals()["cotenant"] = cotenant_here
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("base.json", "w") as out:
            json.dump({"gpu": "v100", "duration_s": 0.02, "warmup_s": 0, "apps": [
                {"name": "q", **service(process="poisson", rate_per_s=100), "synthetic": SYNTHETIC}]}, out)
        subprocess.run([cotenant, "run", "base.json", "-o", "base.db", "--timeline", "base.line", "-q"], check=True, stdout=subprocess.DEVNULL)
        with open("one.json", "w") as out:
            out.write('{"deviceProperties":[{"id":0,"name":"Tesla V100-SXM2-16GB"}],"traceEvents":[' + kernel(0, "k") + "]}")
        subprocess.run([cotenant, "import", "kineto", "one.json", "-o", "traces.db", "-q"], check=True)
        for name, files, words in cases:
            if names and not any(n in name for n in names):
                continue
            os.mkdir("case")
            os.chdir("case")
            code, seconds, said = run(files, words)
            os.chdir("..")
            shutil.rmtree("case")
            good = code in (0, 2, 3)
            failed += not good
            print(f"{'' if good else 'FAILED '}{name:60} {code:4} {seconds:6.2f} s  {said[:150]}", flush=True)
    print(f"{len(cases)} inputs, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
