import re
from pathlib import Path

import pytest
from bench import learning


def test_a_small_bench_of_learning_prints_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    learning.run(tmp_path, None, exchanges=3)
    prompt, reply, answering, traced = capsys.readouterr().out.splitlines()
    assert prompt.startswith("learning from a prompt, with its vectors")
    assert reply.startswith("learning from a reply of three sentences, with its vectors")
    assert re.search(r"^a prompt runs through +[1-9]\d* files, [1-9]\d* functions, [1-9]", answering)
    assert re.search(r"^learning from \d+ events runs through +[1-9]\d* files, [1-9]\d* functions, [1-9]", traced)
