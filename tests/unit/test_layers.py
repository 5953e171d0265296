"""Where settings come from: names that are wrong are said, names that are empty count as not set."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeleaf.errors import ConfigError
from citeleaf.layers import load


def values(folder: Path, **environment: str) -> dict[str, object]:
    _, rows = load(folder=folder, environment=environment)
    return {row.key: (row.value, row.layer) for row in rows}


def test_a_setting_of_the_environment_is_taken(tmp_path: Path) -> None:
    assert values(tmp_path, CITELEAF_RETRIEVE__TOP_K="3")["retrieve.top_k"] == (3, "environment")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CITELEAF_RETRIEVE__TOPK", "CITELEAF_RETRIEVE__TOP_K"),
        ("CITELEAF_RETREIVE__TOP_K", "CITELEAF_RETRIEVE__TOP_K"),
        ("CITELEAF_RETRIEVE_TOP_K", "CITELEAF_RETRIEVE__TOP_K"),
        ("CITELEAF_TOP_K", "CITELEAF_RETRIEVE__TOP_K"),
        ("CITELEAF_CHAT__ADRESS", "CITELEAF_CHAT__ADDRESS"),
        ("CITELEAF_MODELS_GENERATOR", "CITELEAF_MODELS__GENERATOR"),
        ("CITELEAF_GENERATOR", "CITELEAF_MODELS__GENERATOR"),
        ("CITELEAF_LIBARY", "CITELEAF_LIBRARY"),
        ("CITELEAF_PROFIL", "CITELEAF_PROFILE"),
    ],
)
def test_a_name_of_the_environment_that_is_nearly_a_setting_is_an_error(tmp_path: Path, name: str, meant: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(folder=tmp_path, environment={name: "3"})
    assert f"`{name}`" in caught.value.message and f"`{meant}`" in caught.value.hint
    assert caught.value.subject == name


def test_a_section_without_such_a_setting_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(folder=tmp_path, environment={"CITELEAF_ZZZ__QQQ": "3"})
    assert "`CITELEAF_ZZZ__QQQ`" in caught.value.message and "settings --explain" in caught.value.hint


@pytest.mark.parametrize(
    "name",
    ["CITELEAF_LIBRARY", "CITELEAF_REGENERATE", "CITELEAF_TEST_RUNTIMES", "CITELEAF_NO_PLUGINS", "CITELEAF_IMAGE_TAG"],
)
def test_names_of_the_environment_that_are_no_settings_are_left_alone(tmp_path: Path, name: str) -> None:
    assert values(tmp_path, **{name: "1"}) == values(tmp_path)


@pytest.mark.parametrize("name", ["CITELEAF_PROFILE", "CITELEAF_RETRIEVE__TOP_K", "CITELEAF_CHAT__ADDRESS"])
def test_an_empty_name_of_the_environment_counts_as_not_set(tmp_path: Path, name: str) -> None:
    assert values(tmp_path, **{name: ""}) == values(tmp_path)


def test_an_empty_profile_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="empty"):
        load("", folder=tmp_path, environment={})
