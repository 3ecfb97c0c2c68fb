"""A user's own files, from an experiment file alone, in the formats they come in."""

import gzip
import struct

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.optimize import minimize

SHARE = 0.2
ROWS = 60


@pytest.fixture
def table():
    """Two overlapping classes of three numbers."""
    rng = np.random.default_rng(0)
    labels = np.arange(ROWS) % 2
    return rng.normal(size=(ROWS, 3)) * [1.0, 20.0, 0.1] + labels[:, None] * [1.0, 8.0, 0.0], labels


@pytest.fixture
def sweep(critparam, tmp_path):
    """Runs two batch sizes on a problem and target; returns the result's table."""

    def run(problem, target):
        content = {
            "name": "own",
            "problem": problem,
            "target": target,
            "learning_rate": {"tune": True},
            "replicates": 8,
            "max_steps": 30_000,
            "panels": [{"name": "b", "sweep": {"batch_size": [1, 8]}}],
        }
        (tmp_path / "own.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
        done = critparam("run", "own.yaml", "--out", "out", "--format", "svg")
        assert done.code == 0, done.err
        return pd.read_csv(tmp_path / "out" / "own" / "speedup.csv")

    return run


def least_logistic_loss(features, labels, l2):
    """By a quasi-Newton method on plain NumPy."""
    signed = np.column_stack([features, np.ones(len(features))]) * (2 * labels - 1)[:, None]

    def loss(x):
        return np.mean(np.logaddexp(0, -signed @ x)) + l2 / 2 * x @ x

    return minimize(loss, np.zeros(signed.shape[1]), tol=1e-12).fun


def assert_logistic(result, features, labels):
    """Runs arrived, and the target is the share of f(0) - f* that was asked for."""
    assert result["status"].tolist() == ["ok", "ok"]
    gap = np.log(2) - least_logistic_loss(features, labels, 0.01)
    assert result["eps"].to_numpy() == pytest.approx(SHARE * gap, rel=1e-6)
    assert (result["measured_parallelism"] > 0).all()


def test_csv_with_a_named_target(sweep, table, tmp_path):
    features, labels = table
    lines = ["id,height,outcome,weight,age"]
    for number, ((a, b, c), label) in enumerate(zip(features, labels, strict=True)):
        lines.append(
            f"{number},{float(a)!r},{'ill' if label else 'healthy'},{float(b)!r},{float(c)!r}"
        )
    (tmp_path / "patients.csv").write_text("\n".join(lines), encoding="utf-8")
    data = {"kind": "csv", "path": "patients.csv", "target": "outcome", "ignore": ["id"]}
    result = sweep(
        {"kind": "logistic_regression", "l2": 0.01, "data": data},
        {"metric": "suboptimality", "relative": SHARE},
    )
    assert_logistic(result, (features - features.mean(0)) / features.std(0), labels)


@pytest.mark.parametrize("compress", [False, True])
def test_svmlight(sweep, table, tmp_path, compress):
    features, labels = table
    lines = "".join(
        f"{2 * label - 1} " + " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row)) + "\n"
        for row, label in zip(features, labels, strict=True)
    ).encode()
    path = tmp_path / ("own.svm.gz" if compress else "own.svm")
    path.write_bytes(gzip.compress(lines) if compress else lines)
    result = sweep(
        {
            "kind": "logistic_regression",
            "l2": 0.01,
            "data": {"kind": "svmlight", "path": path.name},
        },
        {"metric": "suboptimality", "relative": SHARE},
    )
    assert_logistic(result, features / np.sqrt(np.mean(features**2, axis=0)), labels)


def images(count, height, width, colours):
    """Noise with a bright upper half for the one class and a bright lower half for the other."""
    rng = np.random.default_rng(1)
    labels = np.arange(count) % 2
    pixels = rng.integers(0, 100, size=(count, height, width, colours))
    for image, label in zip(pixels, labels, strict=True):
        half = slice(0, height // 2) if label else slice(height // 2, height)
        image[half] += 100
    return pixels.astype(np.uint8), labels.astype(np.uint8)


def test_a_folder_of_mnist_s_format_trains_a_network(sweep, tmp_path):
    pixels, labels = images(20, 6, 5, 1)
    folder = tmp_path / "mnist"
    folder.mkdir()
    header = bytes([0, 0, 8, 3]) + struct.pack(">3I", 20, 6, 5)
    (folder / "train-images-idx3-ubyte").write_bytes(header + pixels.tobytes())
    header = bytes([0, 0, 8, 1]) + struct.pack(">I", 20)
    (folder / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(header + labels.tobytes()))
    result = sweep(
        {"kind": "mlp", "hidden": [4], "data": {"kind": "idx", "folder": "mnist"}},
        {"metric": "loss", "absolute": 0.3},
    )
    assert result["status"].tolist() == ["ok", "ok"]
    assert result["eps"].tolist() == [0.3, 0.3]


def test_a_folder_of_cifar_10_s_binary_version_trains_a_convolutional_network(sweep, tmp_path):
    pixels, labels = images(20, 32, 32, 3)
    folder = tmp_path / "cifar-10-batches-bin"
    folder.mkdir()
    planes = pixels.transpose(0, 3, 1, 2).reshape(20, -1)
    records = np.column_stack([labels, planes])
    for number, part in enumerate(np.split(records, 5), start=1):
        (folder / f"data_batch_{number}.bin").write_bytes(part.tobytes())
    result = sweep(
        {
            "kind": "convnet",
            "channels": [2, 2],
            "stride": 4,
            "data": {"kind": "cifar10", "folder": "cifar-10-batches-bin"},
        },
        {"metric": "loss", "absolute": 0.3},
    )
    assert result["status"].tolist() == ["ok", "ok"]


def test_a_missing_file_is_one_line_with_its_place(critparam, tmp_path):
    (tmp_path / "own.yaml").write_text(
        "name: own\n"
        "problem: {kind: mlp, hidden: [4], data: {kind: idx, folder: nowhere}}\n"
        "target: {metric: loss, absolute: 0.3}\n"
        "panels: [{name: b, sweep: {batch_size: [1]}}]\n"
    )
    done = critparam("run", "own.yaml")
    assert done.code == 2
    assert done.line.startswith("own.yaml:2: problem.data.folder: there is no folder")
    assert "train-images-idx3-ubyte" in done.line
