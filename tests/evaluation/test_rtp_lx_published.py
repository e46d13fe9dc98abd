"""The published agreement on RTP-LX prompts, cell by cell."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from evaluation.rtp_lx_published import flat_cells, read_published, recomputed_tables

REPOSITORY = Path(__file__).resolve().parents[2]


def test_every_published_cell_is_equal(rtp_lx):
    """Three human pairs and their mean, and Azure, by weighted kappa and percentage agreement, in eleven languages."""
    published = read_published(rtp_lx)
    theirs = flat_cells(published)
    ours = flat_cells(recomputed_tables(rtp_lx, list(published)))
    assert len(published) == 11
    assert len(theirs) == 11 * 2 * (4 * 9 + 5)
    assert {path: ours.get(path) for path in theirs} == theirs


def test_the_command_counts_the_cells(rtp_lx):
    command = [sys.executable, "-m", "evaluation.rtp_lx_published", str(rtp_lx)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "902 of 902 published cells are equal, in 11 languages.\n"


def test_a_folder_without_the_tables_is_named(tmp_path):
    command = [sys.executable, "-m", "evaluation.rtp_lx_published", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert done.returncode == 2
    assert "published_prompt_agreement.json does not exist" in done.stderr
