//! Imports of reading-comprehension files.

mod sources;
mod upload;

use domain::ids::StudyId;
use formats::comprehension::ComprehensionFile;
use store::{
    Store,
    comprehension::{ComprehensionImportAnswer, ComprehensionImportCounts},
};

use crate::Context;

pub use self::{
    sources::passages_from_sources,
    upload::{ComprehensionImportError, ComprehensionPreview, ComprehensionUpload},
};

/// Imports a file's passages, questions and answers into the study, all of them or nothing.
///
/// `digest` is the hash of the file's bytes ([`crate::accounts::digest`]). It identifies the file, so that its
/// answers count once however often it is imported.
///
/// # Errors
/// As for [`Store::import_comprehension`].
pub async fn bring_in(
    store: &Store,
    study: StudyId,
    file: &ComprehensionFile,
    digest: &str,
    context: Context,
) -> store::Result<ComprehensionImportCounts> {
    let id = |answer: &formats::comprehension::ComprehensionFileAnswer| {
        format!("{digest}:{}:{}", answer.line, answer.question)
    };
    let ids: Vec<_> = file.answers.iter().map(id).collect();

    let answers: Vec<_> = file
        .answers
        .iter()
        .zip(&ids)
        .map(|(answer, id)| ComprehensionImportAnswer {
            id,
            passage: &answer.passage,
            question: &answer.question,
            condition: &answer.condition,
            participant: answer.participant.as_ref(),
            choice: answer.choice,
            order: answer.order,
            active_ms: answer.active_ms,
        })
        .collect();

    store
        .import_comprehension(
            study,
            &file.passages,
            &answers,
            context.ids,
            context.now_ms(),
        )
        .await
}
