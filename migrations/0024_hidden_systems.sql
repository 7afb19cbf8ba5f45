-- Whether figures of systems leave it out. Its outputs and what was said of them stay, so the view has hidden ones, too.
ALTER TABLE stored_system ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;

-- A view has the columns that its table had when it was made.
DROP VIEW IF EXISTS system;
CREATE VIEW system AS
SELECT * FROM stored_system
WHERE import_id IS NULL OR import_id NOT IN (SELECT id FROM import WHERE state <> 'done');
