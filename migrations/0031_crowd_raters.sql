-- Crowd raters: people who rate by a link, without a password. Their session reaches only the work pages of their study.
ALTER TABLE person ADD COLUMN is_crowd SMALLINT NOT NULL DEFAULT 0;
-- How a participant takes part: reading texts, or rating outputs.
ALTER TABLE participant ADD COLUMN kind TEXT NOT NULL DEFAULT 'reading';
-- Of those who rate, their account; absent once it was erased.
ALTER TABLE participant ADD COLUMN person_id TEXT REFERENCES person (id) ON DELETE SET NULL;
-- Only attention items that were submitted after this time count; the lead who lets a rater go on sets it.
ALTER TABLE participant ADD COLUMN checks_after BIGINT NOT NULL DEFAULT 0;
CREATE INDEX participant_person ON participant (person_id);
