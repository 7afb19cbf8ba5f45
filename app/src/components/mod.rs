//! Small parts of which pages are made.

mod category_choice;
mod counted;
mod field;
mod moment;
mod pages;
mod role_title;
mod sent_links;
mod threshold;
mod which_ratings;

pub use category_choice::CategoryChoice;
pub use counted::counted;
pub use field::Field;
pub use moment::{Moment, duration};
pub use pages::Pages;
pub use role_title::role_title;
pub use sent_links::SentLinks;
pub use threshold::ThresholdField;
pub use which_ratings::{WhichRatings, WhichRatingsForm};
