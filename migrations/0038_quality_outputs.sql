-- Comparisons with quality-control items are left out of every figure: each comparison asks for the few items of its source.
CREATE INDEX quality_outputs ON stored_output (source_id) WHERE purpose <> 'main';
