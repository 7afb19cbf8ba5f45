-- Which sources have room is asked for each source that is given out: counted without reading the rows themselves.
CREATE INDEX assignment_by_source ON assignment (study_id, source_id, rater_id, state);
