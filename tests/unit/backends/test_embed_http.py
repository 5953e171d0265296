from __future__ import annotations

import numpy as np
import pytest

from citeleaf.backends.embed_http import HttpEmbedder, open_embedder, unit_rows
from citeleaf.errors import BadModelOutput, ConfigError
from citeleaf.settings import ChatSettings, EmbedSettings
from support.fake_behaviours import DIM, vector
from support.fake_model import FakeModel
from support.models import FAST

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])
TEXTS = [f"text number {n}" for n in range(7)]


def embedder(address: str, **given: object) -> HttpEmbedder:
    return HttpEmbedder(EmbedSettings(address=address, **{**FAST, **given}))  # type: ignore[arg-type]


def test_rows_are_of_length_one_in_order_whatever_the_batch() -> None:
    with FakeModel("good") as fake:
        several, one = embedder(fake.address, batch=3), embedder(fake.address, batch=1)
        rows = several.passages(TEXTS)
        assert np.array_equal(rows, one.passages(TEXTS))
        assert np.array_equal(several.query(TEXTS[2]), rows[2])
    assert (several.name, several.dim, rows.dtype) == ("fake-1.5b", DIM, np.float32)
    expected = np.array([vector(t) for t in TEXTS])
    assert np.allclose(rows, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert several.passages([]).shape == (0, DIM)


def test_rows_that_come_in_another_order_are_put_right() -> None:
    with FakeModel("good") as fake, FakeModel("vectors_reversed") as other:
        assert np.array_equal(embedder(fake.address).passages(TEXTS), embedder(other.address).passages(TEXTS))


def test_prefixes_are_put_before_and_change_the_fingerprint() -> None:
    with FakeModel("good") as fake:
        made = embedder(fake.address, query_prefix="query: ", passage_prefix="passage: ")
        made.query("a")
        made.passages(["b", " "])
        assert fake.requests[-2].body["input"] == ["query: a"]
        assert fake.requests[-1].body["input"] == ["passage: b", "passage: -"]
        assert made.fingerprint != embedder(fake.address).fingerprint


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        ("vectors_missing", "wrong_count"),
        ("vectors_uneven", "wrong_dimension"),
        ("vectors_infinite", "not_json"),
        ("vectors_huge", "not_finite"),
        ("vectors_zero", "zero_vector"),
        ("vectors_text", "wrong_shape"),
    ],
)
def test_vectors_that_would_poison_the_index_are_refused(behaviour: str, kind: str) -> None:
    with FakeModel(behaviour) as fake, pytest.raises(BadModelOutput) as error:
        embedder(fake.address).passages(TEXTS)
    assert error.value.kind == kind


def test_numbers_that_overflow_are_not_finite() -> None:
    for bad in ([float("inf")] * 2, [float("nan"), 1.0]):
        with pytest.raises(BadModelOutput) as error:
            unit_rows([bad], 1, 2)
        assert error.value.kind == "not_finite"
    assert np.allclose(unit_rows([[1e-3, 0.0]], 1, 2), [[1.0, 0.0]])


def test_without_an_address_the_chat_models_is_used_with_its_key() -> None:
    with FakeModel("good") as fake:
        chat = ChatSettings(address=fake.address, key="sk-1")  # type: ignore[arg-type]
        assert open_embedder(EmbedSettings(), chat).dim == DIM
    assert {s.headers["Authorization"] for s in fake.requests} == {"Bearer sk-1"}
    with pytest.raises(ConfigError):
        open_embedder(EmbedSettings(), ChatSettings())
