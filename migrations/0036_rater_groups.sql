-- The group of raters that a member is in, that a link puts people into, and that an assignment was given for: the id of
-- one of the study's settings, or none. An assignment keeps its group: it says which dimensions are rated, and for which
-- number of raters it counts.
ALTER TABLE member ADD COLUMN group_id TEXT;
ALTER TABLE invitation ADD COLUMN group_id TEXT;
ALTER TABLE assignment ADD COLUMN group_id TEXT;
-- How many raters of a group with a number of its own have the source, as stored_source.taken says it of all others. There
-- is a row for each source and each such group (store::places), so that a source with room for the group is
-- found by the index.
CREATE TABLE group_place (
    source_id TEXT NOT NULL REFERENCES stored_source (id) ON DELETE CASCADE,
    group_id TEXT NOT NULL,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    taken BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (source_id, group_id)
);
CREATE INDEX group_place_room ON group_place (study_id, group_id, taken DESC, position);
