-- Types common to SQLite and PostgreSQL: TEXT (ids, names, JSON, numbers kept verbatim), BIGINT
-- (milliseconds since 1970, counters), SMALLINT (0 or 1), DOUBLE PRECISION.

CREATE TABLE person (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    -- The name in lower case: nobody may be taken for another.
    folded_name TEXT NOT NULL UNIQUE,
    -- Absent while the person cannot log in (a reset under way).
    password_hash TEXT,
    is_admin SMALLINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    disabled_at BIGINT
);

CREATE TABLE session (
    -- SHA-256 of the cookie's value: whoever reads the database cannot take a session over.
    token_hash TEXT PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX session_person ON session (person_id);

-- One-time links by which a person sets a password.
CREATE TABLE password_link (
    -- SHA-256 of the link's token.
    token_hash TEXT PRIMARY KEY,
    person_id TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX password_link_person ON password_link (person_id);

-- Failed attempts to log in, counted per name and per address.
CREATE TABLE login_failure (
    subject TEXT NOT NULL,
    at BIGINT NOT NULL,
    times BIGINT NOT NULL,
    PRIMARY KEY (subject, at)
);

CREATE TABLE study (
    id TEXT PRIMARY KEY,
    slug TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- Markdown.
    guidelines TEXT NOT NULL DEFAULT '',
    -- Markdown: the information sheet that annotators consent to; empty for none.
    information TEXT NOT NULL DEFAULT '',
    -- domain::study::Settings as JSON.
    settings TEXT NOT NULL,
    -- The number of the newest event: the truth of what is new in the study.
    events BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    closed_at BIGINT
);

CREATE TABLE member (
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    person_id TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    joined_at BIGINT NOT NULL,
    consented_at BIGINT,
    withdrawn_at BIGINT,
    -- When the annotator was admitted to the sources of the study, by answers or by the lead.
    admitted_at BIGINT,
    tutorial_done_at BIGINT,
    PRIMARY KEY (study_id, person_id)
);
CREATE INDEX member_person ON member (person_id);

CREATE TABLE invitation (
    -- SHA-256 of the link's token.
    token_hash TEXT PRIMARY KEY,
    -- Absent for the one-time link that makes the first administrator.
    study_id TEXT REFERENCES study (id) ON DELETE CASCADE,
    -- What the link makes of whoever follows it: a role in the study, else 'admin'.
    role TEXT NOT NULL,
    -- What the lead calls it, such as a course.
    label TEXT NOT NULL DEFAULT '',
    created_by TEXT REFERENCES person (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    uses_left BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX invitation_study ON invitation (study_id);

CREATE TABLE system (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    UNIQUE (study_id, name)
);

CREATE TABLE source (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    -- The name it has in the files it came from, such as original_id.
    key TEXT NOT NULL,
    text TEXT NOT NULL,
    purpose TEXT NOT NULL,
    UNIQUE (study_id, key)
);

CREATE TABLE reference (
    source_id TEXT NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (source_id, position)
);

CREATE TABLE output (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    system_id TEXT NOT NULL REFERENCES system (id),
    -- The order of rows in the file it came from, over the study.
    position BIGINT NOT NULL,
    text TEXT NOT NULL,
    purpose TEXT NOT NULL,
    -- The output that a repeated or scrambled item was made from.
    made_from TEXT REFERENCES output (id) ON DELETE CASCADE,
    -- The first output of the source with the same text: it is judged for all of them.
    twin_of TEXT REFERENCES output (id),
    -- Step 1 and step 2 as the algorithms of the named versions gave them; people's corrections are
    -- annotations beside them.
    category TEXT NOT NULL,
    category_reason TEXT NOT NULL,
    category_version TEXT NOT NULL,
    edits TEXT NOT NULL,
    edits_version TEXT NOT NULL,
    -- What the file carried beside, kept to the letter for the export (JSON), absent for none.
    verbatim TEXT,
    -- domain::work::task::Expected as JSON, for tutorial, training and qualification.
    expected TEXT
);
CREATE UNIQUE INDEX output_system ON output (source_id, system_id, purpose);
CREATE INDEX output_study ON output (study_id, position);

CREATE TABLE rater (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    kind TEXT NOT NULL,
    -- The pseudonym in every export; of an imported rater the name in its file.
    label TEXT NOT NULL,
    person_id TEXT REFERENCES person (id) ON DELETE SET NULL,
    UNIQUE (study_id, label),
    UNIQUE (study_id, person_id)
);

CREATE TABLE assignment (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    rater_id TEXT NOT NULL REFERENCES rater (id) ON DELETE CASCADE,
    state TEXT NOT NULL,
    -- Shuffles the outputs.
    seed BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    leased_until BIGINT NOT NULL,
    ended_at BIGINT,
    -- Why it was skipped or released.
    reason TEXT NOT NULL DEFAULT '',
    UNIQUE (source_id, rater_id)
);
CREATE INDEX assignment_rater ON assignment (rater_id, state);
CREATE INDEX assignment_study ON assignment (study_id, state);

-- Answers of every kind. A correction is a new row; of a row only the mark `current` ever changes.
CREATE TABLE annotation (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    source_id TEXT NOT NULL REFERENCES source (id) ON DELETE CASCADE,
    -- Absent where the answer is to the source as a whole (order, progress).
    output_id TEXT REFERENCES output (id) ON DELETE CASCADE,
    rater_id TEXT NOT NULL REFERENCES rater (id) ON DELETE CASCADE,
    -- Absent for imported ratings.
    assignment_id TEXT REFERENCES assignment (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    -- Of a rating: on what; else empty.
    dimension TEXT NOT NULL DEFAULT '',
    -- Of a rating: the score; absent where it was taken back.
    value DOUBLE PRECISION,
    -- The scale of a rating, as LOW..HIGH.
    scale TEXT,
    -- Any other answer as JSON; of an imported rating the number and its z-score to the letter.
    body TEXT,
    supersedes TEXT,
    current SMALLINT NOT NULL,
    -- The event that announced it.
    event BIGINT NOT NULL,
    -- The server's clock.
    recorded_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX annotation_current
    ON annotation (rater_id, source_id, COALESCE(output_id, ''), kind, dimension) WHERE current = 1;
CREATE INDEX annotation_output ON annotation (output_id) WHERE current = 1;
CREATE INDEX annotation_assignment ON annotation (assignment_id) WHERE current = 1;
CREATE INDEX annotation_study ON annotation (study_id, kind) WHERE current = 1;

-- Append-only: ids and kinds, never values or names.
CREATE TABLE event (
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (study_id, number)
);

-- Active time by browser tab and step: what a tab reports is its total, so the largest counts.
CREATE TABLE activity (
    assignment_id TEXT NOT NULL REFERENCES assignment (id) ON DELETE CASCADE,
    tab TEXT NOT NULL,
    step TEXT NOT NULL,
    active_ms BIGINT NOT NULL,
    PRIMARY KEY (assignment_id, tab, step)
);

CREATE TABLE job (
    id TEXT PRIMARY KEY,
    study_id TEXT REFERENCES study (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    -- What to do, as JSON.
    input TEXT NOT NULL,
    done BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0,
    -- What came of it, as JSON.
    result TEXT,
    -- Why it failed, for people.
    failure TEXT,
    created_by TEXT REFERENCES person (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- Which process works on it, and until when it is trusted to.
    worker TEXT,
    leased_until BIGINT,
    -- How often a worker has begun it.
    attempts BIGINT NOT NULL DEFAULT 0,
    cancelled SMALLINT NOT NULL DEFAULT 0
);
CREATE INDEX job_state ON job (state, created_at);
CREATE INDEX job_study ON job (study_id, created_at);

-- Files that were sent in, in chunks (base64), so that every server process has them.
CREATE TABLE upload (
    id TEXT PRIMARY KEY,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    size BIGINT NOT NULL,
    created_by TEXT REFERENCES person (id) ON DELETE SET NULL,
    created_at BIGINT NOT NULL,
    complete SMALLINT NOT NULL DEFAULT 0
);
CREATE TABLE upload_chunk (
    upload_id TEXT NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
    number BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (upload_id, number)
);
