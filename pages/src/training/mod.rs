//! Sources with expected answers: those that train and test annotators before they judge (tutorial, training,
//! qualification), and attention items among the sources that they judge.

mod attention;
mod expected;
mod items;

pub use expected::ExpectedPage;
pub use items::TrainingPage;
