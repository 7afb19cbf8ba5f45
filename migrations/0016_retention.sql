-- Erasing studies, people and participants, and an end to keeping personal data.

-- Since when the rows of the study are being deleted. Nobody finds the study any more.
ALTER TABLE study ADD COLUMN erased_at BIGINT;
-- When the personal data of a closed study was last erased, as its settings say.
ALTER TABLE study ADD COLUMN personal_data_erased_at BIGINT;
-- How many participants ever joined: the next pseudonym is none that an erased participant had.
ALTER TABLE study ADD COLUMN participants_joined BIGINT NOT NULL DEFAULT 0;
UPDATE study SET participants_joined =
    (SELECT COUNT(*) FROM participant p WHERE p.study_id = study.id);

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
