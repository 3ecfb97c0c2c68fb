"""The package's public names, and what importing it costs."""

import json
import subprocess
import sys

import pytest

import critparam

NAMES = sorted(critparam._PUBLIC)


def test_public_names():
    assert dir(critparam) == NAMES
    assert {"Cell", "ExpectedDynamics", "Simulation", "Target", "compute", "fit_law"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_loaded_when_asked_for(name):
    assert getattr(critparam, name).__doc__


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'cel'"):
        critparam.cel  # noqa: B018


def test_importing_costs_nothing():
    code = "import json, sys, critparam; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {"numpy", "scipy", "jax", "jaxlib", "pandas", "matplotlib", "sklearn"}
