-- How many raters have the source: open or handed in, without those who withdrew. Counted again with each change of an
-- assignment (store::assignments::places), so that a source with room is found without counting those of the whole study.
ALTER TABLE stored_source ADD COLUMN taken BIGINT NOT NULL DEFAULT 0;
UPDATE stored_source SET taken = (
    SELECT COUNT(*) FROM assignment x
    WHERE x.source_id = stored_source.id AND x.state IN ('open', 'handed-in')
      AND NOT EXISTS (
        SELECT 1 FROM stored_rater r
        JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
        WHERE r.id = x.rater_id AND m.withdrawn_at IS NOT NULL));
CREATE INDEX source_places ON stored_source (study_id, purpose, taken DESC, position);

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS source;
CREATE VIEW source AS
SELECT * FROM stored_source
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));

-- The sources of a study that were handed in last.
DROP INDEX assignment_study;
CREATE INDEX assignment_study ON assignment (study_id, state, ended_at);
-- Leases that have run out.
CREATE INDEX assignment_open ON assignment (study_id, leased_until, source_id, rater_id) WHERE state = 'open';
