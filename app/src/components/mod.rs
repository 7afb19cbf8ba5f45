//! Small parts of which pages and islands are made.
