-- An import, from the command line or a browser. Its rows are written in many short transactions, so that
-- nobody waits long for the database; until its state is 'done', nobody sees any of them.
CREATE TABLE import (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    -- 'running'; 'done'; 'leaving' while its rows are deleted, since it came to no end or was taken back;
    -- 'undone' once it was taken back and its rows are deleted.
    state TEXT NOT NULL,
    -- The names of its files, as JSON.
    names TEXT NOT NULL DEFAULT '[]',
    -- Who began it in a browser; absent for the command line.
    person_id TEXT REFERENCES person (id) ON DELETE SET NULL,
    -- store::import::Counts as JSON: what was new.
    counts TEXT NOT NULL DEFAULT '{}',
    began_at BIGINT NOT NULL,
    ended_at BIGINT,
    undone_at BIGINT,
    -- Until when a running one is believed to be alive without a sign of it.
    leased_until BIGINT NOT NULL
);
CREATE INDEX import_study ON import (study_id, began_at);
CREATE INDEX import_unseen ON import (id) WHERE state <> 'done';

-- The tables that imports write to are called stored_…, and what everybody reads are views of them that
-- leave out what is not to be seen: rows of imports that are not done, sources and outputs that a lead
-- hid, and what was said of these. So no query has to remember it.
ALTER TABLE system RENAME TO stored_system;
ALTER TABLE source RENAME TO stored_source;
ALTER TABLE reference RENAME TO stored_reference;
ALTER TABLE output RENAME TO stored_output;
ALTER TABLE rater RENAME TO stored_rater;
ALTER TABLE annotation RENAME TO stored_annotation;

-- The import that brought the row; absent where none did, or one of an older version of the program.
ALTER TABLE stored_system ADD COLUMN import_id TEXT;
ALTER TABLE stored_source ADD COLUMN import_id TEXT;
ALTER TABLE stored_reference ADD COLUMN import_id TEXT;
ALTER TABLE stored_output ADD COLUMN import_id TEXT;
ALTER TABLE stored_rater ADD COLUMN import_id TEXT;
ALTER TABLE stored_annotation ADD COLUMN import_id TEXT;
CREATE INDEX source_import ON stored_source (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX reference_import ON stored_reference (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX output_import ON stored_output (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX annotation_import ON stored_annotation (import_id) WHERE import_id IS NOT NULL;

-- When a lead hid it. Outputs that were hidden with their source have the same time as this.
ALTER TABLE stored_source ADD COLUMN hidden_at BIGINT;
ALTER TABLE stored_output ADD COLUMN hidden_at BIGINT;
CREATE INDEX source_hidden ON stored_source (id) WHERE hidden_at IS NOT NULL;
CREATE INDEX output_hidden ON stored_output (id) WHERE hidden_at IS NOT NULL;

-- Whoever deletes a source or an output asks these of every row that may refer to it. The first two take
-- the place of indexes of current annotations alone, which could not answer.
DROP INDEX annotation_output;
DROP INDEX annotation_source;
CREATE INDEX annotation_output ON stored_annotation (output_id);
CREATE INDEX annotation_source ON stored_annotation (source_id, kind);
CREATE INDEX output_twin ON stored_output (twin_of) WHERE twin_of IS NOT NULL;
CREATE INDEX output_made_from ON stored_output (made_from) WHERE made_from IS NOT NULL;

CREATE VIEW system AS
SELECT * FROM stored_system
WHERE import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done');

CREATE VIEW source AS
SELECT * FROM stored_source
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));

CREATE VIEW reference AS
SELECT * FROM stored_reference
WHERE import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done');

CREATE VIEW output AS
SELECT * FROM stored_output
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));

CREATE VIEW rater AS
SELECT * FROM stored_rater
WHERE import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done');

CREATE VIEW annotation AS
SELECT * FROM stored_annotation
WHERE (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'))
  AND source_id NOT IN (SELECT id FROM stored_source WHERE hidden_at IS NOT NULL)
  AND (output_id IS NULL OR output_id NOT IN (SELECT id FROM stored_output WHERE hidden_at IS NOT NULL));
