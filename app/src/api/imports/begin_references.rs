//! Importing references of sources.

use std::collections::BTreeMap;

use leptos::prelude::*;

use crate::{api::InputOptionFields, error::Refusal};

/// The prefix of a source's key in the form: a key that begins with a digit would be read as an index into a list.
pub const ACCEPTED: &str = "source-";

/// Queues the import of uploaded references and leads to its progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the files
/// cannot be read as references.
#[server(endpoint = "begin-references")]
pub async fn begin_references(
    slug: String,
    /// The ids of the files, separated by commas.
    uploads: String,
    /// The lines whose references the lead accepts although their source has another wording, by [`ACCEPTED`]
    /// and the source's id.
    #[server(default)]
    accepted: BTreeMap<String, String>,
    /// The stated encoding, separator and sheet.
    #[server(default)]
    input: InputOptionFields,
) -> Result<(), Refusal> {
    use super::enqueue_supplementary_import;
    use crate::request::{lead_access, parse};
    use service::import::{ImportChoices, ImportKind};

    let access = lead_access(&slug).await?;

    let line = |(source, line): (String, String)| {
        let source = source.strip_prefix(ACCEPTED).ok_or(Refusal::NotFound)?;
        let line = line.parse().map_err(|_| Refusal::NotFound)?;
        Ok((parse::id(source)?, line))
    };
    let choices = ImportChoices {
        accepted: accepted
            .into_iter()
            .map(line)
            .collect::<Result<_, Refusal>>()?,
        ..ImportChoices::default()
    };

    let kind = ImportKind::References;
    enqueue_supplementary_import(&access, &uploads, kind, choices, &input).await
}
