//! The sources of a study: a searchable list, and a page for each.

mod highlights;
mod list;
mod marked_spans;
mod output;
mod output_judgements;
mod own_overlap;
mod question_answers;
mod source;
mod visibility;
mod written_texts;

pub(super) use highlights::Highlights;
pub use list::SourcesPage;
pub use marked_spans::{describe_words, explain_mark_lines};
pub use source::SourcePage;

use domain::study::SourcePurpose;
use store::SourceEntry;

use app::{
    error::Refusal,
    request::{RequestAccess, parse, refuse},
    services,
};

/// The source of the study that an address names.
pub(super) async fn find_source(access: &RequestAccess, id: &str) -> Result<SourceEntry, Refusal> {
    let source = services()
        .store
        .source(access.study.id, parse::id(id)?)
        .await;
    source.map_err(refuse)?.ok_or(Refusal::NotFound)
}

/// The displayed name of a source's purpose.
pub(super) fn purpose_title(purpose: SourcePurpose) -> &'static str {
    match purpose {
        SourcePurpose::Main => "judged",
        SourcePurpose::Tutorial => "tutorial",
        SourcePurpose::Training => "training",
        SourcePurpose::Qualification => "qualification",
        SourcePurpose::Attention => "attention item",
    }
}
