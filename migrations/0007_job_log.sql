-- What a worker says of its work, for people: a line a step.
ALTER TABLE job ADD COLUMN log TEXT NOT NULL DEFAULT '';
