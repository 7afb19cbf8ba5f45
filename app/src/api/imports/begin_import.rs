//! Importing files.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// A column and its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportColumnField {
    pub name: String,
    /// The field that it holds; empty for none.
    #[serde(default)]
    pub field: String,
}

/// The read options of files, as form fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptionFields {
    /// The meaning of each column, where the file is read by columns.
    pub columns: Vec<ImportColumnField>,
    /// Present where `columns` lists all of the file's columns: a field without a column is then not read
    /// from a column of its own name.
    pub whole: Option<String>,
    /// The lowest rating; empty to infer it from the file.
    pub low: String,
    /// The highest rating; empty to infer it from the file.
    pub high: String,
    /// The scales of individual dimensions.
    pub scales: Vec<ImportScaleField>,
    /// Present where `NAME.simp.N` are outputs.
    pub as_outputs: Option<String>,
    /// The stated encoding, separator and sheet.
    pub input: InputOptionFields,
}

/// The stated encoding, separator and sheet of a file, as form fields; an empty one is detected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputOptionFields {
    pub encoding: String,
    pub separator: String,
    pub sheet: String,
}

/// The stated scale of one dimension; both ends empty for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportScaleField {
    pub dimension: String,
    pub low: String,
    pub high: String,
}

/// A system and its stated kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportSystemField {
    pub name: String,
    /// `machine`, `human` or `baseline`.
    pub kind: String,
}

/// The import options of rows, as form fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptionFields {
    /// The purpose of the sources.
    pub purpose: String,
    /// The kind of the raters: `imported` (also when empty) or `simulated`.
    #[serde(default)]
    pub raters: String,
    /// Present where every row must be valid.
    #[serde(default)]
    pub strict: Option<String>,
    /// The kinds of new systems.
    #[serde(default)]
    pub kinds: Vec<ImportSystemField>,
}

/// Queues the import of uploaded files and leads to its progress; or leads back to their preview with these options.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the files cannot be
/// read with these options.
#[server(endpoint = "begin-import")]
pub async fn begin_import(
    slug: String,
    /// The ids of the files, separated by commas.
    uploads: String,
    /// The id of the file of raters; empty for none.
    #[server(default)]
    raters: String,
    #[server(default)] way: ReadOptionFields,
    manner: ImportOptionFields,
    /// Present where the lead wants a preview first.
    #[server(default)]
    look: Option<String>,
) -> Result<(), Refusal> {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

    use super::{
        enqueue_import, files, input_query, parse_import_options, parse_read_options, refuse_files,
        uploads as ids,
    };
    use crate::{
        links::StudyPage,
        request::{internal, lead_access, parse, see_other},
        services,
    };
    use service::import::{ImportChoices, ImportJob, ImportKind};

    let access = lead_access(&slug).await?;

    let file_ids = ids(&uploads)?;
    // A person's files are read for one request at a time.
    let turn = services().previews.take(access.person.id).await;
    let uploaded_files = files(&access, &file_ids).await?.in_turn(&turn);

    let (way, manner) = (parse_read_options(&way)?, parse_import_options(&manner)?);
    let raters = match raters.as_str() {
        "" => None,
        id => Some(parse::id(id)?),
    };

    if let Some(id) = raters {
        let of_raters = files(&access, &[id]).await?.in_turn(&turn);
        of_raters.raters().await.map_err(refuse_files)?;
    }
    uploaded_files.check(&way).await.map_err(refuse_files)?;

    if look.is_some() {
        let mapping_json = serde_json::to_string(&way.mapping).map_err(internal)?;
        let encoded_mapping = utf8_percent_encode(&mapping_json, NON_ALPHANUMERIC);
        let with = raters.map_or_else(String::new, |id| format!("&raters={id}"));
        let preview = StudyPage::ImportPreview(&uploads).path(&slug);
        let input = input_query(&way.input);
        see_other(&format!("{preview}?way={encoded_mapping}{with}{input}"));
        return Ok(());
    }

    let input = ImportJob {
        names: uploaded_files.names(),
        files: file_ids,
        raters,
        read_options: way,
        import_options: manner,
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    };
    enqueue_import(&access, &input).await
}
