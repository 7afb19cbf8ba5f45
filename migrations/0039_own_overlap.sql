-- The number of annotators of a source of its own; NULL: the study's number. It holds for those who count among all others,
-- not for groups with a number of their own.
ALTER TABLE stored_source ADD COLUMN own_overlap BIGINT;
-- Sources with the study's number by their places, without going through others; and those with a number of their own and room.
CREATE INDEX source_shared_places ON stored_source (study_id, purpose, taken DESC, position) WHERE own_overlap IS NULL;
CREATE INDEX source_own_places ON stored_source (study_id, purpose, taken DESC, position) WHERE own_overlap > taken;

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS source;
CREATE VIEW source AS
SELECT * FROM stored_source
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));
