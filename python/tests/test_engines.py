"""Other processes and engines: everything that can be asked in the parent can be asked there, with the same bits.

The table of ways to start processes is run always. Spark needs pyspark and Java, Ray and DuckDB their packages: where one
is not installed its test is skipped, and `./check` says NOT TESTED.
"""

import os
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy.spatial.distance import cdist

import adjoin
from adjoin.arrow import Placer

# Run by itself: fits in the parent on several threads, then asks for everything in children of one kind.
ELSEWHERE = """
import sys, numpy as np, adjoin
from scipy.spatial.distance import cdist

X = np.random.default_rng(0).normal(size=(150, 6))
D, E = cdist(X[:140], X[:140]), cdist(X[140:], X[:140])
E[0, 3] = np.nan
E[1, :9] = np.nan

def everything(model):
    answers = [model.place(E, "reconstruct").coordinates, model.transform(E[2:]), model.leave_one_out("reconstruct").coordinates]
    answers.append(model.place(E[2:], weights=np.linspace(1, 2, 140)).coordinates)
    answers.append(model.place(E[2:], between=cdist(X[142:], X[142:])).coordinates)
    answers.append(model.place(E[2:], "stress").coordinates)
    answers.append(adjoin.ClassicalMDS(2, metric="precomputed", n_jobs=2).fit(D).embedding_)
    for estimator in (adjoin.Isomap(n_jobs=2), adjoin.KernelPCA(2, n_jobs=2), adjoin.LandmarkMDS(n_landmarks=30, n_jobs=2)):
        answers.append(estimator.fit(X[:140]).transform(X[140:]))
    answers.append(model.map_.transform(E[2:]))
    return answers

if __name__ == "__main__":
    way = sys.argv[1]
    model = adjoin.ClassicalMDS(2, metric="precomputed", n_jobs=2).fit(D)
    expected = everything(model)
    if way in ("fork", "spawn", "forkserver"):
        import multiprocessing
        with multiprocessing.get_context(way).Pool(2) as pool:
            found = pool.map(everything, [model] * 3)
    elif way == "loky":
        from joblib import Parallel, delayed
        found = Parallel(n_jobs=2, backend="loky")(delayed(everything)(model) for _ in range(3))
    else:
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(everything, [model] * 4))
    print(all(np.array_equal(a, b, equal_nan=True) for some in found for a, b in zip(some, expected)), len(found))
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver", "loky", "threads"])
def test_every_way_to_start_work(way, tmp_path):
    """After any use in the parent: place, holes, weights, jointly, stress, leave one out, fits, other methods."""
    if way == "fork" and not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    if way == "loky":
        pytest.importorskip("joblib")
    script = tmp_path / "elsewhere.py"
    script.write_text(ELSEWHERE)
    run = subprocess.run([sys.executable, "-W", "ignore", str(script), way], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr[-3000:]
    assert run.stdout.split() == ["True", "4" if way == "threads" else "3"], run.stdout


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(80, 5)), rng.normal(size=(1000, 5))
    return adjoin.ClassicalMDS(3, metric="precomputed").fit(cdist(X, X)), cdist(Y, X)


def vectors(new, kind=None):
    flat = pa.array(np.ascontiguousarray(new).ravel())
    return pa.FixedSizeListArray.from_arrays(flat, new.shape[1]).cast(kind or pa.list_(pa.float64()))


# Run by itself: a directory of Parquet files through Spark, one of whose Python workers kills itself once.
SPARK = """
import os, signal, sys
import adjoin
from adjoin.arrow import Placer
from pyspark.sql import SparkSession

folder = sys.argv[1]
placer = Placer(folder + "/map.adjoin", vector="v", keep={"id": __import__("pyarrow").int64()}, strategy="reconstruct")

def dying_once(batches):
    for batch in batches:
        flag = folder + "/died"
        if batch.column("id")[0].as_py() >= 500 and not os.path.exists(flag):
            open(flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from placer.batches([batch])

spark = (
    SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100").config("spark.driver.memory", "1g")
    .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1").getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")
frame = spark.read.parquet(folder + "/in")
frame.mapInArrow(dying_once, placer.ddl).write.parquet(folder + "/out")
print("died", os.path.exists(folder + "/died"), spark.read.parquet(folder + "/out").columns == placer.schema.names)
labelled = Placer(folder + "/map.adjoin", vector="v", label="id")
for bad, said in ((placer, "found 79 numbers in row 7, expected 80"), (labelled, "found 79 numbers in '7' (row 7), expected 80")):
    try:
        spark.read.parquet(folder + "/bad").mapInArrow(bad.batches, bad.ddl).collect()
    except Exception as error:
        print("named", "partition 0: v: " + said in str(error))
spark.stop()
"""


def test_spark(problem, tmp_path):
    """Written, read back, bits equal to the local run; a wrong row is named in Spark's own traceback."""
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    model, new = problem
    model.save(tmp_path / "map.adjoin")
    (tmp_path / "in").mkdir()
    (tmp_path / "bad").mkdir()
    for i in range(0, 1000, 250):
        table = pa.table({"id": np.arange(i, i + 250), "v": vectors(new[i:i + 250])})
        pa.parquet.write_table(table, tmp_path / "in" / f"part{i}.parquet")
    rows = [list(row) for row in new[:10]]
    rows[7] = rows[7][:-1]
    pa.parquet.write_table(pa.table({"id": np.arange(10), "v": pa.array(rows)}), tmp_path / "bad" / "part.parquet")
    script = tmp_path / "spark.py"
    script.write_text(SPARK)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    run = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, timeout=240, env=environment
    )
    assert "died True True" in run.stdout and run.stdout.count("named True") == 2, run.stdout + run.stderr[-4000:]
    out = pa.parquet.read_table(tmp_path / "out").sort_by("id").to_pandas()
    expected = model.place(new, "reconstruct")
    assert np.array_equal(out[["axis1", "axis2", "axis3"]].to_numpy(), expected.coordinates)
    assert out["status"].tolist() == expected.status.tolist()
    assert np.array_equal(out["objective"].to_numpy(), expected.objective)


def test_duckdb(problem):
    """An Arrow function of one column of lists, and a reader of batches."""
    duckdb = pytest.importorskip("duckdb")
    model, new = problem
    placer = Placer(model, vector="v", keep=("id",))
    table = pa.table({"id": np.arange(1000), "v": vectors(new)})
    connection = duckdb.connect()
    connection.create_function("place", placer.scalar, ["DOUBLE[]"], "DOUBLE[3]", type="arrow")
    connection.register("given", table)
    found = connection.sql("SELECT id, place(v) AS y FROM given ORDER BY id").fetchnumpy()
    expected = model.place(new).coordinates
    assert np.array_equal(np.stack([np.asarray(y) for y in found["y"]]), expected)
    reader = connection.sql("SELECT * FROM given ORDER BY id").fetch_record_batch(100)
    parts = pa.Table.from_batches(placer.batches(reader), placer.schema)
    assert np.array_equal(parts.to_pandas()[["axis1", "axis2", "axis3"]].to_numpy(), expected)
    connection.register("placed", parts)
    assert connection.sql("SELECT count(*) FROM placed WHERE status = 'unique'").fetchall() == [(1000,)]


def test_ray(problem):
    """Batches of every format, in processes of Ray's own."""
    ray = pytest.importorskip("ray")
    import ray.data

    model, new = problem
    placer = Placer(model, vector="v", keep={"id": pa.int64()})
    ray.init(num_cpus=2, include_dashboard=False, ignore_reinit_error=True, log_to_driver=False)
    try:
        data = ray.data.from_arrow(pa.table({"id": np.arange(1000), "v": vectors(new)}))
        expected = model.place(new).coordinates
        for batch_format in ("pyarrow", "pandas", "numpy"):
            frame = data.map_batches(placer, batch_format=batch_format, batch_size=100).to_pandas().sort_values("id")
            assert np.array_equal(frame[["axis1", "axis2", "axis3"]].to_numpy(), expected)
    finally:
        ray.shutdown()
