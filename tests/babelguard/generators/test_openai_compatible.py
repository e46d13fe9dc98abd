"""A service behind the OpenAI API that is well: what it is asked, what comes back, in order and so many at once."""

from __future__ import annotations

import threading

from babelguard.generator import Decoding, Prompt
from babelguard.rating import Status
from tests.babelguard.endpoint.fault_server import Answer, chat, echo, fault_server
from tests.babelguard.generators.openai_service import answers, chats, generator


def test_answers_come_in_order_and_hold_nothing_of_the_prompt():
    with fault_server(echo) as server:
        found = answers(generator(server), *map(str, range(50)))
    assert [one.text for one in found] == [f"echo: {n}" for n in range(50)]
    assert {(one.status, one.prompt_tokens, one.new_tokens) for one in found} == {(Status.OK, 10, 5)}


def test_the_service_is_probed_once_with_something_harmless():
    with fault_server(echo) as server:
        made = generator(server)
        answers(made, "a", "b")
        answers(made, "c")
    assert len(server.asked) == 4
    assert server.bodies[0]["messages"] == [{"role": "user", "content": "Answer with the word: ready"}]
    assert server.bodies[0]["max_tokens"] == 16


def test_nothing_is_sent_before_the_first_prompt():
    with fault_server(echo) as server:
        assert answers(generator(server)) == []
    assert server.asked == []


def test_the_request_says_how_the_model_shall_write():
    with fault_server(echo) as server:
        made = generator(server, top_logprobs=5, extra={"chat_template_kwargs": {"enable_thinking": False}})
        answers(made, "a", decoding=Decoding(7, 0.5, ("\n\n",), 3))
        answers(made, "a", decoding=Decoding(7))
    assert server.bodies[1] == {
        "model": "m",
        "messages": [{"role": "system", "content": "Rate."}, {"role": "user", "content": "a"}],
        "logprobs": True,
        "top_logprobs": 5,
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "stop": ["\n\n"],
        "chat_template_kwargs": {"enable_thinking": False},
    }
    assert server.bodies[2]["temperature"] == 0
    assert "seed" not in server.bodies[2]


def test_a_reasoning_model_can_be_asked_as_it_wants():
    with fault_server(echo) as server:
        answers(generator(server, token_limit="max_completion_tokens", omit=["temperature"]), "a")
    assert server.bodies[1]["max_completion_tokens"] == 200
    assert not {"max_tokens", "temperature"} & set(server.bodies[1])


def test_a_base_model_completes_a_text():
    body = {
        "choices": [
            {
                "text": " 2\nrest",
                "finish_reason": "length",
                "logprobs": {
                    "tokens": [" 2", "\n"],
                    "token_logprobs": [-0.1, -0.2],
                    "top_logprobs": [{" 2": -0.1, " 1": -2.5}, {"\n": -0.2}],
                },
            }
        ]
    }
    with fault_server([Answer(body)]) as server:
        prompts = [Prompt(text="Toxic:")]
        (found,) = generator(server, top_logprobs=2).generate(prompts, Decoding(9, stop=("\n",)))
    assert {one.path for one in server.asked} == {"/v1/completions"}
    assert server.bodies[1] == {
        **{"model": "m", "prompt": "Toxic:", "max_tokens": 9, "temperature": 0, "stop": ["\n"], "logprobs": 2},
    }
    assert found.text == " 2"  # cut at the stop string that this server ignored
    assert found.status is Status.OK
    assert found.top_logprobs == ({" 2": -0.1, " 1": -2.5}, {"\n": -0.2})


def test_log_probabilities_are_given_where_the_server_has_them():
    place = {"token": "2", "logprob": -0.25, "bytes": [50]}
    content = [{**place, "top_logprobs": [place, {"token": "1", "logprob": -1.5, "bytes": [49]}]}]
    with fault_server([chat("2", choice={"logprobs": {"content": content, "refusal": None}})]) as server:
        (found,) = answers(generator(server, top_logprobs=2), "a")
    assert found.top_logprobs == ({"2": -0.25, "1": -1.5},)


def test_no_more_requests_run_at_once_than_allowed():
    barrier = threading.Barrier(3, timeout=60)

    def three_at_once(asked, number):
        if number > 0:
            barrier.wait()
        return echo(asked, number)

    with fault_server(three_at_once) as server:
        answers(generator(server, traffic={"concurrency": 3}), *map(str, range(12)))
        assert server.most_at_once == 3


def test_stopping_early_leaves_no_thread_and_asks_no_further():
    with fault_server(echo) as server:
        stream = generator(server, traffic={"concurrency": 2}).generate(chats(*map(str, range(500))), Decoding())
        assert next(stream).text == "echo: 0"
        stream.close()
        assert not [thread for thread in threading.enumerate() if thread.name == "babelguard-endpoint"]
        assert len(server.asked) < 50


def test_an_answer_cut_at_the_limit_is_truncated_and_keeps_its_text():
    with fault_server([chat("Toxic: 1\nIns", finish="length")]) as server:
        (found,) = answers(generator(server), "a")
    assert (found.status, found.text) == (Status.TRUNCATED, "Toxic: 1\nIns")


def test_content_may_come_in_parts():
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Toxic:"}, {"type": "text", "text": " 1"}]
    with fault_server([chat(parts)]) as server:
        (found,) = answers(generator(server), "a")
    assert found.text == "Toxic: 1"


def test_unpleasant_texts_arrive_as_they_are_and_lone_surrogates_stay_here():
    texts = ["", "\ud800 lone", "\u2028\x00<|im_end|>", "x" * 1_000_000, "🤷🏽‍♀️"]
    with fault_server(echo) as server:
        found = answers(generator(server), *texts)
    assert [one.status for one in found] == [Status.OK, Status.ERROR, *[Status.OK] * 3]
    assert "lone surrogates" in found[1].detail
    assert [one.text for one in found if one.status is Status.OK] == [f"echo: {t}" for t in texts if "\ud800" not in t]


def test_the_fingerprint_holds_what_decides_the_answers_and_nothing_else():
    with fault_server() as server:
        base = generator(server).fingerprint
        assert generator(server, traffic={"concurrency": 2}, budget={"max_requests": 9}).fingerprint == base
        others = [
            {"model": "n"},
            {"revision": "2"},
            {"top_logprobs": 1},
            {"extra": {"a": 1}},
            {"omit": ["temperature"]},
        ]
        assert len({base, *(generator(server, **one).fingerprint for one in others)}) == 1 + len(others)
