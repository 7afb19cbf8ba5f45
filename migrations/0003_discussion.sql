-- Outputs that a lead gave back to their raters to look at again. What comes of it are new answers,
-- which supersede the old ones like any correction.
CREATE TABLE discussion (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    output_id TEXT NOT NULL REFERENCES output (id) ON DELETE CASCADE,
    -- What the lead asks.
    note TEXT NOT NULL,
    asked_by TEXT REFERENCES person (id) ON DELETE SET NULL,
    asked_at BIGINT NOT NULL
);
CREATE INDEX discussion_study ON discussion (study_id, output_id);
