"""Whatever is done to an MJCF file, it becomes a scene that is written and read, or an error."""

from __future__ import annotations

import warnings

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.io.test_fuzz import XML_TOKENS, mutated, outcome

from mjcf_texts import DRIVEN, KEYS, MODELS
from polhode.errors import ModelError, ModelWarning, ParseError
from polhode.formats import mjcf
from polhode.formats.reading import Reading


@given(st.sampled_from([DRIVEN, DRIVEN, KEYS, *MODELS.values()]).flatmap(
    lambda text: mutated(text, XML_TOKENS)))  # fmt: skip
@settings(max_examples=300)
def test_mutated_mjcf(text):
    """Errors name the file and a line; what is written has the same coordinates."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ModelWarning)
        scene = outcome(mjcf.parse, text)
        if isinstance(scene, ParseError):
            assert (scene.file, scene.line is None) == ("m", False)
            return
        assert isinstance(scene, Reading)
        scene = scene.model
        try:
            written = mjcf.dumps(scene)
        except ModelError:
            return
        again = mjcf.parse(written).model
    assert (again.model.nq, again.model.nv) == (scene.model.nq, scene.model.nv)
    for keyframe in scene.keyframes:
        scene.at_keyframe(keyframe.name)
