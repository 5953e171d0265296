"""One run of benchmarks: documents in, each question asked, one JSON line a row with the whole trace."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from citeleaf.app import App
from citeleaf.errors import BenchmarkError, CiteleafError
from citeleaf.evaluate.benchmark import Benchmark, Corpus, Row
from citeleaf.evaluate.score import score_row
from citeleaf.evaluate.summary import Json, summarise
from citeleaf.ids import slug, unique
from citeleaf.record import answer_json
from citeleaf.types import Answer, DocId, Fact, Passage

DEPTH = 10


def run(
    benchmark: Benchmark,
    app: App,
    out: Path,
    *,
    docs: Sequence[Path] = (),
    limit: int | None = None,
    watch: Callable[[int, int, str], None] | None = None,
) -> dict[str, Json]:
    """Asks every row of a benchmark and writes `rows.jsonl` and `summary.json` into `out`; gives the summary.

    Documents named by the benchmark and by `docs` are taken into the app's library first. Rows already in `rows.jsonl`
    are kept, so that a killed run goes on. With `limit`, rows are taken evenly over the file. A row that fails is
    recorded with its error. Raises `BenchmarkError` before the first question when a gold document is not there.
    """
    out.mkdir(parents=True, exist_ok=True)
    doc_ids = take_in(benchmark, app, out, docs, watch)
    rows = sample(benchmark.rows, limit)
    records = {str(r["id"]): r for r in _kept(out / "rows.jsonl")}
    scoped = any(row.answerable is False and row.gold_docs for row in benchmark.rows)
    with (out / "rows.jsonl").open("a", encoding="utf-8") as file:
        for number, row in enumerate(rows, 1):
            if row.id not in records:
                record = ask_row(row, app, doc_ids, scoped=scoped)
                file.write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")
                file.flush()
                records[row.id] = record
            if watch is not None:
                watch(number, len(rows), row.id)
    summary = summarise([records[row.id] for row in rows])
    (out / "summary.json").write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return summary


def ask_row(row: Row, app: App, doc_ids: Mapping[str, DocId], *, scoped: bool) -> dict[str, Json]:
    """Asks one row and scores it. `scoped`: the question is about its gold document alone."""
    within = tuple(doc_ids[d] for d in row.gold_docs if d in doc_ids) if scoped else ()
    record: dict[str, Json] = {
        "id": row.id,
        "set": row.set,
        "question": row.question,
        "answerable": row.answerable,
        "category": row.category,
        "split": row.split,
        "gold_doc": row.gold_docs[0] if row.gold_docs else None,
    }
    facts = (Fact("case", row.facts),) if row.facts else ()
    try:
        answer = app.ask(row.question, facts=facts, doc_ids=within)
        ranking = final_ranking(answer, app)
    except CiteleafError as error:
        return record | {"error": error.code, "message": error.message}
    return record | {
        "outcome": answer.decision.outcome,
        "reason": answer.decision.reason,
        "figures": dict(score_row(row, answer, ranking, doc_ids)),
        "seconds": {s.stage: s.seconds for s in answer.seconds},
        "ranking": [p.id for p in ranking],
        "answer": answer_json(answer),
    }


def final_ranking(answer: Answer, app: App) -> tuple[Passage, ...]:
    """The evidence in its order, then what the last list holds beyond it; at least `DEPTH` where there are so many."""
    found = answer.trace.retrieval
    if found is None:
        return ()
    shown = [e.passage for e in found.evidence]
    have = {p.id for p in shown}
    last = found.rankings[-1].hits if found.rankings else ()
    more = [h.passage_id for h in last if h.passage_id not in have][: max(0, DEPTH - len(shown))]
    return (*shown, *app.kit.store.passages(more))


def sample(rows: Sequence[Row], limit: int | None) -> tuple[Row, ...]:
    """All rows, or `limit` of them at even distances, in order."""
    if limit is None or limit >= len(rows):
        return tuple(rows)
    return tuple(rows[i * len(rows) // limit] for i in range(limit))


def take_in(
    benchmark: Benchmark,
    app: App,
    out: Path,
    docs: Sequence[Path],
    watch: Callable[[int, int, str], None] | None,
) -> dict[str, DocId]:
    """Takes the documents into the library; gives gold document names with their ids.

    A benchmark's own corpus is written into `out/corpus` as text files first.
    """
    paths = list(docs) or list(benchmark.documents)
    if benchmark.corpus is not None and not docs:
        paths = [_write(benchmark.corpus, out / "corpus")]
    report = app.ingest(paths, facts=benchmark.facts, watch=watch) if paths else None
    failed = [r for r in report.rows if r.error is not None] if report else []
    names: dict[str, DocId] = {}
    for document in app.documents():
        names[Path(document.source).name] = document.id
        names[document.title] = document.id
    if benchmark.corpus is not None and not docs:
        for (name, _), file in zip(benchmark.corpus.documents, _file_names(benchmark.corpus), strict=True):
            names[name] = names[file]
    for row in benchmark.rows:
        missing = [d for d in row.gold_docs if d not in names]
        if missing and row.answerable:
            why = f": {failed[0].error}" if failed else ""
            raise BenchmarkError(
                f"gold document `{missing[0]}` of row `{row.id}` is not in the library{why}",
                hint="name its file or folder with --docs",
                subject=missing[0],
            )
    return names


def _write(corpus: Corpus, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for (_, texts), file in zip(corpus.documents, _file_names(corpus), strict=True):
        (folder / file).write_text("\n\n".join(texts) + "\n", "utf-8")
    return folder


def _file_names(corpus: Corpus) -> list[str]:
    return [f"{name}.txt" for name in unique(slug(name) for name, _ in corpus.documents)]


def _kept(path: Path) -> list[dict[str, Json]]:
    """Rows of an earlier run; a last line that a kill cut short is dropped from the file."""
    if not path.is_file():
        return []
    lines = path.read_bytes().split(b"\n")
    whole, rest = lines[:-1], lines[-1]
    if rest:
        path.write_bytes(b"\n".join(whole) + (b"\n" if whole else b""))
    return [json.loads(line) for line in whole if line]
