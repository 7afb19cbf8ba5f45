//! One annotator's work on one source: the task that the browser gets, the changes that it sends,
//! and all logic in between, independent of a browser.

pub mod activity;
pub mod anchors;
pub mod attention;
pub mod change;
pub mod comparison_feedback;
pub mod comparison_plan;
pub mod comparisons;
pub mod confirmed_answers;
pub mod consistency;
pub mod draft;
pub mod drag;
pub mod entry;
pub mod expected_choices;
pub mod expected_marks;
pub mod feedback;
pub mod hidden_ids;
pub mod history;
pub mod labels;
pub mod marks;
pub mod missing;
pub mod navigation;
pub mod order;
pub mod output_checks;
pub mod pace;
pub mod qualification;
pub mod question_and_mark_feedback;
pub mod question_answers;
pub mod saving;
#[cfg(test)]
mod sync_tests;
pub mod task;
#[cfg(test)]
mod test_tasks;
pub mod unjudged;
pub mod unsure;
pub mod walk;
pub mod written_text;
