-- When a member last looked at the study's overview, in milliseconds since 1970, and the newest event that it showed.
ALTER TABLE member ADD COLUMN seen_at BIGINT;
ALTER TABLE member ADD COLUMN seen_event BIGINT NOT NULL DEFAULT 0;
-- The same of the end of the visit before.
ALTER TABLE member ADD COLUMN visited_at BIGINT;
ALTER TABLE member ADD COLUMN visited_event BIGINT NOT NULL DEFAULT 0;
