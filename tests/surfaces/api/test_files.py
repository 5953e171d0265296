"""Answers as files: what was verified and what was not, in every form; nothing in them is read as markup."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import docx
import pytest
from pypdf import PdfReader
from starlette.testclient import TestClient

from citeleaf.app import App
from citeleaf.surfaces.answer_docx import docx as word
from citeleaf.surfaces.answer_files import MEDIA, html, markdown
from citeleaf.surfaces.answer_sheet import TURKISH, sheet
from citeleaf.types import Answer, Removed

LEAVE = "How many days of leave does everybody get?"
COVER = "What is covered?"
HOSTILE = "<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://a.test/i) `code` & | # \x00\x0b"


@pytest.fixture
def answer(app: App) -> Answer:
    return app.ask(LEAVE)


def text_of(data: bytes) -> str:
    return "\n".join(p.text for p in docx.Document(BytesIO(data)).paragraphs)


@pytest.mark.parametrize("form", list(MEDIA))
def test_each_form_comes_under_its_type_and_name(client: TestClient, form: str) -> None:
    question = COVER if form == "pdf" else LEAVE
    doc_ids = ["cover"] if form == "pdf" else []
    made = client.post("/api/ask", json={"question": question, "doc_ids": doc_ids}).json()
    assert made["outcome"] == "answered"
    response = client.get(f"/api/answers/{made['id']}/file?form={form}")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == MEDIA[form]  # type: ignore[index]
    assert f'filename="answer-{made["id"]}.{form}"' in response.headers["content-disposition"]


def test_all_forms_say_the_same(answer: Answer) -> None:
    made = sheet(answer)
    for text in (markdown(made), html(made), text_of(word(made))):
        for said in (LEAVE, "Verified", "25 days of leave", "words found", "supported", "Sources", answer.id):
            assert said in text
        assert "Not verified" not in text


def test_what_was_taken_out_stands_apart(answer: Answer) -> None:
    removed = Removed("Everybody gets 40 days.", "refuted", "numbers")
    made = sheet(replace(answer, removed=(removed,)), "tr")
    assert [said.text for said in made.unverified] == ["Everybody gets 40 days."]
    assert TURKISH.label["refuted"] in made.unverified[0].state
    for text in (markdown(made), html(made), text_of(word(made))):
        assert text.index(TURKISH.verified) < text.index(TURKISH.unverified) < text.index("40 days")


def test_an_answer_not_given_says_why(app: App) -> None:
    made = sheet(app.ask("How many days of leave does rule AML-999 give?"))
    assert made.reply
    assert "unknown_code" in made.outcome
    assert any("AML-999" in line and "threshold 0" in line for line in made.stopped)
    assert made.reply in text_of(word(made))


def test_text_is_never_markup(answer: Answer) -> None:
    claim = replace(answer.claims[0], text=HOSTILE)
    query = replace(answer.trace.query, text=HOSTILE)
    made = sheet(replace(answer, claims=(claim,), trace=replace(answer.trace, query=query)))
    page = html(made)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") == 3  # title, heading, sentence
    plain = markdown(made)
    assert "<script" not in plain.replace("\\<script", "")
    assert "](" not in plain.replace("\\](", "")
    assert "<script>alert(1)</script>" in text_of(word(made))


def test_the_same_answer_gives_the_same_file(answer: Answer) -> None:
    assert word(sheet(answer)) == word(sheet(answer))


def test_the_pdf_holds_the_cited_pages_with_highlights_and_notes(app: App, client: TestClient) -> None:
    answer = app.ask(COVER, doc_ids=["cover"])
    response = client.get(f"/api/answers/{answer.id}/file?form=pdf")
    pages = PdfReader(BytesIO(response.content)).pages
    assert len(pages) == len({c.place.page for c in answer.citations})
    notes = [a.get_object() for page in pages for a in page["/Annots"]]
    assert [n["/Subtype"] for n in notes].count("/Text") == 1
    assert COVER in notes[0]["/Contents"]
    highlights = [n for n in notes if n["/Subtype"] == "/Highlight"]
    assert len(highlights) == len(answer.citations)
    assert all(answer.claims[0].text[:20] in h["/Contents"] for h in highlights[:1])


def test_without_a_page_there_is_no_pdf(client: TestClient) -> None:
    made = client.post("/api/ask", json={"question": LEAVE}).json()
    assert [c["page"] for c in made["citations"]] == [None]
    response = client.get(f"/api/answers/{made['id']}/file?form=pdf")
    assert (response.status_code, response.json()["code"]) == (400, "config")
    assert client.get(f"/api/answers/{made['id']}/file?form=exe").status_code == 422
    assert client.get("/api/answers/none/file").status_code == 404


def test_the_library_tells_its_profile(client: TestClient, app: App) -> None:
    told = client.get("/api/library").json()
    assert told["schema"] == "citeleaf/library/1"
    assert (told["profile"], told["documents"]) == (app.settings.profile.name, len(app.documents()))
    assert str(app.folder) not in str(told)


def test_the_page_runs_only_its_own_files(client: TestClient) -> None:
    policy = client.get("/", headers={"Accept": "text/html"}).headers["content-security-policy"]
    parts = dict(part.strip().partition(" ")[::2] for part in policy.split(";"))
    assert (parts["default-src"], parts["script-src"], parts["style-src"]) == ("'none'", "'self'", "'self'")
    assert parts["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in policy
    assert "http" not in policy
