-- How often the job was put back since the database could not be used, and until when it waits then.
ALTER TABLE job ADD COLUMN retries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN retry_at BIGINT;

-- The job that runs the import; absent for the command line. When the job runs again, what the import
-- before it left is known to be dead.
ALTER TABLE import ADD COLUMN job_id TEXT;
CREATE INDEX import_job ON import (job_id) WHERE job_id IS NOT NULL;
