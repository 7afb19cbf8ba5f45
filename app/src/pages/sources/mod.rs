//! The sources of a study: a list to search in, and each with all that was made of it.

mod highlights;
mod list;
mod output;
mod output_judgements;
mod source;
mod visibility;

pub(super) use highlights::Highlights;
pub use list::SourcesPage;
pub use source::SourcePage;

use domain::study::SourcePurpose;

/// What a source is there for, for people.
pub(super) fn purpose_title(purpose: SourcePurpose) -> &'static str {
    match purpose {
        SourcePurpose::Main => "judged",
        SourcePurpose::Tutorial => "tutorial",
        SourcePurpose::Training => "training",
        SourcePurpose::Qualification => "qualification",
    }
}
