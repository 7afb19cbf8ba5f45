-- When its lead put the study into the archive, in milliseconds since 1970; absent otherwise. An archived study is closed
-- as well.
ALTER TABLE study ADD COLUMN archived_at BIGINT;
