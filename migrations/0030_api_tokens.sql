-- Tokens by which programs use the HTTP API in a person's name. The secret itself is never stored.
CREATE TABLE api_token (
    id TEXT PRIMARY KEY,
    -- SHA-256 of the secret, in hexadecimal digits.
    token_hash TEXT NOT NULL UNIQUE,
    person_id TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    -- read or write.
    access TEXT NOT NULL,
    -- 1 for all studies of the person, now and later; 0 for those of api_token_study.
    all_studies SMALLINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- Noted now and then, not with each request; absent before the first.
    used_at BIGINT
);
CREATE INDEX api_token_person ON api_token (person_id);

CREATE TABLE api_token_study (
    token_id TEXT NOT NULL REFERENCES api_token (id) ON DELETE CASCADE,
    study_id TEXT NOT NULL REFERENCES study (id) ON DELETE CASCADE,
    PRIMARY KEY (token_id, study_id)
);
CREATE INDEX api_token_study_study ON api_token_study (study_id);
