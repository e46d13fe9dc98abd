"""Worked examples from the literature, to the digits printed there."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation import metrics as m

NAN = np.nan

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units.
# Gwet uses the same data as `cac.raw4raters` in irrCAC.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]

# Fleiss (1971), table 1: thirty patients, six psychiatrists each, five diagnoses.
FLEISS_1971 = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 222445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
""".replace("222445", "224445")

# Gwet (2014), the first fifteen of Fleiss's patients: `distrib.6raters` in irrCAC.
GWET_SIX_RATERS = [
    (0, 0, 0, 6, 0), (0, 3, 0, 0, 3), (0, 1, 4, 0, 1), (0, 0, 0, 0, 6), (0, 3, 0, 3, 0),
    (2, 0, 4, 0, 0), (0, 0, 4, 0, 2), (2, 0, 3, 1, 0), (2, 0, 0, 4, 0), (0, 0, 0, 0, 6),
    (1, 0, 0, 5, 0), (1, 1, 0, 4, 0), (0, 3, 3, 0, 0), (1, 0, 0, 5, 0), (0, 2, 0, 3, 1),
]  # fmt: skip

# Gwet (2014), `cont3x3abstractors` in irrCAC: pregnancy type of a hundred women by two abstractors.
ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]


def table_of(counts: list[tuple[int, ...]]) -> np.ndarray:
    return np.array([np.repeat(np.arange(1, len(row) + 1), row) for row in counts]).T


@pytest.mark.parametrize(("measurement", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_2011(measurement: str, printed: float):
    assert round(m.krippendorff_alpha(FOUR_OBSERVERS, levels=5, measurement=measurement), 3) == printed


def test_gwet_four_raters_with_missing_ratings():
    # irrCAC's vignette (Gwet 2019) prints 0.77544 and 0.76117.
    assert round(m.gwet_ac(FOUR_OBSERVERS, levels=5), 5) == 0.77544
    assert round(m.fleiss_kappa(FOUR_OBSERVERS, levels=5), 5) == 0.76117


def test_fleiss_1971():
    ratings = np.array([[int(rating) for rating in patient] for patient in FLEISS_1971.split()]).T
    assert ratings.shape == (6, 30)
    assert round(m.fleiss_kappa(ratings, levels=5), 3) == 0.430


def test_gwet_six_raters():
    # irrCAC's vignette (Gwet 2019) prints all three.
    ratings = table_of(GWET_SIX_RATERS)
    assert round(m.gwet_ac(ratings, levels=5), 7) == 0.4448007
    assert round(m.fleiss_kappa(ratings, levels=5), 7) == 0.4139265
    assert round(m.krippendorff_alpha(ratings, levels=5, measurement="nominal"), 7) == 0.4204384


def test_gwet_two_abstractors():
    # irrCAC prints kappa, AC1 and alpha in its vignette, and AC2 with quadratic weights in `irrCAC.table`.
    assert round(float(m.percentage_agreement_from_confusion(ABSTRACTORS)), 2) == 0.89
    assert round(float(m.cohen_kappa_from_confusion(ABSTRACTORS)), 7) == 0.7964094
    assert round(float(m.gwet_ac1_from_confusion(ABSTRACTORS)), 7) == 0.8493305
    assert round(float(m.gwet_ac2_from_confusion(ABSTRACTORS, weights="quadratic")), 5) == 0.94024
    assert round(float(m.krippendorff_alpha_from_confusion(ABSTRACTORS, measurement="nominal")), 7) == 0.7972585


def test_the_kappa_paradox():
    # Feinstein and Cicchetti (1990), tables 1 and 2: both agree at 85%, kappa 0.70 and 0.32.
    balanced, skewed = [[40, 9], [6, 45]], [[80, 10], [5, 5]]
    for table, printed in ((balanced, 0.70), (skewed, 0.32)):
        assert float(m.percentage_agreement_from_confusion(table)) == 0.85
        assert round(float(m.cohen_kappa_from_confusion(table)), 2) == printed
    # Gwet (2002), "Kappa statistic is not satisfactory": 94.4% agreement, kappa below 0, AC1 0.9408.
    table = [[118, 5], [2, 0]]
    assert round(float(m.cohen_kappa_from_confusion(table)), 4) == -0.0234
    assert round(float(m.gwet_ac1_from_confusion(table)), 4) == 0.9408


def test_kappa_of_pathologists_and_film_critics():
    # Agresti, Categorical Data Analysis: carcinoma ratings of two pathologists (Landis and Koch 1977), 0.493.
    pathologists = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
    assert round(float(m.cohen_kappa_from_confusion(pathologists)), 3) == 0.493
    # Agresti and Winner (1997), Siskel and Ebert: 0.389.
    critics = [[24, 8, 13], [8, 13, 11], [10, 9, 64]]
    assert round(float(m.cohen_kappa_from_confusion(critics)), 3) == 0.389


def test_linearly_weighted_kappa():
    # SAS's FREQ procedure, as recorded in statsmodels' test_inter_rater.py: simple 0.4842, weighted 0.4701.
    table = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]
    assert round(float(m.cohen_kappa_from_confusion(table)), 4) == 0.4842
    assert round(float(m.cohen_kappa_from_confusion(table, weights="linear")), 4) == 0.4701
