-- Which sources have room, and how many outputs a source has: answered from an index alone, since rows lie all over a
-- large file.
DROP INDEX assignment_by_source;
CREATE INDEX assignment_by_source ON assignment (study_id, source_id, rater_id, state, leased_until);
CREATE INDEX output_by_source ON stored_output (source_id, twin_of, import_id, hidden_at);
