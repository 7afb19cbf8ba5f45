-- When the person last typed their password in this session, in milliseconds since 1970. 0 in sessions
-- that are older than this column: they are asked for it.
ALTER TABLE session ADD COLUMN confirmed_at BIGINT NOT NULL DEFAULT 0;
-- When the session was last used. It is noted now and then, not with each request.
ALTER TABLE session ADD COLUMN seen_at BIGINT NOT NULL DEFAULT 0;
-- What the browser called itself when the session began, cut at 200 characters.
ALTER TABLE session ADD COLUMN user_agent TEXT NOT NULL DEFAULT '';
UPDATE session SET seen_at = created_at;
