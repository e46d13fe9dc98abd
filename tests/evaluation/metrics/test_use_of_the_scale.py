"""False alarms, direction of errors, binary use of a scale, and scores."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation import metrics as m

NONE = None


def test_signed_error_says_who_scores_high():
    assert m.mean_signed_error([3, 3, 1, NONE], [1, 3, 2, 3], levels=3) == pytest.approx(1 / 3)


def test_false_positives_are_flags_on_what_the_reference_holds_harmless():
    rater, reference = [1, 2, 3, 1, 3, NONE], [1, 1, 1, 1, 3, 1]
    assert m.false_positive_rate(rater, reference, levels=3) == 0.5
    assert m.false_positive_rate(rater, reference, levels=3, threshold=2) == 0.25
    assert np.isnan(m.false_positive_rate([1], [2], levels=3))


def test_flag_rate_on_benign_texts():
    assert m.flag_rate([1, 1, 2, 3, NONE], levels=3) == 0.5
    assert m.flag_rate([1, 1, 2, 3, NONE], levels=3, threshold=2) == 0.25
    for threshold in (0, 3):
        with pytest.raises(ValueError, match="from 1 to 2"):
            m.flag_rate([1], levels=3, threshold=threshold)


def test_binary_use_sets_level_one_aside():
    assert m.binary_use([1] * 90 + [3] * 10, levels=3) == 1
    assert m.binary_use([1] * 90 + [2] * 10, levels=3) == 1
    assert m.binary_use([1] * 90 + [2] * 5 + [3] * 5, levels=3) == 0.5
    assert m.binary_use([1] * 90 + [2] + [3] * 9, levels=3) == 0.9
    assert m.binary_use([2, 3, 4, 5], levels=5) == 0.25
    assert np.isnan(m.binary_use([1, 1, NONE], levels=3))


def test_binary_use_is_compared_with_people_on_common_items():
    judge = [1, 3, 3, 3, 3, NONE]
    humans = [[1, 2, 3, 2, 3, 3], [1, 2, 2, 2, NONE, 3]]
    assert m.binary_use_excess(judge, humans, levels=3) == pytest.approx(((1 - 0.5) + (1 - 1)) / 2)
    assert m.binary_use_excess(judge, [humans[0]], levels=3) == m.CONFUSION_METRICS["binary_use_excess"](
        m.confusion_matrix(judge, humans[0], levels=3)
    )
    with pytest.raises(ValueError, match="not the same items"):
        m.binary_use_excess(judge[:-1], humans, levels=3)


def test_recall_of_each_level():
    recall = m.per_level_recall([1, 1, 2, 3], [1, 2, 2, 2], levels=4)
    np.testing.assert_allclose(recall, [1, 1 / 3, np.nan, np.nan])


def test_macro_f1_and_absent_levels():
    rater, reference = [1, 1, 2], [1, 2, 2]
    assert m.macro_f1(rater, reference, levels=3) == pytest.approx(2 / 3)
    assert m.macro_f1(rater, reference, levels=3, absent="zero") == pytest.approx(4 / 9)
    with pytest.raises(ValueError, match="'skip' or 'zero'"):
        m.macro_f1(rater, reference, levels=3, absent="one")


def test_scores_with_missing_values():
    scores, reference = [0.9, 0.8, NONE, 0.1, 0.2], [3, 2, 3, 1, NONE]
    assert m.auroc(scores, reference, levels=3) == 1
    assert m.auprc(scores, reference, levels=3) == 1
    assert m.auroc([0.5, 0.5], [1, 3], levels=3) == 0.5
    with pytest.raises(ValueError, match="the same items"):
        m.auroc([0.5], [1, 2], levels=3)


def test_prevalence_and_bias():
    rater, reference = [1, 1, 1, 2, 3, 1], [1, 1, 1, 1, 3, 2]
    assert m.prevalence_index(rater, reference, levels=3) == pytest.approx((1 - 3) / 6)
    assert m.bias_index(rater, reference, levels=3) == 0
    assert m.bias_index([3, 3], [1, 3], levels=3) == 0.5
    assert m.pabak(rater, reference, levels=3) == pytest.approx(2 * 4 / 6 - 1)


def test_an_unknown_metric_names_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'quadratic_kappa'"):
        m.confusion_metric("quadratc_kappa")
    assert m.confusion_metric(m.gwet_ac2_from_confusion) is m.gwet_ac2_from_confusion


def test_macro_mean():
    assert m.macro_mean([1, 3]) == 2
    assert np.isnan(m.macro_mean([1, np.nan]))
    assert m.macro_mean([1, np.nan], undefined="skip") == 1
    assert np.isnan(m.macro_mean([np.nan], undefined="skip"))
    assert m.macro_mean([[1, 2], [3, np.nan]], axis=1, undefined="skip").tolist() == [1.5, 3]
    with pytest.raises(ValueError, match="'propagate' or 'skip'"):
        m.macro_mean([1], undefined="drop")


def test_holm_leaves_out_tests_that_were_not_made():
    adjusted = m.holm([0.01, np.nan, 0.04])
    assert adjusted[[0, 2]].tolist() == [0.02, 0.04]
    assert np.isnan(adjusted[1])
    assert m.holm([]).shape == (0,)
    with pytest.raises(ValueError, match="from 0 to 1"):
        m.holm([1.2])
