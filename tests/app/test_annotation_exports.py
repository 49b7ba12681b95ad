"""Exports of annotation tools, written by the rules of their documentation."""

import json
import warnings
from zipfile import ZIP_DEFLATED, ZipFile

import pandas as pd
import pytest

from labeldist.app import annotation_exports as exports
from labeldist.app.annotation_exports import read_export
from labeldist.exceptions import LabelDistWarning, TableError


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


CANCELLED = pytest.mark.filterwarnings("ignore:.*cancelled annotations are left out")


@CANCELLED
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
    with pytest.warns(LabelDistWarning, match="no status, so drafts and discarded ones"):
        found = rows(path, "argilla", "mood")
    assert found == [
        ("a", "u1", "calm", "It rains"),
        ("a", "u2", "joy", "It rains"),
        ("b", "u1", "joy", "Hail"),
        ("b", "u1", "fear", "Hail"),
    ]
    with pytest.warns(LabelDistWarning, match=r"to_list\(flatten=True\)"):
        assert rows(path, "argilla", "stars") == [("a", "u1", 4, "It rains")]


# GenericIO.to_list of argilla 2 with flatten=True
FLAT_ARGILLA = [
    {
        "id": "a",
        "status": "completed",
        "_server_id": "7a",
        "text": "It rains",
        "mood.responses": ["calm", "joy", "fear", ["joy", "fear"]],
        "mood.responses.users": ["u1", "u2", "u3", "u4"],
        "mood.responses.status": ["submitted", "draft", "discarded", "submitted"],
        "mood.suggestion": "fear",
        "mood.suggestion.score": None,
        "mood.suggestion.agent": "model",
    },
    {
        "id": "b",
        "status": "pending",
        "_server_id": "7b",
        "text": "Hail",
        "mood.responses": None,
        "mood.responses.users": None,
        "mood.responses.status": None,
    },
]


def test_drafts_and_discarded_responses_of_argilla_are_no_votes(tmp_path):
    records = [{**record, "responses": "a field"} for record in FLAT_ARGILLA]
    path = write_json(tmp_path / "records.json", records)
    assert rows(path, "argilla") == [
        ("a", "u1", "calm", "It rains"),
        ("a", "u4", "joy", "It rains"),
        ("a", "u4", "fear", "It rains"),
    ]


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
    with pytest.warns(LabelDistWarning, match="separated at #.*export JSONL"):
        assert rows(tmp_path / "all.csv", "doccano") == texts


def test_label_with_the_separator_of_doccano_is_refused(tmp_path):
    pd.DataFrame([{"id": 5, "text": "Code", "label": "C##Java"}]).to_csv(tmp_path / "all.csv")
    with pytest.raises(TableError, match=r"Record 1 of .*: the labels 'C##Java'.*Export JSONL"):
        read_export(str(tmp_path / "all.csv"), "doccano")


def test_doccano_with_one_file_per_user(tmp_path):
    with ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.mkdir("moods")
        archive.writestr("__MACOSX/moods/._ann.jsonl", "Mac OS X")
        archive.writestr("moods/.DS_Store", "Mac OS X")
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
    with pytest.raises(TableError, match=r"e\.json has no answers of annotators"):
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


def region(kind, value, **others):
    """Return a result of Label Studio about words of a text."""
    span = {"start": 0, "end": 5, "text": "It ra", **value}
    return {
        "id": "r1",
        "from_name": "sure",
        "to_name": "text",
        "type": kind,
        "value": span,
        **others,
    }


def write_task(path, *results):
    one = annotation(3, *results)
    return write_json(path, [{"id": 7, "data": {"text": "It rains"}, "annotations": [one]}])


@pytest.mark.parametrize(
    "about_part",
    [
        region("choices", {"choices": ["yes"]}),
        {**result("mood", "rating", 3), "id": "r1"},
        {**result("mood", "choices", ["yes"]), "id": "r3", "item_index": 1},
    ],
    ids=["span", "same id", "one of several images"],
)
def test_answers_about_regions_in_label_studio_are_no_votes(tmp_path, about_part):
    span = region("labels", {"labels": ["WORD"]}, from_name="words")
    notes = {"id": "t1", "from_name": "n", "type": "textarea", "value": {"text": ["so"]}}
    whole = {**result("mood", "choices", ["joy"]), "id": "r2"}
    about_part = {**about_part, "from_name": "mood"}
    path = write_task(tmp_path / "regions.json", span, notes, about_part, whole)
    with pytest.warns(LabelDistWarning, match="parts of an item are left out: 1"):
        assert rows(path, "label-studio") == [(7, 3, "joy", "It rains")]
    alone = write_task(tmp_path / "alone.json", span, about_part)
    with pytest.raises(TableError, match=r"no votes on the question 'mood'.*regions"):
        read_export(str(alone), "label-studio")


def test_tasks_of_prodigy_without_an_answer_are_no_votes(tmp_path):
    null = choice(9, "cy", ["joy"], answer=None)
    lacking = choice(9, "al", ["joy"])
    del lacking["answer"]
    path = write_lines(tmp_path / "m.jsonl", [lacking, *PRODIGY, null])
    with pytest.warns(LabelDistWarning, match="tasks without an answer are left out: 2"):
        found = rows(path, "prodigy")
    assert found == rows(write_lines(tmp_path / "all.jsonl", PRODIGY), "prodigy")


def version(number, label, parent=None, person=10, was_cancelled=False):
    """Return an annotation of Label Studio that may be a version of an earlier one."""
    found = annotation(person, result("mood", "choices", [label]), was_cancelled=was_cancelled)
    return {**found, "id": number, "parent_annotation": parent, "parent_prediction": None}


@pytest.mark.parametrize(
    ("annotations", "labels", "n_earlier"),
    [
        ([version(1, "joy"), version(2, "fear", 1)], {10: ["fear"]}, 1),
        ([version(2, "fear", 1), version(1, "joy")], {10: ["fear"]}, 1),  # newest first
        ([version(1, "joy"), version(2, "fear", 1), version(3, "calm", 2)], {10: ["calm"]}, 2),
        ([version(1, "joy"), version(2, "fear", 1), version(3, "calm", 1)], {10: ["calm"]}, 2),
        ([version(1, "joy"), version(2, "fear", 1, person=11)], {10: ["joy"], 11: ["fear"]}, 0),
        ([version(1, "joy"), version(2, "fear")], {10: ["joy", "fear"]}, 0),
        ([version(1, "joy"), version(2, "fear", 7)], {10: ["joy", "fear"]}, 0),
        ([version(1, "joy"), version(2, "fear", 1, was_cancelled=True)], {10: ["joy"]}, 0),
        ([version(1, "joy", 2), version(2, "fear", 1)], {10: ["fear"]}, 1),  # a circle
    ],
)
@CANCELLED
def test_earlier_versions_in_label_studio_are_no_votes(tmp_path, annotations, labels, n_earlier):
    task = {"id": 1, "data": {"text": "It rains"}, "annotations": annotations}
    path = write_json(tmp_path / "versions.json", [task])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        votes = rows(path, "label-studio")
    for person, expected in labels.items():
        assert [label for _, name, label, _ in votes if name == person] == expected
    assert len(votes) == sum(map(len, labels.values()))
    notes = [str(one.message) for one in caught if "earlier versions" in str(one.message)]
    assert [note.endswith(f"are left out: {n_earlier}.") for note in notes] == [True] * len(notes)
    assert len(notes) == (n_earlier > 0)


def test_cancelled_annotations_and_drafts_of_label_studio_are_counted(tmp_path):
    drafts = [{"id": 5, "user": "ann", "result": [result("mood", "choices", ["joy"])]}] * 3
    tasks = [{**LABEL_STUDIO[0], "drafts": drafts}, {**LABEL_STUDIO[1], "drafts": []}]
    path = write_json(tmp_path / "export.json", tasks)
    with pytest.warns(LabelDistWarning) as caught:
        assert len(rows(path, "label-studio", "mood")) == 4
    notes = [str(one.message).partition(": ")[2] for one in caught]
    assert notes == ["cancelled annotations are left out: 1.", "drafts are left out: 3."]
    cancelled = {**LABEL_STUDIO[0], "annotations": [annotation(12, was_cancelled=True)]}
    only = write_json(tmp_path / "only.json", [cancelled])
    with pytest.raises(TableError, match="no answers of annotators"):
        read_export(str(only), "label-studio")


def with_value(value):
    """Return exports in which a label is `value`, by tool."""
    responses = {"mood": [{"value": value, "user_id": "u1", "status": "submitted"}]}
    choices = {"from_name": "mood", "type": "choices", "value": {"choices": value}}
    annotations = [{"completed_by": 1, "result": [choices]}]
    return {
        "label-studio": {"id": 1, "data": {}, "annotations": annotations},
        "argilla": {**ARGILLA[0], "responses": responses},
        "prodigy": {**PROPOSED[1], "label": value},
        "doccano": {"id": 1, "label": value},
    }


@pytest.mark.parametrize("tool", list(exports.READERS))
def test_objects_are_no_labels(tmp_path, tool):
    path = write_json(tmp_path / "e.json", [with_value({"joy": 1, "fear": 2})[tool]])
    with pytest.raises(TableError, match=r"Record 1 of .*e\.json has the label {'joy': 1"):
        read_export(str(path), tool)


@pytest.mark.parametrize(
    ("tool", "change"),
    [
        ("label-studio", {"annotations": None}),
        ("label-studio", {"annotations": [[]]}),
        ("label-studio", {"data": "It rains"}),
        ("argilla", {"responses": {"mood": "joy"}}),
        ("argilla", {"fields": []}),
    ],
)
def test_unknown_structures_are_named_without_words_of_python(tmp_path, tool, change):
    record = {**with_value(["joy"])[tool], **change}
    path = write_json(tmp_path / "e.json", [record])
    with pytest.raises(TableError, match=r"Record 1 of .*e\.json has an unknown structure"):
        read_export(str(path), tool)


@pytest.mark.parametrize("content", [None, 3, {"id": 1}, [None], [["id", 1]]])
@pytest.mark.parametrize("tool", list(exports.READERS))
def test_content_that_is_no_list_of_records(tmp_path, tool, content):
    path = write_json(tmp_path / "e.json", content)
    with pytest.raises(TableError, match=r"list of records|Record 1 of .* structure"):
        read_export(str(path), tool)


@pytest.mark.parametrize(
    ("tool", "change", "fact"),
    [
        ("label-studio", {"id": [1]}, "item"),
        ("argilla", {"id": {"a": 1}}, "item"),
        ("prodigy", {"_session_id": ["ann"]}, "annotator"),
        ("doccano", {"id": [1]}, "item"),
    ],
)
def test_names_that_are_lists_or_objects(tmp_path, tool, change, fact):
    path = write_json(tmp_path / "e.json", [{**with_value(["joy"])[tool], **change}])
    with pytest.raises(TableError, match=f"list or object instead of the name of the {fact}"):
        read_export(str(path), tool)


def test_question_that_is_a_list(tmp_path):
    choices = {"from_name": ["mood"], "type": "choices", "value": {"choices": ["joy"]}}
    path = write_task(tmp_path / "e.json", choices)
    with pytest.raises(TableError, match="instead of the name of the question"):
        read_export(str(path), "label-studio")


def write_zip(path, members):
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


DOCCANO_LINE = json.dumps(DOCCANO[0])


def test_file_of_a_collaborative_project_names_no_annotator(tmp_path):
    path = write_zip(tmp_path / "export.zip", {"all.jsonl": DOCCANO_LINE})
    found = read_export(str(path), "doccano")
    assert list(found.columns) == ["item", "label", "text"]


@CANCELLED
def test_archives_of_other_tools_keep_their_annotators(tmp_path):
    path = write_zip(tmp_path / "export.zip", {"project-83.json": json.dumps(LABEL_STUDIO)})
    assert [person for _, person, _, _ in rows(path, "label-studio", "mood")] == [10, 11, 10, 10]


def test_users_with_a_dot_are_no_system_files(tmp_path):
    members = {".ann.jsonl": DOCCANO_LINE, "../bob.jsonl": DOCCANO_LINE}
    path = write_zip(tmp_path / "export.zip", members)
    assert {person for _, person, _, _ in rows(path, "doccano")} == {".ann", "bob"}


def test_other_files_in_an_archive_are_named(tmp_path):
    members = {"README.md": "Moods", "ann.jsonl": DOCCANO_LINE}
    path = write_zip(tmp_path / "export.zip", members)
    with pytest.warns(LabelDistWarning, match=r"ignored, since they are no exports: README\.md"):
        assert len(rows(path, "doccano")) == 2
    only = write_zip(tmp_path / "only.zip", {"README.md": "Moods"})
    with pytest.raises(TableError, match=r"only\.zip contains no file in JSON"):
        read_export(str(only), "doccano")


@pytest.mark.parametrize("content", ["{", "3\n", b"\xff"])
def test_damaged_file_in_an_archive_is_named(tmp_path, content):
    path = write_zip(tmp_path / "export.zip", {"a.jsonl": DOCCANO_LINE, "b.jsonl": content})
    with pytest.raises(TableError, match=r"b\.jsonl in .*export\.zip"):
        read_export(str(path), "doccano")


def test_archive_in_an_archive_is_refused(tmp_path):
    inner = write_zip(tmp_path / "inner.zip", {"ann.jsonl": DOCCANO_LINE})
    path = write_zip(tmp_path / "outer.zip", {"a.ZIP": inner.read_bytes()})
    with pytest.raises(TableError, match=r"contains an archive, a\.ZIP\. Unpack it"):
        read_export(str(path), "doccano")


def test_size_limit_holds_for_all_files_of_an_archive(tmp_path, monkeypatch):
    line = f"{DOCCANO_LINE}\n"
    monkeypatch.setattr(exports, "LARGEST", 100 * len(line))
    half = write_zip(tmp_path / "half.zip", {"a.jsonl": 50 * line, "b.jsonl": 50 * line})
    assert len(rows(half, "doccano")) == 200
    more = write_zip(tmp_path / "more.zip", {"a.jsonl": 50 * line, "b.jsonl": 51 * line})
    with pytest.raises(TableError, match=r"more than .* bytes when unpacked"):
        read_export(str(more), "doccano")
