"""WildChat: whole conversations, without what tells who had them."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from babelguard import Role
from babelguard.item import Message
from babelguard.rejects import RejectLog
from tests.data_prep.sources.reading import check_items, items_of


def conversation(name, *turns, language="English"):
    spoken = [
        {
            "role": role,
            "content": content,
            "language": language,
            "toxic": False,
            "redacted": False,
            "turn_identifier": 7,
        }
        for role, content in turns
    ]
    return {
        "conversation_hash": name,
        "model": "gpt-4",
        "conversation": spoken,
        "turn": len(turns) // 2,
        "language": language,
        "openai_moderation": [{"flagged": index == 0, "categories": {"hate": False}} for index in range(len(turns))],
        "detoxify_moderation": [{"toxicity": 0.1}] * len(turns),
        "toxic": True,
        "redacted": False,
        "state": "Somewhere",
        "country": "Nowhere",
        "hashed_ip": "0123456789abcdef",
        "header": {"accept-language": "en", "user-agent": "browser"},
    }


ROWS = [
    conversation("one", ("user", "hello"), ("assistant", "hi")),
    conversation("two", ("user", "你好"), language="Chinese"),
    conversation("one", ("user", "hello"), ("assistant", "hi")),
    conversation("three", ("user", "nuqneH"), language="Klingon"),
    conversation("four"),
    conversation("five", ("user", " "), ("assistant", "")),
]


def write(folder, rows=ROWS):
    (folder / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), folder / "data" / "train-00000-of-00001.parquet")


def test_conversations_keep_their_turns(tmp_path):
    write(tmp_path)
    log = RejectLog()
    items = items_of("wildchat", tmp_path, log)
    check_items(items)
    assert [item.messages for item in items[:2]] == [
        (Message("user", "hello"), Message("assistant", "hi")),
        (Message("user", "你好"),),
    ]
    assert [item.role for item in items] == [Role.RESPONSE, Role.PROMPT, Role.RESPONSE]
    assert [item.language for item in items] == ["en", "zh-Hans", "en"]
    assert items[0].source_id == items[2].source_id, "a conversation that occurs twice is one content"
    assert items[0].metadata["moderation_flagged"] == [True, False]
    assert items[0].labels == {}
    assert [(one.line, one.kind) for one in log.rejections] == [(4, "unknown-locale"), (5, "no-text"), (6, "no-text")]


def test_nothing_tells_who_spoke(tmp_path):
    write(tmp_path)
    kept = str([item.to_dict() for item in items_of("wildchat", tmp_path, RejectLog())])
    for secret in ("0123456789abcdef", "Somewhere", "Nowhere", "browser"):
        assert secret not in kept


def test_languages_that_are_not_asked_for_are_counted(tmp_path):
    write(tmp_path, ROWS[:3])
    log = RejectLog(strict=True)
    assert [item.language for item in items_of("wildchat", tmp_path, log, languages=("zho",))] == ["zh-Hans"]
    (account,) = log.files.values()
    assert account.left_out == {"not-asked-for": 2}


def test_another_schema_is_named(tmp_path):
    write(tmp_path, [{"text": "a"}])
    log = RejectLog()
    assert items_of("wildchat", tmp_path, log) == []
    assert "has no column 'conversation_hash'" in log.rejections[0].reason
