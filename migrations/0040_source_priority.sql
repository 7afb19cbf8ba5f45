-- Which of the sources that have equally many raters comes first: that with the highest number. It is 0, so that their
-- position decides, but for the sources that narrow the ranking of systems most, in studies that choose them
-- (store::source_priorities). Groups with a number of raters of their own find it with their places.
ALTER TABLE stored_source ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
ALTER TABLE group_place ADD COLUMN priority BIGINT NOT NULL DEFAULT 0;
DROP INDEX source_shared_places;
CREATE INDEX source_shared_places ON stored_source (study_id, purpose, taken DESC, priority DESC, position)
    WHERE own_overlap IS NULL;
DROP INDEX source_own_places;
CREATE INDEX source_own_places ON stored_source (study_id, purpose, taken DESC, priority DESC, position)
    WHERE own_overlap > taken;
DROP INDEX source_square;
CREATE INDEX source_square ON stored_source (study_id, square_column, purpose, taken DESC, priority DESC, position)
    WHERE square_column IS NOT NULL;
DROP INDEX group_place_room;
CREATE INDEX group_place_room ON group_place (study_id, group_id, taken DESC, priority DESC, position);
-- Those that have one.
CREATE INDEX source_with_priority ON stored_source (study_id) WHERE priority > 0;

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS source;
CREATE VIEW source AS
SELECT * FROM stored_source
WHERE hidden_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));
