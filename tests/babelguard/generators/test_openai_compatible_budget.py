"""Requests and money that a service may cost are never overspent."""

from __future__ import annotations

import pytest

from babelguard import UserError
from babelguard.generator import Decoding
from babelguard.rating import Status
from tests.babelguard.endpoint.fault_server import Answer, chat, echo, fault_server, in_turn
from tests.babelguard.generators.openai_service import answers, generator


def test_the_request_budget_is_kept_and_every_prompt_accounted_for():
    with fault_server(echo) as server:
        made = generator(server, budget={"max_requests": 4})
        found = answers(made, *map(str, range(7))) + answers(made, "more")
    assert [one.status for one in found] == [Status.OK] * 4 + [Status.ERROR] * 4
    assert {one.detail for one in found[4:]} == {"budget"}
    assert len(server.asked) == 1 + 4


def test_repeated_requests_count_against_the_budget():
    with fault_server(in_turn(chat(), Answer(status=500))) as server:
        found = answers(generator(server, budget={"max_requests": 3}), "a", "b")
    assert {one.detail for one in found} == {"budget"}
    assert len(server.asked) == 1 + 3


def test_money_is_never_overspent_however_many_run_at_once():
    # 10 prompt tokens and 5 new ones: 10 x 100 / 10^6 + 5 x 1000 / 10^6 = 0.006 a request
    prices = {"per_million_prompt_tokens": 100, "per_million_new_tokens": 1000}
    with fault_server(echo) as server:
        made = generator(server, budget={"max_cost": 0.1, **prices}, traffic={"concurrency": 8})
        found = answers(made, *map(str, range(40)), decoding=Decoding(20))
    budget = made.client.budget
    done = [one for one in found if one.status is Status.OK]
    assert budget.cost == pytest.approx(0.006 * len(done))
    assert budget.cost <= 0.1
    assert len(done) >= 8  # what was reserved for longer answers is given back
    assert {one.detail for one in found if one.status is not Status.OK} == {"budget"}


def test_a_limit_of_money_needs_a_price():
    with fault_server() as server, pytest.raises(UserError, match="max_cost needs a price"):
        generator(server, budget={"max_cost": 1})
