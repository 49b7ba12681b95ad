"""Predictions of saved models: features by name, and cells of new kinds."""

import numpy as np

from tests.app.cli.in_process import error_of, run, run_json
from tests.app.cli.songs import FIT, LABELS


def test_similar_names_of_features_are_suggested(table):
    table.rename(columns=str.upper).to_csv("new.csv", index=False)
    error = error_of("predict", "model.skops", "new.csv", "-o", "p.csv")
    assert "lacks feature columns of the model: tempo, loudness, pitch." in error
    assert "Did you mean TEMPO, LOUDNESS, PITCH?" in error


def test_new_gaps_categories_and_texts_are_noted(table):
    words = ["the quick brown fox jumps", "a lazy dog sleeps all day", "some bird sings at dawn"]
    texts = [f"{words[i % 3]} number{i}" for i in range(120)]
    table = table.assign(key=["major", "minor"] * 60, text=texts)
    table.loc[:9, "pitch"] = np.nan
    table.to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    table.loc[:4, "tempo"] = np.nan
    new_texts = ["", "ein ganz anderer Satz", words[0]] * 40
    new = table.assign(key=["Major", "minor", "Moll"] * 40, text=new_texts)
    new.to_csv("new.csv", index=False)
    notes = str(run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"])
    assert "'tempo' has 5 empty cells" in notes
    assert "'pitch'" not in notes
    assert "'key' has 80 cells" in notes
    assert "Major, Moll." in notes
    assert "'text' has 40 texts without words" in notes
    assert "'text' has 40 empty cells" in notes


def test_gaps_in_text_are_noted_only_if_training_had_none(table):
    texts = ["" if i % 2 else f"some bird sings at dawn number{i}" for i in range(120)]
    table.assign(text=texts).to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare", "--ignore", "title")
    assert "'text'" not in str(run_json("predict", "m.skops", "dist.csv", "-o", "p.csv")["notes"])


def test_note_on_unknown_words_names_no_other_columns(table):
    texts = [f"some bird sings at dawn number{i}" for i in range(120)]
    table = table.assign(text=texts)[["text", *LABELS]]
    table.to_csv("dist.csv", index=False)
    run(*FIT, "bdldl", "--prepare")
    table.assign(text="ein ganz anderer Satz").to_csv("new.csv", index=False)
    notes = str(run_json("predict", "m.skops", "new.csv", "-o", "p.csv")["notes"])
    assert "'text' has 120 texts without words" in notes
    assert "other columns" not in notes
