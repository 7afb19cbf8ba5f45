-- Figures that are kept up to date read one source again, whatever the size of the study.
CREATE INDEX annotation_source ON annotation (source_id, kind) WHERE current = 1;
