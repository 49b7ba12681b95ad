"""Exports of annotation tools as long tables: item, annotator, label and text of each vote.

- Label Studio: JSON [1]_.
- Argilla 2: `records.to_list(flatten=True)` as JSON, or `records.to_json`, which has no statuses.
- Prodigy: JSONL of `db-out`, with the interfaces `choice` and `classification`.
- Doccano: JSONL, JSON or CSV, and archives with one such file per user.

.. [1] https://labelstud.io/guide/task_format
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from zipfile import ZipFile, ZipInfo

from labeldist.app.tables.csv_files import read_csv
from labeldist.app.tables.json_files import parse_json, parse_lines
from labeldist.app.tables.read_and_write import read_errors, reading
from labeldist.app.text import shortened
from labeldist.exceptions import LabelDistWarning, TableError
from labeldist.utils import listed, require

if TYPE_CHECKING:
    import pandas as pd

ITEM, ANNOTATOR, LABEL, TEXT = COLUMNS = ("item", "annotator", "label", "text")
LARGEST = 2 * 2**30  # bytes of all unpacked files, so that a small archive cannot fill the memory
FORMATS = (".json", ".jsonl", ".csv")
SUBMITTED = "submitted"
NO_STATUS = (
    "the responses have no status, so drafts and discarded ones are counted too, if there are any. "
    "Export records.to_list(flatten=True) as JSON, which has the statuses"
)
OF_REGIONS = "answers about regions or parts of an item are left out: {count}"
CANCELLED = "cancelled annotations are left out: {count}"
DRAFT = "drafts are left out: {count}"
EARLIER = "earlier versions of an annotation by the same annotator are left out: {count}"
UNANSWERED = "tasks without an answer are left out: {count}"
SEPARATED = "labels in one cell are separated at #. If a label contains #, export JSONL"

Record = dict[str, Any]


class Answer(NamedTuple):
    """The answer of an annotator to a question about an item: one label, several, or None.

    `remark` says what is doubtful about the answer, or why it is left out. An annotation that is
    left out as a whole has no question.
    """

    item: Any
    annotator: Any
    question: str | None
    label: Any
    text: Any
    remark: str = ""


Reader = Callable[[Record], Iterator[Answer]]


def read_export(path: str, tool: str, question: str | None = None) -> pd.DataFrame:
    """Return the votes in an export as a table with the columns item, annotator, label and text.

    The columns of annotators and texts are left out if the export has none. `question` is needed if
    the annotators answer several questions. A warning gives the numbers of doubtful answers and of
    answers that are left out.
    """
    with reading(path) as file:
        answers = list(_answers(path, file, tool))
    table = require("pandas", "app").DataFrame(answers, columns=Answer._fields, dtype=object)
    questions = table["question"].dropna().unique()
    if not len(questions):
        raise TableError(f"{path} has no answers of annotators. {_advice(tool)}")
    chosen = questions if question is None else [question]
    if len(chosen) != 1 or chosen[0] not in questions:
        problem = f"{path} has answers to these questions: {listed(questions)}"
        raise TableError(f"{problem}. Name the question to count as the label.")
    table = table[table["question"].isin([chosen[0], None])]
    counts = Counter(filter(None, table["remark"]))
    remarks = [remark.format(count=count) for remark, count in counts.items()]
    frame = table.explode(LABEL, ignore_index=True).dropna(subset=LABEL)[list(COLUMNS)]
    if frame.empty:
        reasons = "".join(f" {remark}." for remark in remarks)
        raise TableError(f"{path} has no votes on the question {chosen[0]!r}.{reasons}")
    for remark in remarks:
        warnings.warn(f"{path}: {remark}.", LabelDistWarning, stacklevel=2)
    return frame.dropna(axis=1, how="all")


def _advice(tool: str) -> str:
    return f"Is it an export of {tool}, in JSON or JSONL (not JSON-MIN)?"


def _answers(path: str, file: BinaryIO, tool: str) -> Iterator[Answer]:
    """Read the answers in a file, or in an archive with one file per annotator."""
    if _suffix(path) != ".zip":
        yield from _answers_in_file(path, file, _suffix(path), tool)
        return
    with ZipFile(file) as archive:
        members = _members(path, archive)
        room = LARGEST
        for member in members:
            with archive.open(member) as packed:
                content = packed.read(room + 1)
            room -= len(content)
            if room < 0:
                raise TableError(f"{path} has more than {LARGEST:,} bytes when unpacked.")
            name = f"{member.filename} in {path}"
            person = _person_of_file(member, members) if tool == "doccano" else None
            suffix = _suffix(member.filename)
            for answer in _answers_in_file(name, BytesIO(content), suffix, tool):
                yield answer._replace(annotator=person) if person else answer


def _members(path: str, archive: ZipFile) -> list[ZipInfo]:
    """Return the exports in an archive, with a warning about other files."""
    members = [member for member in archive.infolist() if not _is_of_system(member)]
    exports = [member for member in members if _suffix(member.filename) in FORMATS]
    others = [member.filename for member in members if member not in exports]
    inner = [name for name in others if _suffix(name) == ".zip"]
    if inner:
        raise TableError(f"{path} contains an archive, {inner[0]}. Unpack it, and read its files.")
    if not exports:
        raise TableError(f"{path} contains no file in JSON, JSONL or CSV.")
    if others:
        text = f"{path}: ignored, since they are no exports: {listed(others)}."
        warnings.warn(text, LabelDistWarning, stacklevel=2)
    return exports


def _is_of_system(member: ZipInfo) -> bool:
    """Return whether a member is a folder, or a file that macOS adds."""
    path = PurePosixPath(member.filename)
    is_of_macos = path.name.startswith(("._", ".DS_Store")) or "__MACOSX" in path.parts
    return member.is_dir() or is_of_macos


def _suffix(name: str) -> str:
    return PurePath(name).suffix.lower()


def _person_of_file(member: ZipInfo, members: list[ZipInfo]) -> str | None:
    """Return the user that a file of Doccano is named after.

    The only file of a collaborative project is called all; it does not say who voted.
    """
    name = PurePosixPath(member.filename).stem
    return None if len(members) == 1 and name == "all" else name


def _answers_in_file(name: str, file: BinaryIO, suffix: str, tool: str) -> Iterator[Answer]:
    with read_errors(name):
        records = _read_records(file, suffix)
    if not isinstance(records, list):
        raise TableError(f"{name} must contain a list of records. {_advice(tool)}")
    if tool == "prodigy" and records and not any(map(_has_answer, records)):
        raise TableError(f"{name} has no field 'answer'. {_advice(tool)}")
    for number, record in enumerate(records, start=1):
        place = f"Record {number} of {name}"
        try:
            answers = list(READERS[tool](record))
        except TableError as error:
            raise TableError(f"{place}: {error}") from None
        except KeyError as error:
            raise TableError(f"{place} has no field {error}. {_advice(tool)}") from None
        except (AttributeError, TypeError, ValueError):  # such as null instead of a list
            raise TableError(f"{place} has an unknown structure. {_advice(tool)}") from None
        for answer in answers:
            _check(answer, place)
            yield answer


def _read_records(file: BinaryIO, suffix: str) -> Any:
    if suffix == ".csv":
        return read_csv(file).to_dict("records")
    return parse_lines(file) if suffix == ".jsonl" else parse_json(file)


def _check(answer: Answer, place: str) -> None:
    """Raise a TableError if a label is no text, number or list of them, or a name is neither."""
    labels = answer.label if isinstance(answer.label, list) else [answer.label]
    for label in labels:
        if isinstance(label, dict | list):
            advice = "Only choices and ratings of whole items can be counted"
            raise TableError(f"{place} has the label {shortened(label)}. {advice}.")
    names = {"item": answer.item, "annotator": answer.annotator, "question": answer.question}
    for kind, name in names.items():
        if isinstance(name, dict | list):
            raise TableError(f"{place} has a list or object instead of the name of the {kind}.")


def _read_label_studio(task: Record) -> Iterator[Answer]:
    annotations = task["annotations"]
    earlier = _earlier_versions(annotations)
    for annotation in annotations:
        if annotation.get("was_cancelled"):  # skipped by the annotator
            yield _left_out(task, CANCELLED)
        elif annotation.get("id") in earlier:
            yield _left_out(task, EARLIER)
        else:
            yield from _results(task, annotation)
    for _ in task.get("drafts") or ():
        yield _left_out(task, DRAFT)


def _left_out(task: Record, remark: str) -> Answer:
    return Answer(task["id"], None, None, None, None, remark)


def _earlier_versions(annotations: list[Record]) -> set[Any]:
    """Return the identifiers of annotations of which the annotator made a later version."""
    by_id = {found["id"]: found for found in annotations if "id" in found}
    versions: dict[Any, set[Any]] = {}  # by the identifier of the first version
    for found in by_id.values():
        line = _versions_before(found, by_id)
        versions.setdefault(line[-1], set()).update(line)
    earlier = set()
    for numbers in versions.values():
        valid = {number for number in numbers if not by_id[number].get("was_cancelled")}
        earlier |= valid - {max(valid, default=None)}
    return earlier


def _versions_before(annotation: Record, by_id: dict[Any, Record]) -> list[Any]:
    """Return the identifiers of an annotation and of its earlier versions by the same annotator."""
    line = [annotation["id"]]
    while (parent := by_id.get(by_id[line[-1]].get("parent_annotation"))) is not None:
        is_same_person = _person(parent["completed_by"]) == _person(annotation["completed_by"])
        if not is_same_person or parent["id"] in line:
            break
        line.append(parent["id"])
    return line


def _results(task: Record, annotation: Record) -> Iterator[Answer]:
    """Return the answers of an annotation of Label Studio."""
    person = _person(annotation["completed_by"])
    results = annotation["result"]
    regions = {result.get("id") for result in results if _is_of_region(result)}
    for result in results:
        kind = result["type"]
        if kind not in ("choices", "rating"):
            continue
        labels = result["value"][kind]
        remark = ""
        if _is_of_region(result) or result.get("id") in regions - {None}:
            labels, remark = None, OF_REGIONS
        text = _main_text(task["data"])
        yield Answer(task["id"], person, result["from_name"], labels, text, remark)


def _is_of_region(result: Record) -> bool:
    """Return whether a result is about a part of the item, such as a span or one of its images."""
    # A textarea has the key text.
    others = set(result.get("value", {})) - {result["type"], TEXT}
    return bool(others) or "item_index" in result


def _person(completed_by: Any) -> Any:
    """Return the identifier of a user, which some exports describe by an object."""
    return completed_by["id"] if isinstance(completed_by, dict) else completed_by


def _main_text(fields: Record) -> Any:
    """Return the field `text`, or else the first one."""
    return fields.get(TEXT, next(iter(fields.values()), None))


def _read_argilla(record: Record) -> Iterator[Answer]:
    item = record["id"]
    is_nested = isinstance(record.get("responses"), dict)  # a field can have this name too
    text = _main_text(record["fields"]) if is_nested else record.get(TEXT)
    responses = _nested_responses(record) if is_nested else _flat_responses(record)
    for question, labels, person, status in responses:
        if labels is not None and status in (None, SUBMITTED):
            remark = NO_STATUS if status is None else ""
            yield Answer(item, person, question, labels, text, remark)


def _nested_responses(record: Record) -> Iterator[tuple[Any, ...]]:
    """Return question, labels, user and status of the responses that `to_json` writes."""
    for question, responses in record["responses"].items():
        for response in responses:
            yield question, response["value"], response["user_id"], response.get("status")


def _flat_responses(record: Record) -> Iterator[tuple[Any, ...]]:
    """Return the same for responses that `to_list(flatten=True)` returns."""
    for name, labels in record.items():
        if name.endswith(".responses") and labels is not None:
            question = name.removesuffix(".responses")
            people, statuses = record[f"{name}.users"], record[f"{name}.status"]
            for label, person, status in zip(labels, people, statuses, strict=True):
                yield question, label, person, status


def _has_answer(record: Any) -> bool:
    """Return whether a record is none of another tool; records of another type raise later."""
    return not isinstance(record, dict) or "answer" in record


def _read_prodigy(task: Record) -> Iterator[Answer]:
    person = task.get("_annotator_id", task.get("_session_id"))
    is_proposal = "accept" not in task and LABEL in task
    labels = task[LABEL] if is_proposal else task.get("accept")
    answer = task.get("answer")
    if answer == "ignore":
        return
    remark = "" if answer in ("accept", "reject") else UNANSWERED
    if remark or (answer == "reject" and not is_proposal):
        labels = None
    elif answer == "reject" and not isinstance(labels, dict | list):
        labels = f"not {labels}"
    yield Answer(task["_input_hash"], person, LABEL, labels, task.get(TEXT), remark)


def _read_doccano(record: Record) -> Iterator[Answer]:
    labels = record[LABEL]
    remark = ""
    if isinstance(labels, str):  # CSV
        remark = SEPARATED if "#" in labels else ""
        labels = labels.split("#") if labels else []
        if "" in labels:
            problem = f"the labels {record[LABEL]!r} cannot be separated at #"
            raise TableError(f"{problem}. Export JSONL.")
    text = record.get(TEXT, record.get("data"))
    yield Answer(record["id"], None, LABEL, labels, text, remark)


READERS: dict[str, Reader] = {
    "label-studio": _read_label_studio,
    "argilla": _read_argilla,
    "prodigy": _read_prodigy,
    "doccano": _read_doccano,
}
