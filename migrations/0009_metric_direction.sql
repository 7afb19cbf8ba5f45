-- Which way a metric's scores point: higher-is-better, lower-is-better or neither. Scores are stored as the
-- metric gives them, and turned where they are held against people.
ALTER TABLE metric ADD COLUMN direction TEXT NOT NULL DEFAULT 'higher-is-better';

-- Of metrics that are computed here it is known.
UPDATE metric SET direction = 'lower-is-better'
WHERE origin = 'computed' AND name IN ('fkgl', 'word-rank');
UPDATE metric SET direction = 'neither'
WHERE origin = 'computed'
  AND name IN ('self-bleu', 'levenshtein', 'edit-distance', 'compression', 'copy-rate');

-- Of scores from files it is guessed from well-known names; a lead can correct it on the page Metrics.
UPDATE metric SET direction = 'lower-is-better'
WHERE origin = 'imported'
  AND LOWER(name) IN ('fkgl', 'flesch-kincaid', 'ter', 'wer', 'cer', 'perplexity', 'ppl', 'ari', 'smog');
UPDATE metric SET direction = 'neither'
WHERE origin = 'imported'
  AND LOWER(name) IN ('compression', 'compression_ratio', 'compression-ratio', 'copy-rate', 'length');
