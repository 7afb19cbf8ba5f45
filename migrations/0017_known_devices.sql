-- Browsers in which a person signed in before: guesses from elsewhere do not lock the person out there.
CREATE TABLE known_device (
    -- SHA-256 of the cookie's value. A browser has one cookie, and a row for each person who signed in there.
    token_hash TEXT NOT NULL,
    person_id TEXT NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    -- The first token_hash of the row. It stays when the cookie gets a new value: failed sign-ins count by it.
    id TEXT NOT NULL,
    -- When the person last signed in there, in milliseconds since 1970.
    used_at BIGINT NOT NULL,
    PRIMARY KEY (token_hash, person_id)
);
CREATE INDEX known_device_person ON known_device (person_id);

-- Who joined from each network address in the last hour: participants of a study, new accounts.
CREATE TABLE recent_join (
    -- What is counted, and a hash of the address.
    subject TEXT NOT NULL,
    -- In milliseconds since 1970; the row of 0 counts nobody and is locked while a transaction counts.
    at BIGINT NOT NULL,
    times BIGINT NOT NULL,
    PRIMARY KEY (subject, at)
);
