-- Of a comparison: the ids of its outputs in their order, with a space between them; else empty.
ALTER TABLE stored_annotation ADD COLUMN compared TEXT NOT NULL DEFAULT '';

DROP INDEX annotation_current;
CREATE UNIQUE INDEX annotation_current
    ON stored_annotation (rater_id, source_id, COALESCE(output_id, ''), kind, dimension, compared)
    WHERE current = 1;

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS annotation;
CREATE VIEW annotation AS
SELECT * FROM stored_annotation
WHERE (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'))
  AND source_id NOT IN (SELECT id FROM stored_source WHERE hidden_at IS NOT NULL)
  AND (output_id IS NULL OR output_id NOT IN (SELECT id FROM stored_output WHERE hidden_at IS NOT NULL))
  AND rater_id NOT IN (SELECT id FROM stored_rater WHERE erased_at IS NOT NULL);
