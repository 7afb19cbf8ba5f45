-- The text before and after a source in its document, one row a side that is known. Annotators see it; it is no part of
-- the source. It is a table of its own, as references are, so that an import can add it to a source that is there, and
-- be taken back.
CREATE TABLE stored_context (
    source_id TEXT NOT NULL REFERENCES stored_source (id) ON DELETE CASCADE,
    -- 'before' or 'after'
    side TEXT NOT NULL,
    text TEXT NOT NULL,
    -- The import that brought the row; absent where none did.
    import_id TEXT,
    PRIMARY KEY (source_id, side)
);
CREATE INDEX context_import ON stored_context (import_id) WHERE import_id IS NOT NULL;

CREATE VIEW context AS
SELECT * FROM stored_context
WHERE import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done');
