//! The imports of a study, and undoing one.

use anyhow::bail;
use domain::ids::ImportId;
use serde::Serialize;
use store::{
    Store, Study,
    audit::{AuditKind, AuditSubject},
    import::{ImportCounts, ImportEntry},
};

use super::output::CommandOutput;
use crate::{audit::command_entry, clock};
use service::export::format_timestamp;

/// An import, as it is printed.
#[derive(Debug, Serialize)]
struct ImportListing {
    id: ImportId,
    names: Vec<String>,
    /// The person who started it in a browser.
    person: Option<String>,
    new: ImportCounts,
    imported_at: String,
    undone_at: Option<String>,
}

/// Prints the imports that added something, newest first.
pub(super) async fn list(
    store: &Store,
    study: &Study,
    mut output: CommandOutput,
) -> anyhow::Result<()> {
    let imports = store.imports(study.id).await?;
    let listed: Vec<_> = imports.into_iter().map(import_listing).collect();
    output.print(&listed, || {
        if listed.is_empty() {
            return "Nothing was imported yet.".to_owned();
        }
        listed.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

/// Undoes an import.
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
    let Some(undone) = undone.map(import_listing) else {
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

fn import_listing(entry: ImportEntry) -> ImportListing {
    ImportListing {
        id: entry.id,
        names: entry.names,
        person: entry.person,
        new: entry.counts,
        imported_at: format_timestamp(entry.ended_at),
        undone_at: entry.undone_at.map(format_timestamp),
    }
}

fn line(listing: &ImportListing) -> String {
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
