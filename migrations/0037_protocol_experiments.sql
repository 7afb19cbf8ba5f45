-- Studies with different protocols on the same sources: a Latin square says in which of them a rater judges a source.
CREATE TABLE protocol_experiment (
    id TEXT PRIMARY KEY,
    -- The number of rows and columns of the square: the studies that it began with.
    arms BIGINT NOT NULL,
    -- The number that the next rater gets at least.
    next_row BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE TABLE experiment_arm (
    study_id TEXT PRIMARY KEY REFERENCES study (id) ON DELETE CASCADE,
    experiment_id TEXT NOT NULL REFERENCES protocol_experiment (id) ON DELETE CASCADE,
    -- From 0, below protocol_experiment.arms.
    arm BIGINT NOT NULL,
    UNIQUE (experiment_id, arm)
);

-- The column of the square that a source is in, below protocol_experiment.arms and the same in all of its studies. A source
-- of an experiment without one is given to nobody yet.
ALTER TABLE stored_source ADD COLUMN square_column BIGINT;
CREATE INDEX source_square ON stored_source (study_id, square_column, purpose, taken DESC, position)
    WHERE square_column IS NOT NULL;
-- The number of the person in the experiment, the same in all of its studies: the row of the square, counted on.
ALTER TABLE stored_rater ADD COLUMN square_row BIGINT;

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS source;
CREATE VIEW source AS
SELECT * FROM stored_source
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));
