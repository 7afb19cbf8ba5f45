-- Where the evidence for a question stands in the text of a condition (STARC).
CREATE TABLE question_spans (
    question_id TEXT NOT NULL REFERENCES question (id) ON DELETE CASCADE,
    condition_id TEXT NOT NULL REFERENCES reading_condition (id) ON DELETE CASCADE,
    -- domain::comprehension::Spans as JSON: bytes of the text.
    spans TEXT NOT NULL,
    PRIMARY KEY (question_id, condition_id)
);

-- A link by which participants take part is an invitation, too: its role is 'participant'.
INSERT INTO invitation (token_hash, study_id, role, label, created_at, expires_at, uses_left, revoked_at)
SELECT token_hash, study_id, 'participant', label, created_at, expires_at, uses_left, revoked_at
FROM reading_link;
DROP TABLE reading_link;
