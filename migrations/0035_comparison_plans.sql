-- The pairs of outputs that are compared, where they are chosen by what earlier comparisons leave open: a JSON list of pairs
-- of ids. Absent until somebody is given the source.
ALTER TABLE stored_source ADD COLUMN planned_pairs TEXT;
