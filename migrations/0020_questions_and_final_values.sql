-- Outputs that raters were asked to look at again, one row a rater. Until the rater submits it again, their answers
-- to the output do not count; those to the other outputs of the source do. A question about a whole source has no
-- rows here: its assignments are open.
CREATE TABLE reopened_output (
    discussion_id TEXT NOT NULL REFERENCES discussion (id) ON DELETE CASCADE,
    assignment_id TEXT NOT NULL REFERENCES assignment (id) ON DELETE CASCADE,
    output_id TEXT NOT NULL REFERENCES stored_output (id) ON DELETE CASCADE,
    -- When the rater submitted it again, in milliseconds since 1970; absent while the question is open.
    submitted_at BIGINT,
    PRIMARY KEY (discussion_id, assignment_id)
);
CREATE INDEX reopened_output_assignment ON reopened_output (assignment_id, output_id);
CREATE INDEX reopened_output_output ON reopened_output (output_id);

-- The questions that raters can answer now: not those about outputs that a lead hid.
CREATE VIEW open_question AS
SELECT discussion_id, assignment_id, output_id FROM reopened_output
WHERE submitted_at IS NULL
  AND output_id NOT IN (SELECT id FROM stored_output WHERE hidden_at IS NOT NULL);

-- What leads decided about outputs that raters judged differently. A decision supersedes the one before it; of a row
-- only the mark `current` ever changes.
CREATE TABLE final_value (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    output_id TEXT NOT NULL REFERENCES stored_output (id) ON DELETE CASCADE,
    -- Of a rating: on what; empty for the category.
    dimension TEXT NOT NULL,
    -- Both absent where the final value was removed.
    value DOUBLE PRECISION,
    category TEXT,
    reason TEXT NOT NULL DEFAULT '',
    supersedes TEXT,
    current SMALLINT NOT NULL,
    -- Absent once the account was erased.
    decided_by TEXT REFERENCES person (id) ON DELETE SET NULL,
    decided_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX final_value_current ON final_value (output_id, dimension) WHERE current = 1;
CREATE INDEX final_value_output ON final_value (output_id);
CREATE INDEX final_value_study ON final_value (study_id);
