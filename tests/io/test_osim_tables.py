"""Tables of OpenSim: motions, forces, and places of markers."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from osim_texts import MARKER_TABLE as MARKERS
from osim_texts import MOTION
from polhode.biomechanics import MarkerTable, MotionTable, read_table
from polhode.errors import ModelError, ModelWarning, ParseError
from polhode.formats.osim import parse_table


def test_a_motion_is_read():
    """Names with blanks, numbers that are not finite, blank lines."""
    table = parse_table(MOTION.encode())
    assert isinstance(table, MotionTable)
    assert table.names == ("hip", "knee angle") and table.in_degrees is True
    assert table.times.tolist() == [0.0, 0.5, 1.0]
    assert np.array_equal(table.values, [[1, 2], [-10, np.nan], [3, np.inf]], equal_nan=True)
    assert np.array_equal(table.columns("hip")[:, 0], [1, -10, 3])
    assert table.at([0.25, 1.0]).columns("hip").tolist() == [[-4.5], [3.0]]
    assert repr(table) == "MotionTable(3 times from 0 to 1 s, 2 columns)"


@pytest.mark.parametrize(
    ("line", "in_degrees"),
    [
        ("inDegrees=no", False), ("inDegrees = YES", True), ("Angles are in degrees.", True),
        ("Angles are in radians", False), ("# SIMM Motion File Header:", True), ("x=1", None),
    ],
)  # fmt: skip
def test_what_a_header_says_of_angles(line, in_degrees):
    """In all the ways that versions of the format say it."""
    assert parse_table(MOTION.replace("inDegrees=yes", line).encode()).in_degrees is in_degrees


def test_markers_are_read_in_metres():
    """Empty cells are markers that were not seen."""
    table = parse_table(MARKERS.encode(), is_markers=True)
    assert isinstance(table, MarkerTable) and table.names == ("toe", "heel")
    assert np.allclose(table.position("toe"), [[1e-3, 2e-3, 3e-3], [4e-3, 5e-3, 6e-3]])
    assert np.isnan(table.position("heel")[0]).all()
    assert repr(table) == "MarkerTable(2 times from 0.1 to 0.2 s, 2 markers)"
    in_metres = parse_table(MARKERS.replace("mm\n", "m\n").encode(), is_markers=True)
    assert np.allclose(in_metres.position("toe"), 1e3 * table.position("toe"))


def test_files_are_told_by_their_names(tmp_path):
    """Others are refused, and errors have file and line."""
    for name, text in (("a.mot", MOTION), ("a.sto", MOTION), ("a.trc", MARKERS)):
        path = tmp_path / name
        path.write_text(text)
        assert len(read_table(path).times) > 1
    with pytest.raises(
        ModelError, match=r"ends in .mot, .sto or .trc, got .*; did you mean '.mot'"
    ):
        read_table(tmp_path / "a.mat")
    with pytest.raises(FileNotFoundError, match="did you mean"):
        read_table(tmp_path / "b.mot")
    path.write_text(MARKERS.replace("mm", "miles"))
    with pytest.raises(ParseError, match=r"a.trc:3: expected Units out of m, meters, mm, cm"):
        read_table(path)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (MOTION, "", "found an empty file"),
        (MOTION, "\0", "binary"),
        ("endheader", "end", "expected a line 'endheader'"),
        ("=yes", "=maybe", ":4: expected inDegrees=yes or no, found 'maybe'"),
        ("nRows=3", "nRows=x", ":3: expected a number of rows, found 'x'"),
        ("nRows=3", "nRows=", ":3: expected a number of rows, found ''"),
        ("nRows=3", "nColumns = 4", ":3: expected 4 columns as nColumns says, found 3"),
        ("nRows=3", "datacolumns 2\t\t", ":3: expected 2 columns as datacolumns says, found 3"),
        ("time\t", "t\t", ":7: expected 'time' as the first label, found 't'"),
        ("knee angle", "hip", ":7: two columns are named 'hip'"),
        ("\thip", "\t\thip", ":7: expected a label for each column"),
        ("0.5\t", "0.5\t7\t", ":9: expected 3 numbers, found 4"),
        ("-1e1", "ten", ":9: expected a number, found 'ten'"),
        ("-1e1", "--nan", ":9: expected a number"),
        ("-1e1", "1_0", ":9: expected a number"),
        ("0.5\t", "0\t", "expected times that rise, found 0 after 0"),
        ("0.5\t", "nan\t", "expected finite times"),
        (MOTION[MOTION.index("0\t1") :], "", "expected rows of numbers, found none"),
        (MOTION[MOTION.index("time") :], "", "expected labels of columns, found the end"),
    ],
)
def test_mistakes_in_motions(before, after, words):
    """Each with its line."""
    assert before in MOTION
    with pytest.raises(ParseError, match=words):
        parse_table(MOTION.replace(before, after, 1).encode(), "x.mot")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("PathFileType", "Path", ":1: expected 'PathFileType' first"),
        ("\t2\tmm", "\t3\tmm", ":3: expected 3 markers as NumMarkers says, found 2"),
        ("\t2\tmm", "\ttwo\tmm", ":3: expected a number of markers, found 'two'"),
        ("\t2\tmm", "\tmm", ":3: expected a value for each of 5 labels, found 4"),
        ("Frame#\tTime", "Frame\tTime", ":4: expected 'Frame#', 'Time' and names of markers"),
        ("heel", "toe", ":4: two columns are named 'toe'"),
        ("\t9\t", "\t9\t10", ":8: expected 8 numbers, found 9"),
        ("2\t0.2", "2\t", ":8: expected a frame and a time, found no time"),
        ("\t9", "\tx", ":8: expected a number, found 'x'"),
        ("0.2", "0.1", "expected times that rise"),
        (MARKERS[MARKERS.index("\t\tX1") :], "", "expected the axes of markers, found the end"),
    ],
)
def test_mistakes_in_markers(before, after, words):
    """Each with its line."""
    assert before in MARKERS
    with pytest.raises(ParseError, match=words):
        parse_table(MARKERS.replace(before, after, 1).encode(), "x.trc", is_markers=True)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("nRows=3", "nRows=4", "x.mot:3: nRows says 4 rows, found 3; all that were found are read"),
        ("nRows=3", "datarows 2", "x.mot:3: datarows says 2 rows, found 3"),
    ],
)
def test_a_header_with_another_number_of_rows_gives_a_warning(before, after, words):
    """Not an error: OpenSim's own examples have files of 901 rows whose header says 9009."""
    with pytest.warns(ModelWarning, match=words):
        table = parse_table(MOTION.replace(before, after).encode(), "x.mot")
    assert len(table.times) == 3


def test_markers_with_another_number_of_frames_give_a_warning():
    """An empty value keeps its place, so that labels have their own values."""
    text = MARKERS.replace("60\t60\t2\t2", "60\t\t5\t2")
    with pytest.warns(ModelWarning, match="x.trc:3: NumFrames says 5 frames, found 2"):
        table = parse_table(text.encode(), "x.trc", is_markers=True)
    assert len(table.times) == 2


def test_asking_for_what_is_not_there():
    """A near name is told."""
    motion, markers = parse_table(MOTION.encode()), parse_table(MARKERS.encode(), is_markers=True)
    with pytest.raises(ModelError, match="no column 'hipp' in the table; did you mean 'hip'"):
        motion.columns("hipp")
    with pytest.raises(ModelError, match="no marker 'toes' in the table; did you mean 'toe'"):
        markers.position("toes")
    with pytest.raises(ModelError, match=r"expected times from 0 to 1 s, got 0\.5 to 2"):
        motion.at([0.5, 2.0])
    with pytest.raises(ModelError, match="in one row"):
        motion.at(0.5)
    assert ph.biomechanics.MotionTable is MotionTable
