import os
import subprocess
import sys
import threading

import pytest

from critparam_experiments.errors import FolderInUseError
from critparam_experiments.lock import writing

HOLD = """
import sys
from pathlib import Path
from critparam_experiments.lock import writing
with writing(Path(sys.argv[1]), wait=True, notify=print):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process, which holds tmp_path until its stdin gets a line."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def refuse_notice(message):
    raise AssertionError(message)


def test_held_while_the_block_runs_and_free_afterwards(tmp_path):
    for _ in range(2):
        with writing(tmp_path, wait=False, notify=refuse_notice):
            assert str(os.getpid()) in (tmp_path / ".lock-holder").read_text()
        assert not (tmp_path / ".lock-holder").exists()


def test_free_after_an_error(tmp_path):
    with pytest.raises(KeyboardInterrupt), writing(tmp_path, wait=False, notify=refuse_notice):
        raise KeyboardInterrupt
    with writing(tmp_path, wait=False, notify=refuse_notice):
        pass


def test_another_process_is_named(tmp_path, holder):
    with pytest.raises(FolderInUseError) as caught, writing(tmp_path, wait=False, notify=print):
        pass
    assert str(holder.pid) in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert caught.value.exit_code == 4


def test_waits_until_the_other_ends_and_says_so_once(tmp_path, holder):
    messages, told = [], []

    def let_go():
        told.append(True)
        holder.stdin.write("go\n")
        holder.stdin.flush()

    timer = threading.Timer(0.3, let_go)
    timer.start()
    with writing(tmp_path, wait=True, notify=messages.append):
        assert told
        assert str(os.getpid()) in (tmp_path / ".lock-holder").read_text()
    timer.join()
    (message,) = messages
    assert str(holder.pid) in message
    assert "waiting" in message


def test_a_holder_that_was_killed_holds_nothing(tmp_path, holder):
    holder.kill()
    holder.wait()
    with writing(tmp_path, wait=False, notify=refuse_notice):
        pass
