use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, anyhow};
use domain::{ids::StudyId, study::Slug};
use serde::Serialize;
use service::study_file::StudyFile;
use store::{
    Store, Study,
    audit::{AuditKind, AuditSubject},
};
use utoipa::ToSchema;

use super::{
    input_file::{is_standard_stream, read_bytes, shown},
    output::CommandOutput,
};
use crate::{audit::command_entry, clock};

/// The written file, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StudyFileReport<'a> {
    /// Its short name.
    study: &'a Slug,
    /// The file that was written.
    #[schema(value_type = String)]
    file: &'a Path,
}

/// Writes a study as a file, or to standard output.
pub(super) async fn export(
    mut output: CommandOutput,
    store: &Store,
    study: &Study,
    path: Option<PathBuf>,
) -> anyhow::Result<()> {
    let json = StudyFile::load(store, study).await?.to_json();
    let subject = AuditSubject::Named("study".to_owned());
    let entry = command_entry(AuditKind::Exported, Some(study.id), subject);
    store.record_audit(entry).await?;

    let Some(path) = path.filter(|path| !is_standard_stream(path)) else {
        return Ok(output.writer().write_all(json.as_bytes())?);
    };

    fs::write(&path, json).with_context(|| format!("{} cannot be written", path.display()))?;
    let (study, file) = (&study.slug, path.as_path());
    output.print(&StudyFileReport { study, file }, || {
        format!("{study}: written to {}", path.display())
    })
}

/// Reads a study's file.
pub(super) fn read(path: &Path) -> anyhow::Result<StudyFile> {
    let bytes = read_bytes(path).with_context(|| format!("{} cannot be read", shown(path)))?;
    StudyFile::parse(&bytes).map_err(|error| anyhow!("{}: {error}", shown(path)))
}

/// Creates the study and returns its short name.
pub(super) async fn create(store: &Store, file: StudyFile) -> anyhow::Result<Slug> {
    let (slug, id) = (file.slug.clone(), StudyId(clock::new_id()));
    let subject = AuditSubject::Named(file.title.clone());
    let entry = command_entry(AuditKind::StudyCreated, Some(id), subject);
    file.create(&store.audited(entry), id, None, clock::CONTEXT)
        .await?;
    Ok(slug)
}
