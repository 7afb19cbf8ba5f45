-- Erasing studies, people and participants, and an end to keeping personal data.

-- Since when the rows of the study are being deleted. Nobody finds the study any more.
ALTER TABLE study ADD COLUMN erased_at BIGINT;
-- When the personal data of a closed study was last erased, as its settings say.
ALTER TABLE study ADD COLUMN personal_data_erased_at BIGINT;
-- How many participants ever joined: the next pseudonym is none that an erased participant had.
ALTER TABLE study ADD COLUMN participants_joined BIGINT NOT NULL DEFAULT 0;
UPDATE study SET participants_joined =
    (SELECT COUNT(*) FROM participant p WHERE p.study_id = study.id);
-- The number of the last pseudonym of an annotator, likewise.
ALTER TABLE study ADD COLUMN raters_joined BIGINT NOT NULL DEFAULT 0;
UPDATE study SET raters_joined = COALESCE((
    SELECT MAX(CASE WHEN LENGTH(r.label) BETWEEN 11 AND 20 AND TRIM(SUBSTR(r.label, 11), '0123456789') = ''
               THEN CAST(SUBSTR(r.label, 11) AS BIGINT) ELSE 0 END)
    FROM stored_rater r
    WHERE r.study_id = study.id AND r.kind = 'person' AND r.import_id IS NULL
      AND r.label LIKE 'annotator %'), 0);

-- When the account was erased: the row has no name and no password any more.
ALTER TABLE person ADD COLUMN erased_at BIGINT;

-- Since when the rater's answers are being deleted. Nobody sees any of them any more.
ALTER TABLE stored_rater ADD COLUMN erased_at BIGINT;
CREATE INDEX rater_erased ON stored_rater (id) WHERE erased_at IS NOT NULL;

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS rater;
CREATE VIEW rater AS
SELECT * FROM stored_rater
WHERE erased_at IS NULL
  AND (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'));

DROP VIEW IF EXISTS annotation;
CREATE VIEW annotation AS
SELECT * FROM stored_annotation
WHERE (import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done'))
  AND source_id NOT IN (SELECT id FROM stored_source WHERE hidden_at IS NOT NULL)
  AND (output_id IS NULL OR output_id NOT IN (SELECT id FROM stored_output WHERE hidden_at IS NOT NULL))
  AND rater_id NOT IN (SELECT id FROM stored_rater WHERE erased_at IS NOT NULL);

-- Each deleted row asks its children whether they refer to it. Indexes of current answers alone cannot tell.
DROP INDEX annotation_assignment;
CREATE INDEX annotation_assignment ON stored_annotation (assignment_id);
DROP INDEX annotation_study;
CREATE INDEX annotation_study ON stored_annotation (study_id, kind);
CREATE INDEX annotation_rater ON stored_annotation (rater_id);
CREATE INDEX output_by_system ON stored_output (system_id);
DROP INDEX reading_answer_study;
CREATE INDEX reading_answer_study ON reading_answer (study_id);
CREATE INDEX reading_answer_participant ON reading_answer (participant_id);
CREATE INDEX reading_answer_reading ON reading_answer (reading_id);
CREATE INDEX reading_answer_question ON reading_answer (question_id);
CREATE INDEX reading_order_question ON reading_order (question_id);
CREATE INDEX discussion_output ON discussion (output_id);
CREATE INDEX discussion_source ON discussion (source_id);
CREATE INDEX reading_by_condition ON reading (condition_id);
CREATE INDEX reading_answer_condition ON reading_answer (condition_id);
CREATE INDEX passage_text_condition ON passage_text (condition_id);
CREATE INDEX question_spans_condition ON question_spans (condition_id);
CREATE INDEX upload_study ON upload (study_id);
CREATE INDEX metric_model ON metric (model_id) WHERE model_id IS NOT NULL;
