//! The imports of a study, and undoing one.

use anyhow::bail;
use domain::ids::ImportId;
use serde::Serialize;
use service::export::format_timestamp;
use store::{
    Store, Study,
    audit::{AuditKind, AuditSubject},
    import::{ImportCounts, ImportEntry},
};
use utoipa::ToSchema;

use super::output::CommandOutput;
use crate::{audit::command_entry, clock};

/// An import, as it is printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ListedImport {
    /// The import.
    id: ImportId,
    /// The names of its files.
    names: Vec<String>,
    /// The person who started it in a browser.
    person: Option<String>,
    /// The counts of the rows that it added.
    new: ImportCounts,
    /// When, in UTC.
    imported_at: String,
    /// When it was undone, in UTC; null where it stands.
    undone_at: Option<String>,
}

/// The imports of a study that added something, newest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ImportListing {
    /// The newest first.
    imports: Vec<ListedImport>,
}

/// Prints the imports that added something, newest first.
pub(super) async fn list(
    store: &Store,
    study: &Study,
    mut output: CommandOutput,
) -> anyhow::Result<()> {
    let imports = store.imports(study.id).await?;
    let listing = ImportListing {
        imports: imports.into_iter().map(listed_import).collect(),
    };

    output.print(&listing, || {
        if listing.imports.is_empty() {
            return "Nothing was imported yet.".to_owned();
        }
        let imports = listing.imports.iter();
        imports.map(line).collect::<Vec<_>>().join("\n")
    })
}

/// Undoes an import and prints what it had added.
pub(super) async fn undo(
    store: &Store,
    study: &Study,
    import: ImportId,
    mut output: CommandOutput,
) -> anyhow::Result<()> {
    let subject = AuditSubject::Import(import);
    let audited = store.audited(command_entry(
        AuditKind::ImportUndone,
        Some(study.id),
        subject,
    ));

    if !audited
        .undo_import(study.id, import, clock::now_ms())
        .await?
    {
        bail!("the study has no import {import}: see --list");
    }

    let imports = store.imports(study.id).await?;
    let undone = imports.into_iter().find(|entry| entry.id == import);
    let Some(undone) = undone.map(listed_import) else {
        bail!("the import {import} is no longer there");
    };

    output.print(&undone, || {
        let ImportCounts {
            sources,
            outputs,
            answers,
            ..
        } = undone.new;
        format!("Undone: {sources} sources, {outputs} outputs and {answers} ratings.")
    })
}

fn listed_import(entry: ImportEntry) -> ListedImport {
    ListedImport {
        id: entry.id,
        names: entry.names,
        person: entry.person,
        new: entry.counts,
        imported_at: format_timestamp(entry.ended_at),
        undone_at: entry.undone_at.map(format_timestamp),
    }
}

fn line(listing: &ListedImport) -> String {
    let ImportCounts {
        sources,
        outputs,
        answers,
        ..
    } = listing.new;

    let by = listing.person.as_deref().unwrap_or("command line");
    let undone = listing
        .undone_at
        .as_ref()
        .map(|at| format!(", undone {at}"));

    format!(
        "{}  {}  {} by {by}: {sources} sources, {outputs} outputs, {answers} ratings{}",
        listing.id,
        listing.imported_at,
        listing.names.join(", "),
        undone.unwrap_or_default()
    )
}
