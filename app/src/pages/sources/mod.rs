//! The sources of a study: a searchable list, and a page for each.

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

/// The displayed name of a source's purpose.
pub(super) fn purpose_title(purpose: SourcePurpose) -> &'static str {
    match purpose {
        SourcePurpose::Main => "judged",
        SourcePurpose::Tutorial => "tutorial",
        SourcePurpose::Training => "training",
        SourcePurpose::Qualification => "qualification",
    }
}
