"""One frozen settings object, plain data: never a live model, connection or function. A stage gets its own section
only."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, field_validator

Positive = Annotated[int, Field(ge=1)]
Count = Annotated[int, Field(ge=0)]
Weight = Annotated[float, Field(ge=0.0, le=100.0, allow_inf_nan=False)]
Score = Annotated[float, Field(allow_inf_nan=False)]
Lines = Annotated[tuple[str, ...], BeforeValidator(lambda v: (v,) if isinstance(v, str) else v)]
"""Several lines of text; one may be given as it is."""
Limit = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class Section(BaseModel):
    """Base of all sections: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ProfileSettings(Section):
    """Who this is for."""

    name: str = Field(default="default", description="Name of the profile.")
    purpose: str = Field(default="Answers questions from your documents.", description="One sentence a user sees.")
    language: str = Field(default="en", description="Language of replies when the question's own cannot be told.")


class CorpusSettings(Section):
    """Which files belong, when no manifest says so."""

    skip_sections: tuple[str, ...] = Field(
        default=("contents", "table of contents", "index", "sources", "references", "bibliography", "source list"),
        description="Titles of sections kept for audit and left out of retrieval.",
    )


class IngestSettings(Section):
    """Limits of reading files."""

    workers: Count = Field(default=0, description="Parser processes; 0 means one a core, at most four.")
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = Field(default=30.0, description="Seconds one file may take.")
    memory_mb: Positive = Field(default=1024, description="Memory one parser process may use, in MB (1,000,000 bytes).")
    max_file_mb: Positive = Field(default=200, description="Largest file read, in MB.")
    max_unpacked_mb: Positive = Field(default=100, description="Most an office file may unpack to, in MB.")
    max_pages: Positive = Field(default=5000, description="Most pages of one file.")


class ChunkSettings(Section):
    """How sections become passages."""

    kind: Literal["sections", "words", "paragraphs"] = Field(
        default="sections",
        description="`sections`: whole blocks packed to `size` characters; `words`: windows; `paragraphs`: merged.",
    )
    size: Positive = Field(default=900, description="Most characters (words, for `words`) of a passage.")
    overlap: Count = Field(default=150, description="Characters (words) that two windows share.")
    merge_below: Count = Field(default=150, description="`paragraphs`: shorter ones are merged with the next.")


class RetrieveSettings(Section):
    """Which signals find passages, and how they are joined. A weight of 0 switches a signal off."""

    depth: Positive = Field(default=50, description="Hits taken from each first-stage list.")
    top_k: Positive = Field(default=5, description="Passages of evidence.")
    lexical: Weight = Field(default=0.7, description="Weight of BM25.")
    tfidf: Weight = Field(default=0.0, description="Weight of TF-IDF cosine.")
    dense: Weight = Field(default=1.0, description="Weight of embeddings.")
    entity: Weight = Field(default=0.2, description="Weight of exact codes, clause numbers and defined terms.")
    fuse: Literal["rrf", "sum"] = Field(default="sum", description="Reciprocal ranks, or min-max normalised scores.")
    rrf_k: Positive = Field(default=60, description="The constant of reciprocal rank fusion.")
    rerank: Weight = Field(default=2.0, description="Weight of the cross-encoder against the fused list; 0: not run.")
    rerank_depth: Positive = Field(default=20, description="Fused hits the cross-encoder reads.")
    definitions: Count = Field(default=1, description="Definitions brought along for terms the evidence leans on.")
    parts: bool = Field(default=True, description="Search the parts of a question with several.")


class GateSettings(Section):
    """Is the evidence worth answering from? Weights and thresholds belong to one set of models and one calibration.

    The probability that the evidence answers is 1 / (1 + exp(-(bias + sum of weight * feature))); `answer.gate`
    names the features. What a reader has read (see `models.reader`) has a bias and a weight of its own. A least value
    that is left out is not checked.
    """

    min_probability: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.37, description="Least probability that the evidence answers; 0: not checked."
    )
    bias: Score = Field(default=-3.34, description="Constant term of the probability.")
    rerank_weight: Score = Field(
        default=0.21, description="Weight of the best cross-encoder score (raw logit; below 0 it counts 0)."
    )
    dense_weight: Score = Field(default=6.44, description="Weight of the best cosine.")
    coverage_weight: Score = Field(default=0.0, description="Weight of the coverage of the question's words.")
    sufficiency_bias: Score = Field(default=-1.3, description="Added to the sum where evidence was read (English).")
    sufficiency_weight: Score = Field(
        default=0.4,
        description="Weight of the log-odds that what was read answers; 0: nothing is read.",
    )
    min_rerank: Score | None = Field(default=None, description="Least cross-encoder score of the best passage.")
    min_dense: Score | None = Field(default=None, description="Least cosine of the best passage.")
    min_coverage: Score | None = Field(
        default=None, description="Least idf-weighted share of the question's words in the best passage."
    )
    codes: bool = Field(default=True, description="A code in the question must stand in the documents.")
    calibrated_for: tuple[str, ...] = Field(
        default=("minilm-l6", "msmarco-minilm-l12", "reader-l12"),
        description="Models that weights and thresholds belong to, by name; others are an error. Empty: not compared.",
    )
    calibrated_on: str = Field(
        default="bench/dev, 270 examples, minilm-l6, msmarco-minilm-l12, reader-l12; keeps 85% of the questions whose "
        "evidence was found: 98% of those in the documents' own words, 73% of those in a layman's",
        description="Data and models the numbers were chosen with.",
    )


class QuoteSettings(Section):
    """The extractive answerer."""

    max_quotes: Positive = Field(default=4, description="Most quotations in one answer.")
    max_characters: Positive = Field(default=900, description="Most characters quoted; twice for a list asked for.")


class Reply(Section):
    """Ready words, by language."""

    en: str = Field(default="", description="In English.")
    tr: str = Field(default="", description="In Turkish; empty: the English words.")

    def said_in(self, language: str) -> str | None:
        """The words in a language, else in English, else None."""
        return (self.tr if language == "tr" else "") or self.en or None


class GuardRule(Section):
    """One rule: what it looks for in a text, and what happens when that is found.

    A hit of one of `patterns` trips the rule, and so do hits of two of `weak`, or of one of them beside the learned
    signal. A hit does not count where a pattern of `unless` is found in the same sentence.
    """

    name: str = Field(description="The reason code; unique among the rules over one kind of text.")
    about: str = Field(default="", description="One sentence on what it is for.")
    patterns: Lines = Field(default=(), description="Regular expressions; see `guard.patterns`. `{name}`: a word list.")
    weak: Lines = Field(default=(), description="Signs that do not suffice alone.")
    beside: Lines = Field(default=(), description="Signs of a request's form; they count only beside a learned signal.")
    cues: Lines = Field(
        default=(), description="Words of such requests; they count only beside a learned signal, more."
    )
    unless: Lines = Field(default=(), description="What lifts a hit in the same sentence.")
    outcome: Literal["refused", "escalated", "removed", "marked"] = Field(
        default="refused",
        description="What a hit leads to; `removed`: the claim, or the words, are taken out; `marked`: noted.",
    )
    reply: Annotated[Reply, BeforeValidator(lambda v: {"en": v} if isinstance(v, str) else v)] = Field(
        default=Reply(), description="What the user is told, by language; one text is English."
    )
    trips: tuple[str, ...] = Field(default=(), description="Texts that must trip it.")
    passes: tuple[str, ...] = Field(default=(), description="Texts that must not.")
    places: tuple[str, ...] = Field(default=(), description="Where `patterns` and `weak` are written; set on loading.")


class GuardSettings(Section):
    """Rules over requests, answers and documents."""

    rules: tuple[str, ...] = Field(
        default=("injection", "extraction", "harmful", "documents", "answers"),
        description="Rule files: names of those that come along, or paths.",
    )
    off: tuple[str, ...] = Field(default=(), description="Names of rules of these files that are switched off.")
    words: dict[str, tuple[str, ...]] = Field(default={}, description="Word lists for patterns of one's own rules.")
    request: tuple[GuardRule, ...] = Field(default=(), description="Rules over the question.")
    answer: tuple[GuardRule, ...] = Field(default=(), description="Rules over the draft.")
    document: tuple[GuardRule, ...] = Field(default=(), description="Rules over the documents' text.")
    signal: bool = Field(default=True, description="The learned signal adds weight to weak hits, and warns.")
    mask: bool = Field(default=True, description="Personal data of the question is masked in kept answers.")


class DecideSettings(Section):
    """How verdicts become an outcome."""

    min_supported: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.5, description="Least share of supported claims."
    )
    on_refuted: Literal["removed", "escalated"] = Field(
        default="removed", description="What a claim that the documents refute leads to."
    )
    revise: bool = Field(
        default=True,
        description="Look an unsupported sentence up in the other evidence once, else let quoted words stand in.",
    )


_TURKISH = {
    "abstained": "Belgeler bunu söylemiyor.",
    "escalated": "Buna bir kişinin bakması gerekiyor.",
    "refused": "Bu konuda yardımcı olamam.",
}


class ReplySettings(Section):
    """Standing replies."""

    abstained: str = Field(default="The documents do not say.", description="Said when the evidence does not suffice.")
    escalated: str = Field(default="A person needs to look at this.", description="Said when a person is needed.")
    refused: str = Field(default="I cannot help with that.", description="Said when a rule without a reply refuses.")
    abstained_tr: str = Field(default="", description="`abstained` for a question in Turkish.")
    escalated_tr: str = Field(default="", description="`escalated` for a question in Turkish.")
    refused_tr: str = Field(default="", description="`refused` for a question in Turkish.")

    def said(self, outcome: str, language: str) -> str:
        """The reply of an outcome that is not `answered`, in Turkish where there is one and `language` is `tr`.

        Where neither reply of an outcome was set, ours is said in both languages.
        """
        words = str(getattr(self, outcome))
        if language != "tr":
            return words
        ours = _TURKISH[outcome] if words == type(self).model_fields[outcome].default else ""
        return str(getattr(self, f"{outcome}_tr")) or ours or words


class ModelSettings(Section):
    """Which models are used; `none` switches one off, `package.module:function` loads one of your own."""

    embedder: str = Field(default="minilm-l6", description="`minilm-l6`, `none`, a folder, or your own.")
    reranker: str = Field(
        default="msmarco-minilm-l12", description="`msmarco-minilm-l12`, `none`, a folder, or your own."
    )
    reader: str = Field(
        default="reader-l12",
        description="Tells whether words answer a question: `reader-l12`, `none`, a folder, or your own.",
    )
    generator: str = Field(
        default="quote",
        description="`quote`: the documents' own words. `http`, `foundry` and `llama` ask a model (see `chat`).",
    )
    verifier: str = Field(
        default="checks",
        description="Checks claims against the words cited: `checks` by rules and weights, `overlap` by words alone.",
    )
    verifier_model: Literal["none", "http", "foundry", "llama"] = Field(
        default="none",
        description="Runtime of the model of `chat` that is asked yes or no about claims the checks leave open.",
    )
    threads: Count = Field(default=0, description="Threads of one model; 0 means one a core, at most four.")


class ServerSettings(Section):
    """A model server, or a model run here."""

    address: str = Field(
        default="",
        description="Base address of an OpenAI-compatible server or an Azure resource: `http://127.0.0.1:11434/v1`.",
    )
    key: SecretStr = Field(
        default=SecretStr(""), description="Key of the server; best set as CITELEAF_CHAT__KEY. Never shown or stored."
    )
    model: str = Field(
        default="", description="Name, alias or deployment; for `llama` a GGUF file. Empty: the only one there is."
    )
    api_version: str = Field(default="", description="Azure: the api-version of the address form with deployments.")
    proxy: str = Field(default="", description="`host:port` of a proxy. Proxies of the environment are not used.")
    connect_s: Limit = Field(default=5.0, description="Seconds to reach the server.")
    load_s: Limit = Field(
        default=180.0, description="Seconds to the first word; the model may have to be loaded first."
    )
    idle_s: Limit = Field(default=60.0, description="Seconds between two words.")
    total_s: Limit = Field(default=300.0, description="Seconds one reply may take in all.")
    cache: str = Field(
        default="", description="Foundry Local: folder of its downloaded models. Empty: its own default."
    )
    python: str = Field(default="", description="Interpreter that holds the runtime's package. Empty: this one.")
    telemetry: bool = Field(default=False, description="Let Foundry Local send its telemetry to Microsoft.")

    @field_validator("key", mode="before")
    @classmethod
    def _read_key(cls, value: object) -> object:
        # A key of digits alone arrives from the environment as a number.
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class ChatSettings(ServerSettings):
    """The model that writes answers, when `models.generator` is not `quote`."""

    max_tokens: Positive = Field(default=400, description="Most tokens of a reply.")
    temperature: Annotated[float, Field(ge=0, le=2)] = Field(default=0.0, description="0: the likeliest words.")
    seed: Count = Field(default=1, description="Seed of the sampler, where the server takes one.")
    window: Count = Field(
        default=0, description="Tokens that prompt and reply share. 0: ask the server; 4096 if it does not tell."
    )
    retries: Annotated[int, Field(ge=0, le=3)] = Field(
        default=1, description="Further tries after a reply outside the protocol."
    )
    examples: bool = Field(default=True, description="Show the model two short worked examples.")
    strong_score: Score | None = Field(
        default=None,
        description="Score of the best passage from which the model's abstention is doubted: asked again, then quoted.",
    )
    strong_probability: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=0.5,
        description="The gate's probability from which the model's abstention is not believed, and the documents are "
        "quoted; not set: it always is believed.",
    )
    on_failure: Literal["quote", "error"] = Field(
        default="quote", description="When the model fails: quote the documents and say why, or end with the error."
    )


class EmbedSettings(ServerSettings):
    """The embedding model of a server, when `models.embedder` is `http` or `foundry`. No address: the chat model's."""

    query_prefix: str = Field(default="", description="Put before a question, e.g. `query: ` for E5 models.")
    passage_prefix: str = Field(default="", description="Put before a passage, e.g. `passage: ` for E5 models.")
    batch: Positive = Field(default=32, description="Texts sent at once.")


class ServeSettings(Section):
    """What `citeleaf serve` and `citeleaf mcp --transport http` listen to, and whom they answer."""

    host: str = Field(default="127.0.0.1", description="Address to listen on; wider than this machine asks for a key.")
    port: Annotated[int, Field(ge=0, le=65535)] = Field(default=8642, description="Port; 0: any that is free.")
    key: SecretStr = Field(
        default=SecretStr(""),
        description="Key that callers send as `Authorization: Bearer`; best set as CITELEAF_SERVE__KEY. Never shown.",
    )
    hosts: tuple[str, ...] = Field(
        default=(), description="Further names this server is called by, such as that of a reverse proxy."
    )
    max_upload_mb: Positive = Field(default=500, description="Largest upload, all files of it together.")
    questions: Annotated[int, Field(ge=1, le=64)] = Field(default=4, description="Questions answered at once.")
    waiting: Count = Field(default=32, description="Questions that may wait for their turn; more are turned away.")

    @field_validator("key", mode="before")
    @classmethod
    def _read_key(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


class JudgeSettings(ServerSettings):
    """The model that judges answers where `evaluate` is given `--judge`. No address: the chat model's, with its key."""

    runtime: Literal["http", "foundry", "llama"] = Field(default="http", description="Who runs the model.")
    max_tokens: Positive = Field(default=700, description="Most tokens of a reply.")
    seed: Count = Field(default=1, description="Seed of the sampler, where the server takes one.")


class TelemetrySettings(Section):
    """Traces of questions for a collector of yours; off unless an address is set. Needs the extra `otel`."""

    endpoint: str = Field(
        default="", description="OTLP over HTTP: `http://127.0.0.1:4318/v1/traces`. Empty: nothing is sent."
    )
    content: bool = Field(default=False, description="Put the words of question and answer into the spans.")


class Settings(Section):
    """All settings. `layers.load` makes one from defaults, profile, file, environment and flags."""

    profile: ProfileSettings = Field(default=ProfileSettings())
    corpus: CorpusSettings = Field(default=CorpusSettings())
    ingest: IngestSettings = Field(default=IngestSettings())
    chunk: ChunkSettings = Field(default=ChunkSettings())
    retrieve: RetrieveSettings = Field(default=RetrieveSettings())
    gate: GateSettings = Field(default=GateSettings())
    quote: QuoteSettings = Field(default=QuoteSettings())
    guard: GuardSettings = Field(default=GuardSettings())
    decide: DecideSettings = Field(default=DecideSettings())
    replies: ReplySettings = Field(default=ReplySettings())
    models: ModelSettings = Field(default=ModelSettings())
    chat: ChatSettings = Field(default=ChatSettings())
    embed: EmbedSettings = Field(default=EmbedSettings())
    judge: JudgeSettings = Field(default=JudgeSettings())
    telemetry: TelemetrySettings = Field(default=TelemetrySettings())
    serve: ServeSettings = Field(default=ServeSettings())
