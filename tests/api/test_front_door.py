"""The front door names what there is, and nothing else."""

import pytest

import polhode as ph


def test_every_name_is_there():
    """Each listed name can be had, is listed once, and is documented."""
    assert len(set(ph.__all__)) == len(ph.__all__)
    assert set(ph.__all__) == {*ph._HOME, *ph._MODULES, "__version__"}
    for name in ph.__all__:
        thing = getattr(ph, name)
        assert name == "__version__" or thing.__doc__
    assert set(ph.__all__) <= set(dir(ph))


def test_an_unknown_name_is_an_attribute_error():
    """As of any module."""
    with pytest.raises(AttributeError, match="'polhode' has no attribute 'inverse_dynamic'"):
        _ = ph.inverse_dynamic  # type: ignore[attr-defined]
