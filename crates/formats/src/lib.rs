//! Readers and writers of the files that the field exchanges: bytes in, rows out.
