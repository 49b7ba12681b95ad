"""``labeldist annotators``."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from labeldist.votes import agreement, annotators, from_votes
from tests.app.cli.in_process import error_of, run, run_json

COLUMNS = ("--item", "title", "--annotator", "who", "--label", "emotion")
COMMAND = ("annotators", "votes.csv", *COLUMNS)


@pytest.fixture
def votes(folder):
    """The votes of the songs, in a table with the groups of the annotators."""
    table = pd.read_csv("votes.csv")
    table["team"] = np.where(table["who"].isin(["person 0", "person 1"]), "A", "B")
    table.loc[table["who"] == "person 4", "team"] = None
    table.to_csv("votes.csv", index=False)
    return from_votes(table, item="title", annotator="who", label="emotion")


def test_table_is_written_and_printed(votes):
    result = run(*COMMAND, "-o", "people.csv")
    expected = annotators(votes).to_frame().sort_values("agreement")
    written = pd.read_csv("people.csv")
    assert written["annotator"].tolist() == expected["annotator"].tolist()
    assert_allclose(written[["votes", "agreement", "lower", "upper"]], expected.iloc[:, 1:])
    lines = result.stdout.splitlines()
    overall = agreement(votes, random_state=0)
    low, high = overall.interval
    interval = f"(95 % interval {low:.3f} to {high:.3f})"
    assert lines[0] == f"Krippendorff's alpha {overall.alpha:.3f} {interval}"
    assert lines[1].startswith("5 annotators: ")
    assert lines[1].endswith("about 0.1 each if nobody differs")
    assert [line.split()[1] for line in lines[4:]] == [
        name.split()[1] for name in expected["annotator"]
    ]
    facts = run_json(*COMMAND)
    assert facts["alpha"] == overall.alpha
    assert facts["alpha_interval"] == list(overall.interval)
    assert facts["below"] + facts["above"] <= 5


def test_level_ordinal(votes):
    order = sorted(votes.label_names, reverse=True)
    options = (*COMMAND, "--level", "ordinal", "--label-names", ",".join(order), "--groups", "team")
    facts = run_json(*options)
    expected = from_votes(
        pd.read_csv("votes.csv"),
        item="title",
        annotator="who",
        label="emotion",
        label_names=order,
    )
    teams = {f"person {k}": team for k, team in enumerate("AABB")}
    people = annotators(expected, teams, level="ordinal", random_state=0)
    found = pd.DataFrame(facts["annotators"])
    assert_allclose(found["agreement"], np.sort(people.agreement))
    assert_allclose(pd.DataFrame(facts["groups"])["within"], people.groups.within)
    overall = agreement(expected, level="ordinal", random_state=0)
    assert facts["alpha"] == pytest.approx(overall.alpha)
    assert facts["level"] == "ordinal"
    assert run_json(*COMMAND)["level"] == "nominal"
    first = run(*options).stdout.splitlines()[0]
    assert first == f"Labels in this order: {', '.join(order)}. Neighbours disagree less."


def test_only_extremes_are_printed_next_to_a_written_table(folder, rng):
    labels = rng.choice(["x", "y"], size=(60, 30))
    names = [f"person{k}" for k in range(30)]
    pd.DataFrame(labels, columns=names).assign(id=range(60)).to_csv("wide.csv", index=False)
    command = ("annotators", "wide.csv", "--item", "id", "--annotators", "person*")
    printed = run(*command, "-o", "people.csv").stdout
    table = pd.read_csv("people.csv").set_index("annotator")
    assert len(table) == 30
    _, least, most = printed.split(" agreeing:")
    shown = [[line.split()[0] for line in part.splitlines()[2:7]] for part in (least, most)]
    assert shown[0] == table.nsmallest(5, "upper").index.tolist()
    assert shown[1] == table.nlargest(5, "lower").index.tolist()
    assert run(*command).stdout.count("person") == 30


def test_alpha_of_two_annotators_is_printed(folder):
    (folder / "two.csv").write_text("id,ann,bob\n1,x,y\n2,x,x\n3,y,y\n4,y,y\n")
    command = ("annotators", "two.csv", "--item", "id", "--annotators", "ann,bob")
    facts = run_json(*command)
    assert facts["alpha"] == pytest.approx(1 - 2 * 7 / 30)
    assert facts["annotators"][0]["agreement"] is None
    assert "two items with three votes" in facts["notes"][0]


def test_one_column_for_two_options_raises(votes):
    pairs = [("title", "who", "title"), ("title", "title", "emotion"), ("title", "who", "who")]
    for item, annotator, label in pairs:
        options = ("--item", item, "--annotator", annotator, "--label", label)
        message = error_of("annotators", "votes.csv", *options, code=2)
        assert "is named as" in message
        assert "is named as" in error_of("votes", "votes.csv", *options, code=2)


def test_copies_of_votes_are_dropped(votes):
    table = pd.read_csv("votes.csv")
    pd.concat([table, table[:3]]).to_csv("copies.csv", index=False)
    command = ("annotators", "copies.csv", *COLUMNS)
    assert "--drop-copies" in error_of(*command)
    expected = run_json(*COMMAND)["annotators"]
    assert run_json(*command, "--drop-copies")["annotators"] == expected


def test_objects_of_votes_keep_the_names_of_annotators(folder):
    (folder / "votes.json").write_text(
        '[{"id": 1, "annotations": {"Ann1": "2", "Ann2": "3", "Ann3": "2"}},'
        ' {"id": 2, "annotations": {"Ann1": "3", "Ann2": "3", "Ann3": "2"}}]'
    )
    command = ("annotators", "votes.json", "--item", "id", "--annotators", "annotations")
    names = [row["annotator"] for row in run_json(*command)["annotators"]]
    assert sorted(names) == ["Ann1", "Ann2", "Ann3"]


def test_objects_within_objects_raise(folder):
    (folder / "deep.jsonl").write_text(
        '{"id": 1, "v": {"A": 1, "b.c": 2, "C": {"x": 1}}, "more": {"deep": {"x": 1}}}\n'
        '{"id": 2, "v": {"A": 1, "b.c": 1, "C": {"x": 2}}, "more": {"deep": {"x": 1}}}\n'
    )
    for command in (("annotators", "--annotators"), ("votes", "--counts"), ("votes", "--label")):
        message = error_of(command[0], "deep.jsonl", "--item", "id", command[1], "v")
        assert "column 'v' contain objects, such as that of 'v.C.x'" in message
    flat = (folder / "deep.jsonl").read_text().replace('{"x": 1}}, "more"', '1}, "more"')
    (folder / "flat.jsonl").write_text(flat.replace('{"x": 2}', "2"))
    command = ("annotators", "flat.jsonl", "--item", "id", "--annotators", "v")
    names = [row["annotator"] for row in run_json(*command)["annotators"]]
    assert sorted(names) == ["A", "C", "b.c"]


def test_small_groups_name_the_smallest_p(votes):
    printed = run(*COMMAND, "--groups", "team").stdout  # 2 + 2 annotators
    assert "p of A cannot be less than 0.167: too few annotators." in printed
    facts = run_json(*COMMAND, "--groups", "team")
    assert [row["smallest_p"] for row in facts["groups"]] == pytest.approx([1 / 6, 1 / 6])


def test_groups_of_many_numbers_raise(folder):
    rows = [f"{i},{a},{'xy'[(i + a) % 2]},{18 + a}" for i in range(9) for a in range(15)]
    (folder / "ages.csv").write_text("\n".join(["id,who,label,age", *rows]))
    command = ("annotators", "ages.csv", "--item", "id", "--annotator", "who", "--label", "label")
    assert "15 numbers from 18 to 32" in error_of(*command, "--groups", "age")


def test_groups(votes):
    facts = run_json(*COMMAND, "--groups", "team", "--seed", "3")
    teams = {f"person {k}": team for k, team in enumerate("AABB")}
    expected = annotators(votes, teams, random_state=3).groups
    found = pd.DataFrame(facts["groups"])
    assert found["group"].tolist() == ["A", "B"]
    assert found["annotators"].tolist() == [2, 2]
    assert_allclose(found["within"], expected.within)
    assert_allclose(found["across"], expected.across)
    assert_allclose(found["p"], expected.p_value)
    assert len(facts["annotators"]) == 5
    text = run(*COMMAND, "--groups", "team").stdout
    assert "within" in text
    assert "p is one-sided" in text
    assert "NaN" not in text


def test_undefined_p_values_are_explained(votes):
    table = pd.read_csv("votes.csv")
    table["team"] = np.where(table["who"] == "person 0", "A", "B")
    table.to_csv("votes.csv", index=False)
    options = (*COMMAND, "--groups", "team")
    found = {row["group"]: row["p"] for row in run_json(*options)["groups"]}
    assert found["A"] is None
    assert found["B"] > 0
    assert "NaN: a group has one annotator" in run(*options).stdout


def test_table_to_standard_output(votes):
    assert run(*COMMAND, "-o", "-").stdout.startswith("annotator,votes,agreement,lower,upper\n")


def test_wide_tables(folder):
    (folder / "wide.csv").write_text("id,r1,r2,r3\na,x,x,y\nb,y,y,y\nc,x,y,x\n")
    facts = run_json("annotators", "wide.csv", "--item", "id", "--annotators", "r*")
    assert {row["annotator"] for row in facts["annotators"]} == {"r1", "r2", "r3"}
    options = ("--annotators", "r*", "--groups", "id")
    assert "--groups" in error_of("annotators", "wide.csv", *options, code=2)


def test_groups_of_lists_of_annotators_raise(folder):
    (folder / "lists.csv").write_text('id,who,label,g\na,"x,y","1,0",A\nb,"x,y","1,1",B\n')
    columns = ("--item", "id", "--annotator", "who", "--label", "label", "--separator", ",")
    assert "one row per vote" in error_of("annotators", "lists.csv", *columns, "--groups", "g")


def test_invalid_calls(votes):
    without = ("annotators", "votes.csv", "--item", "title", "--label", "emotion")
    assert "--annotator" in error_of(*without, code=2)
    assert "'teams'" in error_of(*COMMAND, "--groups", "teams")
    pd.read_csv("votes.csv").assign(team="A").to_csv("votes.csv", index=False)
    assert "Two groups" in error_of(*COMMAND, "--groups", "team")


def test_items_without_votes_have_no_effect(folder):
    text = "item,ann,bob,cy\n1,x,y,x\n2,x,x,y\n3,y,y,y\n"
    (folder / "wide.csv").write_text(text)
    (folder / "gap.csv").write_text(f"{text}4,,,\n")
    command = ("--item", "item", "--annotators", "ann,bob,cy")
    expected = run_json("annotators", "wide.csv", *command)
    assert run_json("annotators", "gap.csv", *command)["annotators"] == expected["annotators"]
