-- Reading comprehension: passages in several conditions, questions, those who read and answer.
-- A study has it where there is a row here.
CREATE TABLE comprehension (
    study_id TEXT PRIMARY KEY REFERENCES study (id) ON DELETE CASCADE,
    -- domain::comprehension::Settings as JSON.
    settings TEXT NOT NULL,
    -- How many participants were given texts: whose turn of a Latin square it is.
    begun BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE reading_condition (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (study_id, name)
);

CREATE TABLE passage (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    title TEXT NOT NULL,
    purpose TEXT NOT NULL,
    UNIQUE (study_id, name)
);

CREATE TABLE passage_text (
    passage_id TEXT NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    condition_id TEXT NOT NULL REFERENCES reading_condition (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    PRIMARY KEY (passage_id, condition_id)
);

CREATE TABLE question (
    id TEXT PRIMARY KEY,
    passage_id TEXT NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    -- domain::comprehension::Question as JSON.
    body TEXT NOT NULL,
    UNIQUE (passage_id, name)
);

-- Links by which participants who have no account take part.
CREATE TABLE reading_link (
    -- SHA-256 of the link's token.
    token_hash TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    label TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    uses_left BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX reading_link_study ON reading_link (study_id);

CREATE TABLE participant (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    -- The pseudonym in every export; of an imported participant the name in its file.
    label TEXT NOT NULL,
    -- SHA-256 of the cookie that holds the session; absent for an imported participant.
    session_hash TEXT UNIQUE,
    -- What the platform that sent them calls them, its study and its session.
    external_id TEXT,
    external_study TEXT NOT NULL DEFAULT '',
    external_session TEXT NOT NULL DEFAULT '',
    joined_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    -- What shuffles texts and answers.
    seed BIGINT NOT NULL,
    -- The answers to the screening questions as JSON, once they are given.
    screening TEXT,
    -- When they consented and were given their texts.
    begun_at BIGINT,
    finished_at BIGINT,
    comment TEXT NOT NULL DEFAULT '',
    -- When and why their answers stopped counting: withdrawn, excluded or lapsed.
    left_at BIGINT,
    left_as TEXT,
    left_reason TEXT NOT NULL DEFAULT '',
    UNIQUE (study_id, label),
    UNIQUE (study_id, external_id)
);

CREATE TABLE reading (
    id TEXT PRIMARY KEY,
    participant_id TEXT NOT NULL REFERENCES participant (id) ON DELETE CASCADE,
    passage_id TEXT NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
    condition_id TEXT NOT NULL REFERENCES reading_condition (id),
    -- Its place in the session.
    position BIGINT NOT NULL,
    finished_at BIGINT,
    UNIQUE (participant_id, passage_id)
);
CREATE INDEX reading_cell ON reading (passage_id, condition_id);

-- In which order a question's answers are shown to a participant, such as CADB.
CREATE TABLE reading_order (
    reading_id TEXT NOT NULL REFERENCES reading (id) ON DELETE CASCADE,
    question_id TEXT NOT NULL REFERENCES question (id) ON DELETE CASCADE,
    answers TEXT NOT NULL,
    PRIMARY KEY (reading_id, question_id)
);

-- A correction is a new row; of a row only the mark `current` ever changes.
CREATE TABLE reading_answer (
    -- Made by the browser; of an imported answer, of its file and place.
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    question_id TEXT NOT NULL REFERENCES question (id) ON DELETE CASCADE,
    condition_id TEXT NOT NULL REFERENCES reading_condition (id),
    -- Absent where a file does not say who answered.
    participant_id TEXT REFERENCES participant (id) ON DELETE CASCADE,
    -- Absent for imported answers.
    reading_id TEXT REFERENCES reading (id) ON DELETE CASCADE,
    choice TEXT NOT NULL,
    -- The order in which the answers were shown, where it is known.
    answers TEXT,
    -- Of an imported answer, active milliseconds; those of others are activity.
    active_ms BIGINT,
    supersedes TEXT,
    current SMALLINT NOT NULL,
    -- The event that announced it.
    event BIGINT NOT NULL,
    recorded_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX reading_answer_current ON reading_answer (reading_id, question_id)
    WHERE current = 1 AND reading_id IS NOT NULL;
CREATE INDEX reading_answer_study ON reading_answer (study_id) WHERE current = 1;

-- Active time by browser tab on a passage (part empty) and on each question (part is its id): what a
-- tab reports is its total, so the largest counts.
CREATE TABLE reading_activity (
    reading_id TEXT NOT NULL REFERENCES reading (id) ON DELETE CASCADE,
    tab TEXT NOT NULL,
    part TEXT NOT NULL,
    active_ms BIGINT NOT NULL,
    PRIMARY KEY (reading_id, tab, part)
);
