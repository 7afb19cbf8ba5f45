-- Sources on which the raters who handed them in agree on one judgement. It is beside their own judgements, which stay
-- as they are, and in figures only where these are asked for it.
CREATE TABLE consensus (
    source_id TEXT PRIMARY KEY REFERENCES stored_source (id) ON DELETE CASCADE,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    begun_at BIGINT NOT NULL,
    -- When it was finished; absent while it is open.
    agreed_at BIGINT
);
CREATE INDEX consensus_study ON consensus (study_id);

-- Its answers, with the columns that annotations have. A decision supersedes the one before it; of a row only the mark
-- `current` ever changes.
CREATE TABLE consensus_answer (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES consensus (source_id) ON DELETE CASCADE,
    output_id TEXT REFERENCES stored_output (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    dimension TEXT NOT NULL,
    compared TEXT NOT NULL,
    value DOUBLE PRECISION,
    scale TEXT,
    body TEXT,
    -- Of marks: those that were decided to be left out, as JSON.
    left_out TEXT NOT NULL,
    supersedes TEXT,
    current SMALLINT NOT NULL,
    -- Absent for what all raters had said, and once the account was erased.
    decided_by TEXT REFERENCES person (id) ON DELETE SET NULL,
    decided_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX consensus_answer_current
    ON consensus_answer (source_id, COALESCE(output_id, ''), kind, dimension, compared) WHERE current = 1;
CREATE INDEX consensus_answer_study ON consensus_answer (study_id, kind) WHERE current = 1;
CREATE INDEX consensus_answer_output ON consensus_answer (output_id);
CREATE INDEX consensus_answer_decided_by ON consensus_answer (decided_by);
