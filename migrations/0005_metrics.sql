-- Models that were trained on a study's ratings. The file is in chunks, so that every server process
-- has it; disk is a cache by hash.
CREATE TABLE model (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    -- 1, 2, … in the study.
    version BIGINT NOT NULL,
    -- The metric that it computes, such as learned-free.
    name TEXT NOT NULL,
    -- SHA-256 of the file, in hexadecimal.
    hash TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    -- What it came from and how good it is on the sources held out, as JSON.
    report TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Since when the study scores with it; absent for one that was not adopted.
    adopted_at BIGINT,
    UNIQUE (study_id, name, version)
);
CREATE TABLE model_chunk (
    model_id TEXT NOT NULL REFERENCES model (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    -- Base64.
    content TEXT NOT NULL,
    PRIMARY KEY (model_id, number)
);

-- What scores outputs in a study: one row a metric and version of it.
CREATE TABLE metric (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- Everything that the scores depend on: variant, tokeniser, case, model, version of the program.
    signature TEXT NOT NULL,
    origin TEXT NOT NULL,
    -- Whether its scores depend on references.
    uses_references SMALLINT NOT NULL,
    -- Of a model: hashes of the texts of the sources that it learned from, as JSON.
    trained_on TEXT NOT NULL,
    model_id TEXT REFERENCES model (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    -- The event that announced its newest scores; 0 before the first.
    event BIGINT NOT NULL DEFAULT 0,
    UNIQUE (study_id, name, signature)
);

-- A cache for what was computed, the truth for what was imported.
CREATE TABLE metric_score (
    metric_id TEXT NOT NULL REFERENCES metric (id) ON DELETE CASCADE,
    output_id TEXT NOT NULL REFERENCES output (id) ON DELETE CASCADE,
    -- 0 where it is undefined.
    value DOUBLE PRECISION NOT NULL,
    -- Why there is no value.
    undefined TEXT,
    -- How many references it was computed with, which are only ever added to: with more, it is old.
    reference_count BIGINT NOT NULL,
    -- The event that announced it.
    event BIGINT NOT NULL,
    PRIMARY KEY (metric_id, output_id)
);
CREATE INDEX metric_score_output ON metric_score (output_id);
