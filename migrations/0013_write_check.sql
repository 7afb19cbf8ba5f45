-- The one row that `/health` writes to, to know whether the database takes writes.
CREATE TABLE write_check (
    -- When it was last written, in milliseconds since 1970.
    checked_at BIGINT NOT NULL
);
INSERT INTO write_check (checked_at) VALUES (0);
