"""Exports of annotation tools, written by the rules of their documentation."""

import json
from zipfile import ZipFile

import pandas as pd
import pytest

from labeldist.exceptions import TableError
from labeldist.votes._exports import read_export


def result(question, kind, value):
    return {
        "id": "Dx_aB91ISN",
        "from_name": question,
        "to_name": "text",
        "type": kind,
        "origin": "manual",
        "value": {kind: value},
    }


def annotation(person, *results, was_cancelled=False):
    return {
        "id": 1001,
        "completed_by": person,
        "result": list(results),
        "was_cancelled": was_cancelled,
        "ground_truth": False,
        "lead_time": 4.288,
    }


# https://labelstud.io/guide/task_format
LABEL_STUDIO = [
    {
        "id": 1,
        "data": {"source": "web", "text": "It rains"},
        "annotations": [
            annotation(10, result("mood", "choices", ["calm"]), result("stars", "rating", 4)),
            annotation({"id": 11, "email": "b@example.com"}, result("mood", "choices", ["joy"])),
            annotation(12, was_cancelled=True),
        ],
        "predictions": [{"model_version": "1", "result": [result("mood", "choices", ["fear"])]}],
        "project": 83,
    },
    {
        "id": 2,
        "data": {"title": "Hail"},
        "annotations": [
            annotation(10, result("mood", "choices", ["joy", "fear"])),
            annotation(11, result("notes", "textarea", ["loud"]), result("stars", "rating", 2)),
        ],
        "predictions": [],
        "project": 83,
    },
]
# Record.to_dict of argilla 2, which records.to_json writes
ARGILLA = [
    {
        "id": "a",
        "fields": {"text": "It rains"},
        "metadata": {},
        "suggestions": {"mood": {"value": "fear", "score": None, "agent": "model"}},
        "responses": {
            "mood": [{"value": "calm", "user_id": "u1"}, {"value": "joy", "user_id": "u2"}],
            "stars": [{"value": 4, "user_id": "u1"}],
        },
        "vectors": {},
        "_server_id": "7a",
    },
    {
        "id": "b",
        "fields": {"title": "Hail"},
        "metadata": {},
        "suggestions": {},
        "responses": {"mood": [{"value": ["joy", "fear"], "user_id": "u1"}]},
        "vectors": {},
        "_server_id": "7b",
    },
    {"id": "c", "fields": {"text": "Snow"}, "responses": {}, "_server_id": "7c"},
]


def choice(number, person, accept, answer="accept"):
    return {
        "text": f"Text {number}",
        "options": [{"id": "joy", "text": "Joy"}, {"id": "fear", "text": "Fear"}],
        "_input_hash": number,
        "_task_hash": -number,
        "_view_id": "choice",
        "accept": accept,
        "answer": answer,
        "_timestamp": 1707211049,
        "_annotator_id": f"moods-{person}",
        "_session_id": f"moods-{person}",
    }


# https://prodi.gy/docs/api-interfaces
PRODIGY = [
    choice(7, "alex", ["joy"]),
    choice(7, "bo", ["joy", "fear"]),
    choice(8, "alex", [], "ignore"),
    choice(8, "bo", ["fear"], "reject"),
    choice(8, "cy", ["fear"]),
]
PROPOSED = [
    {"text": "A", "label": "spam", "answer": "accept", "_input_hash": 1, "_session_id": "d-al"},
    {"text": "A", "label": "spam", "answer": "reject", "_input_hash": 1, "_session_id": "d-bo"},
    {"text": "B", "label": "spam", "answer": "ignore", "_input_hash": 2, "_session_id": "d-al"},
]
DOCCANO = [
    {"id": 5, "text": "It rains", "label": ["calm", "joy"], "Comments": []},
    {"id": 6, "text": "Hail", "label": []},
]


def rows(path, tool, question=None):
    """Return the votes in an export as tuples."""
    return list(read_export(str(path), tool, question).itertuples(index=False, name=None))


def write_json(path, content):
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_lines(path, records):
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def test_label_studio(tmp_path):
    path = write_json(tmp_path / "export.json", LABEL_STUDIO)
    assert rows(path, "label-studio", "mood") == [
        (1, 10, "calm", "It rains"),
        (1, 11, "joy", "It rains"),
        (2, 10, "joy", "Hail"),
        (2, 10, "fear", "Hail"),
    ]
    assert rows(path, "label-studio", "stars") == [(1, 10, 4, "It rains"), (2, 11, 2, "Hail")]
    with pytest.raises(TableError, match="questions: mood, stars"):
        read_export(str(path), "label-studio")


def test_argilla(tmp_path):
    path = write_json(tmp_path / "records.json", ARGILLA)
    assert rows(path, "argilla", "mood") == [
        ("a", "u1", "calm", "It rains"),
        ("a", "u2", "joy", "It rains"),
        ("b", "u1", "joy", "Hail"),
        ("b", "u1", "fear", "Hail"),
    ]
    assert rows(path, "argilla", "stars") == [("a", "u1", 4, "It rains")]


def test_gap_in_one_record_keeps_column(tmp_path):
    no_annotator = {**PRODIGY[0], "_annotator_id": None}
    no_text = {**PRODIGY[1], "text": None}
    records = [no_annotator, no_text, *PRODIGY[2:]]
    assert rows(write_lines(tmp_path / "moods.jsonl", records), "prodigy") == [
        (7, None, "joy", "Text 7"),
        (7, "moods-bo", "joy", None),
        (7, "moods-bo", "fear", None),
        (8, "moods-cy", "fear", "Text 8"),
    ]


def test_prodigy_choices(tmp_path):
    path = write_lines(tmp_path / "moods.jsonl", PRODIGY)
    assert rows(path, "prodigy") == [
        (7, "moods-alex", "joy", "Text 7"),
        (7, "moods-bo", "joy", "Text 7"),
        (7, "moods-bo", "fear", "Text 7"),
        (8, "moods-cy", "fear", "Text 8"),
    ]


def test_prodigy_proposed_labels(tmp_path):
    path = write_lines(tmp_path / "spam.jsonl", PROPOSED)
    assert rows(path, "prodigy") == [(1, "d-al", "spam", "A"), (1, "d-bo", "not spam", "A")]
    unnamed = [{**record, "_session_id": None} for record in PROPOSED]
    found = read_export(str(write_lines(tmp_path / "old.jsonl", unnamed)), "prodigy")
    assert list(found.columns) == ["item", "label", "text"]


def test_doccano(tmp_path):
    expected = [(5, "calm", "It rains"), (5, "joy", "It rains")]
    assert rows(write_lines(tmp_path / "all.jsonl", DOCCANO), "doccano") == expected
    assert rows(write_json(tmp_path / "all.json", DOCCANO), "doccano") == expected
    joined = [{**record, "label": "#".join(record["label"])} for record in DOCCANO]
    pd.DataFrame(joined).drop(columns="Comments").to_csv(tmp_path / "all.csv", index=False)
    texts = [(str(item), label, text) for item, label, text in expected]
    assert rows(tmp_path / "all.csv", "doccano") == texts


def test_doccano_with_one_file_per_user(tmp_path):
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.mkdir("moods")
        archive.writestr("__MACOSX/moods/._ann.jsonl", "Mac OS X")
        for user, label in (("ann", ["joy"]), ("bob", ["fear"]), ("cy", [])):
            archive.writestr(f"moods/{user}.jsonl", json.dumps({**DOCCANO[0], "label": label}))
    assert rows(tmp_path / "export.zip", "doccano") == [
        (5, "ann", "joy", "It rains"),
        (5, "bob", "fear", "It rains"),
    ]


def test_exports_without_votes_on_items_raise(tmp_path):
    spans = write_lines(tmp_path / "s.jsonl", [{"id": 5, "text": "It", "label": [[0, 2, "W"]]}])
    with pytest.raises(TableError, match=r"\[0, 2, 'W'\]"):
        read_export(str(spans), "doccano")
    other_tool = write_json(tmp_path / "a.json", ARGILLA)
    with pytest.raises(
        TableError, match=r"a\.json has no field 'answer'\. Is it an export of prodigy"
    ):
        read_export(str(other_tool), "prodigy")
    empty = write_json(tmp_path / "e.json", [{**ARGILLA[0], "responses": {}}])
    with pytest.raises(TableError, match="questions: none"):
        read_export(str(empty), "argilla")


def test_relations_beside_choices_in_label_studio_are_no_votes(tmp_path):
    relation = {"type": "relation", "from_id": "a", "to_id": "b", "direction": "right"}
    choices = {"from_name": "mood", "type": "choices", "value": {"choices": ["joy"]}}
    annotation = {"id": 1, "completed_by": 3, "result": [relation, choices]}
    task = {"id": 7, "data": {"text": "It rains"}, "annotations": [annotation]}
    path = write_json(tmp_path / "relations.json", [task])
    assert rows(path, "label-studio") == [(7, 3, "joy", "It rains")]


def test_rejected_tasks_without_a_label_are_no_votes(tmp_path):
    spans = {"text": "It rains", "spans": [], "_input_hash": 3, "_session_id": "d-al"}
    inherited = {**choice(8, "bo", ["fear"], "reject"), "label": "source"}
    tasks = [{**spans, "answer": "accept"}, {**spans, "answer": "reject"}, inherited, *PROPOSED]
    path = write_lines(tmp_path / "tasks.jsonl", tasks)
    assert {label for _, _, label, _ in rows(path, "prodigy")} == {"spam", "not spam"}
