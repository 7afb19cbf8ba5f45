//! Sources that train and test annotators before they judge: tutorial, training, qualification.

mod expected;
mod items;

pub use expected::ExpectedPage;
pub use items::TrainingPage;
