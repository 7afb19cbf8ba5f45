//! Small components that pages share.

mod assignment_progress;
mod category_choice;
mod column_table;
mod comparisons;
mod field;
mod moment;
mod only_writing;
mod page_dialog;
mod pages;
mod questions;
mod radio_choice;
mod ratings_query;
mod role_title;
mod sent_links;
mod short_name;
mod spans;
mod text_area;
mod threshold;

pub use assignment_progress::describe_progress;
pub use category_choice::CategoryChoice;
pub use column_table::{ColumnRow, ColumnTable};
pub use comparisons::ShownComparisons;
pub use field::Field;
pub use moment::{Moment, MomentForm, format_duration, iso_date};
pub use only_writing::OnlyWriting;
pub use page_dialog::PageDialog;
pub use pages::{Pages, page_number};
pub use questions::load_question_figures;
pub use radio_choice::RadioChoice;
pub use ratings_query::{RatingsQuery, ScopeChoice, WhichRatingsForm};
pub use role_title::role_title;
pub use sent_links::SentLinks;
pub use short_name::ShortNameField;
pub use spans::load_span_figures;
pub use text_area::TextArea;
pub use threshold::ThresholdField;
