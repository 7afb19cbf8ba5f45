-- Who changed accounts, memberships and data, when and from where. Entries only grow until they are too old to be
-- kept. They refer to no other table, since they outlive people and studies.
CREATE TABLE audit_entry (
    -- A UUIDv7: entries sort by it as by their times.
    id TEXT PRIMARY KEY,
    -- In milliseconds since 1970.
    at BIGINT NOT NULL,
    -- The person who did it; absent where nobody was signed in, and for the command line and the server itself.
    actor_id TEXT,
    -- Their name at that time; empty where nobody was signed in.
    actor_name TEXT NOT NULL,
    -- The client's IP address; empty for the command line and the server itself.
    address TEXT NOT NULL,
    -- store::audit::AuditKind.
    kind TEXT NOT NULL,
    -- The study that it concerned, where it concerned one.
    study_id TEXT,
    -- The name of the person or thing that it concerned. Never a secret.
    subject TEXT NOT NULL,
    -- Actor and subject in lower case, to be searched.
    folded_names TEXT NOT NULL
);
CREATE INDEX audit_entry_at ON audit_entry (at);
CREATE INDEX audit_entry_study ON audit_entry (study_id, id);
