//! Files are imported.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Refusal;

/// What a column is said to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportColumnField {
    /// The column.
    pub name: String,
    /// The field that it holds; empty for none.
    #[serde(default)]
    pub field: String,
}

/// How the files are read, as fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadOptionFields {
    /// What the columns are, where the file is read by that.
    pub columns: Vec<ImportColumnField>,
    /// The lowest rating; empty where the file tells it.
    pub low: String,
    /// The highest rating; empty where the file tells it.
    pub high: String,
    /// The scales of single dimensions.
    pub scales: Vec<ImportScaleField>,
    /// There where `NAME.simp.N` are outputs.
    pub as_outputs: Option<String>,
}

/// What the numbers of one dimension are said to go from and to; both empty for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportScaleField {
    /// The dimension.
    pub dimension: String,
    /// The lowest rating.
    pub low: String,
    /// The highest rating.
    pub high: String,
}

/// What a system is said to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImportSystemField {
    /// The system.
    pub name: String,
    /// machine, human or baseline.
    pub kind: String,
}

/// How the rows are taken, as fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportOptionFields {
    /// What the sources are there for.
    pub purpose: String,
    /// What the raters are: `imported`, which is also meant by nothing, or `simulated`.
    #[serde(default)]
    pub raters: String,
    /// There where every row has to be good.
    #[serde(default)]
    pub strict: Option<String>,
    /// What new systems are.
    #[serde(default)]
    pub kinds: Vec<ImportSystemField>,
}

/// Queues the import of files that were sent in, and leads on to its progress; or leads back to the
/// page that shows what they would bring, read that way.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where the files
/// do not open that way.
#[server(endpoint = "begin-import")]
pub async fn begin_import(
    /// The study's short name.
    slug: String,
    /// The files' ids, between commas.
    uploads: String,
    /// The id of the file of raters; empty for none.
    #[server(default)]
    raters: String,
    /// How the files are read.
    #[server(default)]
    way: ReadOptionFields,
    /// How the rows are taken.
    manner: ImportOptionFields,
    /// There where the lead wants to look first.
    #[server(default)]
    look: Option<String>,
) -> Result<(), Refusal> {
    use domain::ids::JobId;
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    use store::{JobKind, NewJob};

    use super::{files, parse_import_options, parse_read_options, refuse_files, uploads as ids};
    use crate::{
        request::{access, internal, parse, refuse, see_other},
        services,
    };
    use service::import::{ImportChoices, ImportJob, ImportKind};

    let access = access(&slug).await?;
    access.require_lead()?;
    let file_ids = ids(&uploads)?;
    let found = files(&access, &file_ids).await?;
    let (way, manner) = (parse_read_options(&way)?, parse_import_options(&manner)?);
    let raters = match raters.as_str() {
        "" => None,
        id => Some(parse::id(id)?),
    };
    if let Some(id) = raters {
        let of_raters = files(&access, &[id]).await?;
        of_raters.raters().await.map_err(refuse_files)?;
    }
    found.check(&way).await.map_err(refuse_files)?;
    if look.is_some() {
        let way = serde_json::to_string(&way.mapping).map_err(internal)?;
        let way = utf8_percent_encode(&way, NON_ALPHANUMERIC);
        let with = raters.map_or_else(String::new, |id| format!("&raters={id}"));
        see_other(&format!("/s/{slug}/import/{uploads}?way={way}{with}"));
        return Ok(());
    }
    let input = ImportJob {
        names: found.names(),
        files: file_ids,
        raters,
        read_options: way,
        import_options: manner,
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    };
    let services = services();
    let id = JobId(services.context.new_id());
    let new = NewJob {
        id,
        study: Some(access.study.id),
        kind: JobKind::Import,
        input: &serde_json::to_value(input).map_err(internal)?,
        created_by: Some(access.person.id),
    };
    let queued = services
        .store
        .enqueue_job(&new, services.context.now_ms())
        .await;
    queued.map_err(refuse)?;
    services.job_monitor.wake();
    see_other(&format!("/s/{slug}/import/jobs/{id}"));
    Ok(())
}
