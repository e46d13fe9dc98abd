"""Which label of OffensiveHebrew is the offensive one: a model of other Hebrew data is asked (docs/sources.md)."""

from __future__ import annotations

import re

import numpy as np
import pytest

from babelguard import RTP_LX, Role
from babelguard.rejects import RejectLog
from data_prep.sources import offensive_hebrew, rtp_lx


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_what_reads_as_toxic_elsewhere_is_mostly_negative(shared_data):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    roles = (Role.PROMPT, Role.COMPLETION, Role.BENIGN_COMPLETION)
    options = rtp_lx.RtpLxOptions(path=shared_data / "rtp_lx", languages=("he",), roles=roles)
    learnt = [item for item in rtp_lx.read(options, RTP_LX, RejectLog()) if not item.metadata.get("text_is_void")]
    toxic = [bool(item.labels) and np.median(item.labels["Toxicity"]) > 1 for item in learnt]
    ngrams = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), min_df=2, sublinear_tf=True)
    model = LogisticRegression(C=4, max_iter=500).fit(ngrams.fit_transform([item.text for item in learnt]), toxic)

    path = shared_data / "offensive_hebrew"
    read = offensive_hebrew.SOURCE.read(offensive_hebrew.SOURCE.options(path=path), RTP_LX, RejectLog(strict=True))
    tweets = list(read)
    bare = [re.sub(r"@\w+|https?://\S+", " ", item.text) for item in tweets]
    negative = np.array([item.metadata["label"] == "Negative" for item in tweets])
    scores = model.predict_proba(ngrams.transform(bare))[:, 1]
    order = np.argsort(-scores)
    figures = roc_auc_score(negative, scores), negative[order[:200]].mean(), negative[order[-200:]].mean()
    print(f"AUROC {figures[0]:.3f}; Negative among the 200 highest {figures[1]:.1%}, the 200 lowest {figures[2]:.1%}")  # noqa: T201 - docs/sources.md says that it does
    assert figures[0] > 0.55
    assert figures[1] > negative.mean() > figures[2]
    assert all(
        item.aggregated["Toxicity"].level == (2 if one else 1) for item, one in zip(tweets, negative, strict=True)
    )
