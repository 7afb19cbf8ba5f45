//! The number of annotators of single sources, from the command line.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};

use anyhow::{Context as _, bail, ensure};
use domain::study::{Slug, SourcePurpose};
use serde::Serialize;
use service::wording::count_noun;
use store::{SourceEntry, Store};
use utoipa::ToSchema;

use super::{
    input_file::{read_text, shown},
    output::CommandOutput,
    study::find_study,
};
use crate::clock;

/// The sources whose number of annotators was set, as they are printed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SourceAnnotators<'a> {
    /// The study's short name.
    study: &'a Slug,
    /// How many annotators each of these sources gets, without those of groups with a number of their own.
    annotators: u32,
    /// Whether this is a number of their own, or the study's.
    own: bool,
    /// How many sources these are.
    sources: usize,
}

/// Sets the number of annotators for the sources whose keys are in the file; `None` returns them to the study's number.
pub(super) async fn set(
    mut output: CommandOutput,
    store: &Store,
    slug: &Slug,
    overlap: Option<u32>,
    keys: &Path,
) -> anyhow::Result<()> {
    let study = find_study(store, slug).await?;
    let file = read_text(keys);
    let file = file.with_context(|| format!("{} cannot be read as text", shown(keys)))?;
    let keys = read_keys(&file);
    ensure!(
        !keys.is_empty(),
        "the file names no source: write the key of one on each line"
    );

    let sources = store.sources(study.id).await?;
    let known: HashMap<_, _> = sources
        .iter()
        .map(|source| (source.key.as_str(), source))
        .collect();
    let mut chosen = vec![];
    for (key, line) in keys {
        let source = known.get(key).copied();
        chosen.push(check_source(source, key, line)?.id);
    }

    store
        .set_own_overlap(study.id, &chosen, overlap, clock::now_ms())
        .await?;

    let report = SourceAnnotators {
        study: slug,
        annotators: overlap.unwrap_or(study.settings.overlap),
        own: overlap.is_some(),
        sources: chosen.len(),
    };
    output.print(&report, || {
        let annotators = count_noun(report.annotators as usize, "annotator");
        let by_settings = if report.own {
            ""
        } else {
            ", as the settings say"
        };
        format!(
            "{}: {annotators} each{by_settings}",
            count_noun(report.sources, "source")
        )
    })
}

/// The distinct keys with their lines, counted from 1.
fn read_keys(file: &str) -> Vec<(&str, usize)> {
    let lines = file.trim_start_matches('\u{feff}').lines().zip(1..);
    let mut seen = BTreeSet::new();
    lines
        .map(|(key, line)| (key.trim(), line))
        .filter(|(key, _)| !key.is_empty() && seen.insert(*key))
        .collect()
}

fn check_source<'a>(
    source: Option<&'a SourceEntry>,
    key: &str,
    line: usize,
) -> anyhow::Result<&'a SourceEntry> {
    match source {
        None => bail!(
            "line {line}: the study has no source with the key “{key}”. Nothing was changed: correct the line, and \
             try again"
        ),
        Some(source) if source.purpose != SourcePurpose::Main => bail!(
            "line {line}: source “{key}” is for {}, and everybody gets it. Nothing was changed: delete the line, and \
             try again",
            source.purpose
        ),
        Some(source) => Ok(source),
    }
}
