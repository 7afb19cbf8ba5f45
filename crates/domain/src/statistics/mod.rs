//! Figures computed from ratings: standardisation, agreement, correlation, tests, bootstrap.
