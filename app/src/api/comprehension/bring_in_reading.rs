//! Importing an uploaded file of reading comprehension.

use leptos::prelude::*;

use crate::{
    api::{ImportColumnField, InputOptionFields},
    error::Refusal,
};

/// Imports an uploaded file, all of it or none; existing material does not change.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the file cannot be
/// read with these options or does not fit the study.
#[server(endpoint = "bring-in-reading")]
pub async fn bring_in_reading(
    slug: String,
    upload: String,
    /// The meaning of each column, where the file is read by columns.
    #[server(default)]
    columns: Vec<ImportColumnField>,
    /// The stated encoding, separator and sheet.
    #[server(default)]
    input: InputOptionFields,
) -> Result<(), Refusal> {
    use formats::comprehension::ComprehensionMapping;
    use store::audit::{AuditKind, AuditSubject};

    use super::redirect_to_comprehension;
    use crate::{
        api::parse_input_options,
        request::{audited, lead_access, parse, refuse},
        services,
    };
    use service::{
        comprehension::{ComprehensionImportError, ComprehensionUpload},
        wording::sentence,
    };

    let access = lead_access(&slug).await?;

    let input = parse_input_options(&input)?;
    let (services, id) = (services(), parse::id(&upload)?);
    let (store, study) = (&services.store, access.study.id);

    let pairs = columns.iter().filter(|column| !column.field.is_empty());
    let pairs = pairs.map(|column| format!("{}={}", column.field, column.name));
    let mapping = ComprehensionMapping::parse(pairs.collect::<Vec<_>>());
    let mapping = mapping.map_err(|error| Refusal::Invalid(sentence(&error.to_string())))?;
    let mapping = match columns.is_empty() {
        true => mapping,
        false => mapping.without_defaults(),
    };

    let sent = ComprehensionUpload::find(store, study, id)
        .await
        .map_err(refuse)?;
    let sent = sent.ok_or(Refusal::NotFound)?;

    let file = AuditSubject::Named(sent.name.clone());
    let audited = audited(AuditKind::ImportBegun, Some(study), file);
    let message = sent
        .bring_in(&audited, study, input, mapping, services.context)
        .await;
    let message = message.map_err(|error| match error {
        ComprehensionImportError::Invalid(sentence) => Refusal::Invalid(sentence),
        ComprehensionImportError::Store(error) => refuse(error),
    })?;

    store.delete_upload(id).await.map_err(refuse)?;
    redirect_to_comprehension(&slug, &message);
    Ok(())
}
