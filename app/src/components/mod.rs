//! Small components that pages share.

mod category_choice;
mod column_table;
mod field;
mod moment;
mod pages;
mod ratings_query;
mod role_title;
mod sent_links;
mod text_area;
mod threshold;

pub use category_choice::CategoryChoice;
pub use column_table::{ColumnRow, ColumnTable};
pub use field::Field;
pub use moment::{Moment, format_duration};
pub use pages::Pages;
pub use ratings_query::{RatingsQuery, WhichRatingsForm};
pub use role_title::role_title;
pub use sent_links::SentLinks;
pub use text_area::TextArea;
pub use threshold::ThresholdField;
