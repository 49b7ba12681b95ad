"""Mean mass on the tags under a rule."""

import numpy as np
import pytest

from labeldist import BayesLE
from labeldist.datasets import binarize, make_artificial
from labeldist.enhancement._bayes_le import tag_mass
from labeldist.enhancement._bayes_le.tag_mass import mean_tag_mass
from labeldist.enhancement._bayes_le.tag_rule import Rule

L = binarize(make_artificial(400, random_state=0)[1])


@pytest.mark.parametrize("rule", [Rule("half", 0.5), Rule("half", 0.8), Rule("order")])
def test_mass_is_that_of_bayes_le(rule, monkeypatch):
    noise = 0.0 if rule.name == "order" else None
    D = BayesLE(rule.name, rule.threshold).fit_transform(np.empty((400, 0)), L)
    expected = (D * L).sum(axis=1).mean()
    assert mean_tag_mass(L, rule, noise, (0.3, 1.0)) == pytest.approx(expected, abs=0.02)
    monkeypatch.setattr(tag_mass, "MAX_ROWS", 200)
    assert mean_tag_mass(L, rule, noise, (0.3, 1.0)) == pytest.approx(expected, abs=0.05)


def test_rows_without_tags_are_left_out():
    padded = np.vstack([np.zeros((100, 3)), L])
    mass = mean_tag_mass(L, Rule(), None, (0.3, 1.0))
    assert mean_tag_mass(padded, Rule(), None, (0.3, 1.0)) == mass
