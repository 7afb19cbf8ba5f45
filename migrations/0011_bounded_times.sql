-- Active times come from browsers. One of 2^63-1 ms made every sum over a study overflow, so the
-- table itself bounds them now: 30 days a step and tab, as domain::work::activity::LONGEST_MS. What was
-- stored beyond that is cut to it.
CREATE TABLE bounded_activity (
    assignment_id TEXT NOT NULL REFERENCES assignment (id) ON DELETE CASCADE,
    tab TEXT NOT NULL,
    step TEXT NOT NULL,
    active_ms BIGINT NOT NULL CHECK (active_ms BETWEEN 0 AND 2592000000),
    PRIMARY KEY (assignment_id, tab, step)
);
INSERT INTO bounded_activity (assignment_id, tab, step, active_ms)
SELECT assignment_id, tab, step,
       CASE WHEN active_ms < 0 THEN 0 WHEN active_ms > 2592000000 THEN 2592000000 ELSE active_ms END
FROM activity;
DROP TABLE activity;
ALTER TABLE bounded_activity RENAME TO activity;

CREATE TABLE bounded_reading_activity (
    reading_id TEXT NOT NULL REFERENCES reading (id) ON DELETE CASCADE,
    tab TEXT NOT NULL,
    part TEXT NOT NULL,
    active_ms BIGINT NOT NULL CHECK (active_ms BETWEEN 0 AND 2592000000),
    PRIMARY KEY (reading_id, tab, part)
);
INSERT INTO bounded_reading_activity (reading_id, tab, part, active_ms)
SELECT reading_id, tab, part,
       CASE WHEN active_ms < 0 THEN 0 WHEN active_ms > 2592000000 THEN 2592000000 ELSE active_ms END
FROM reading_activity;
DROP TABLE reading_activity;
ALTER TABLE bounded_reading_activity RENAME TO reading_activity;

-- Of imported answers; reading a file bounds them from now on.
UPDATE reading_answer SET active_ms = 2592000000 WHERE active_ms > 2592000000;
UPDATE reading_answer SET active_ms = 0 WHERE active_ms < 0;
