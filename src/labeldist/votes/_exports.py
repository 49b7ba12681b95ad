"""Exports of annotation tools as long tables: item, annotator, label and text of each vote.

- Label Studio: JSON [1]_.
- Argilla 2: `records.to_json`.
- Prodigy: JSONL of `db-out`, with the interfaces `choice` and `classification`.
- Doccano: JSONL, JSON or CSV, and archives with one such file per user.

.. [1] https://labelstud.io/guide/task_format
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

from labeldist._extras import require
from labeldist._tables.csv_files import read_csv
from labeldist._tables.json_files import parse_json, parse_lines
from labeldist._tables.messages import listed
from labeldist._tables.tables import reading
from labeldist.exceptions import TableError

ITEM, ANNOTATOR, LABEL, TEXT = COLUMNS = ("item", "annotator", "label", "text")
SUBMITTED = (None, "submitted")


Records = Iterable[dict[str, Any]]


class Answer(NamedTuple):
    """The answer of an annotator to a question about an item: one label, or several."""

    item: Any
    annotator: Any
    question: str
    label: Any
    text: Any


Reader = Callable[[Records], Iterator[Answer]]


def read_export(path: str, tool: str, question: str | None = None) -> Any:
    """Return the votes in an export as a table with the columns item, annotator, label and text.

    The columns of annotators and texts are left out if the export has none. `question` is needed if
    the annotators answer several questions.
    """
    with reading(path) as file:
        try:
            answers = list(_answers(Path(path).name, file, READERS[tool]))
        except KeyError as error:
            advice = f"Is it an export of {tool}, in JSON or JSONL (not JSON-MIN)?"
            raise TableError(f"A record of {path} has no field {error}. {advice}") from None
    table = require("pandas", "app").DataFrame(answers, columns=Answer._fields, dtype=object)
    questions = table["question"].unique()
    chosen = questions if question is None else [question]
    if len(chosen) != 1 or chosen[0] not in questions:
        problem = f"{path} has answers to these questions: {listed(questions) or 'none'}"
        raise TableError(f"{problem}. Name the question to count as the label.")
    table = table[table["question"] == chosen[0]].explode(LABEL, ignore_index=True)
    frame = table.dropna(subset=LABEL)[list(COLUMNS)]
    structured = [label for label in frame[LABEL] if isinstance(label, dict | list)]
    if structured:
        problem = f"{path} has the label {structured[0]!r}"
        raise TableError(f"{problem}. Only choices and ratings of whole items can be counted.")
    return frame.dropna(axis=1, how="all")


def _answers(name: str, file: Any, read: Reader) -> Iterator[Answer]:
    """Read the answers in a file, or in an archive with one file per annotator."""
    suffix = Path(name).suffix
    if suffix == ".zip":
        with ZipFile(file) as archive:
            for member in archive.namelist():
                if member.endswith("/") or member.startswith("__MACOSX"):
                    continue
                with archive.open(member) as content:
                    for answer in _answers(member, content, read):
                        yield answer._replace(annotator=Path(member).stem)
    elif suffix == ".csv":
        yield from read(read_csv(file).to_dict("records"))
    elif suffix == ".jsonl":
        yield from read(parse_lines(file))
    else:
        yield from read(parse_json(file))


def _read_label_studio(tasks: Records) -> Iterator[Answer]:
    for task in tasks:
        for annotation in task["annotations"]:
            if annotation.get("was_cancelled"):  # skipped by the annotator
                continue
            person = _person(annotation["completed_by"])
            for result in annotation["result"]:
                kind = result["type"]
                if kind in ("choices", "rating"):
                    question = result["from_name"]
                    labels = result["value"][kind]
                    text = _main_text(task["data"])
                    yield Answer(task["id"], person, question, labels, text)


def _person(completed_by: Any) -> Any:
    """Return the identifier of a user, which some exports describe by an object."""
    return completed_by["id"] if isinstance(completed_by, dict) else completed_by


def _main_text(fields: dict[str, Any]) -> Any:
    """Return the field `text`, or else the first one."""
    return fields.get(TEXT, next(iter(fields.values()), None))


def _read_argilla(records: Records) -> Iterator[Answer]:
    for record in records:
        text = _main_text(record["fields"])
        for question, responses in record["responses"].items():
            for response in responses:
                labels = response["value"]
                if labels is not None and response.get("status") in SUBMITTED:
                    yield Answer(record["id"], response["user_id"], question, labels, text)


def _read_prodigy(tasks: Records) -> Iterator[Answer]:
    for task in tasks:
        person = task.get("_annotator_id", task.get("_session_id"))
        labels = task.get("accept", task.get(LABEL))  # choices, or one proposed label
        if task["answer"] == "reject":
            is_proposal = LABEL in task and "accept" not in task
            labels = f"not {labels}" if is_proposal else None
        if task["answer"] != "ignore":
            yield Answer(task["_input_hash"], person, LABEL, labels, task.get(TEXT))


def _read_doccano(records: Records) -> Iterator[Answer]:
    for record in records:
        labels = record[LABEL]
        if isinstance(labels, str):  # CSV
            labels = labels.split("#") if labels else []
        text = record.get(TEXT, record.get("data"))
        yield Answer(record["id"], None, LABEL, labels, text)


READERS: dict[str, Reader] = {
    "label-studio": _read_label_studio,
    "argilla": _read_argilla,
    "prodigy": _read_prodigy,
    "doccano": _read_doccano,
}
