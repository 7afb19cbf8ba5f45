//! Every method of the store, on SQLite and on PostgreSQL.

#![allow(
    clippy::unwrap_used,
    reason = "clippy takes helpers of tests for no tests"
)]

mod alignments;
mod answers;
mod api_tokens;
mod assignment_fixture;
mod assignments;
mod attention;
mod audit;
mod backup;
mod comparisons;
mod comprehension;
mod conduct;
mod consensus;
mod crowd;
mod database;
mod discussions;
mod erasure;
mod experiments;
mod export;
mod figures;
mod final_values;
mod former_annotators;
mod handing_in;
mod hostile;
mod import;
mod import_dimensions;
mod interrupted_imports;
mod invitations;
mod jobs;
mod known_devices;
mod live;
mod marked_spans;
mod marks;
mod members;
mod metric_figures;
mod metrics;
mod migrations;
mod old_study;
mod own_overlap;
mod own_work;
mod password_links;
mod people;
mod protocols;
mod qualification;
mod quality;
mod question_answers;
mod rater_groups;
mod replies;
mod save_groups;
mod sessions;
mod set_up;
mod source_context;
mod source_order;
mod sources;
mod studies;
mod study_file;
mod study_fixture;
mod systems;
mod unjudged;
mod uploads;
mod visibility;
mod visits;
mod webhooks;
mod written_texts;
