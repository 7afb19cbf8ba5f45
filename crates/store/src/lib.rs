//! All SQL of Rank & Rate, on SQLite and PostgreSQL, behind one set of methods.
