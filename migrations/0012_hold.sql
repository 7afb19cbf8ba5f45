-- When an output came into the study, in milliseconds since 1970: for a while after that its source is
-- held back from annotators until the best aligner there is has made the output's edits. 0 for
-- outputs that are older than this column, which nothing holds back.
ALTER TABLE stored_output ADD COLUMN added_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX output_added ON stored_output (study_id, added_at);
-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS output;
CREATE VIEW output AS
SELECT * FROM stored_output
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));

-- The aligners of the servers that run on this database: one row a version, however many servers
-- have it.
CREATE TABLE aligner (
    -- As `output.edits_version`.
    version TEXT PRIMARY KEY,
    -- When a server with it last reported, in milliseconds since 1970.
    seen_at BIGINT NOT NULL
);
