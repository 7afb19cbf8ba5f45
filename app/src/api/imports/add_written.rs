//! Adding what annotators wrote to their study.

use leptos::prelude::*;

use crate::error::Refusal;

/// Imports the submitted texts that the study does not have yet, as references or outputs according to its
/// protocol, and leads to the import's progress.
///
/// # Errors
/// [`Refusal::NotAllowed`] unless the person leads the study; [`Refusal::Invalid`] where it has no texts to add.
#[server(endpoint = "add-written")]
pub async fn add_written(slug: String) -> Result<(), Refusal> {
    use service::{
        import::{
            ImportChoices, ImportJob, ImportKind, ImportOptions, ReadOptions, store_file,
            write_rows,
        },
        metrics::running_job,
        written_texts::AdoptionPlan,
    };
    use store::JobKind;

    use super::enqueue_import;
    use crate::{
        request::{internal, lead_access, refuse},
        services,
    };

    let access = lead_access(&slug).await?;

    let services = services();
    let study = access.study.id;

    // The texts of an unfinished import would be added a second time.
    let running = running_job(&services.store, study, JobKind::Import).await;
    if running.map_err(refuse)?.is_some() {
        return Err(Refusal::invalid(
            "Another file is being imported. Try again when it is done: then it is known which texts are new.",
        ));
    }

    let plan = AdoptionPlan::load(&services.store, &access.study).await;
    let plan = plan.map_err(refuse)?;
    if plan.rows.is_empty() {
        return Err(Refusal::invalid(
            "There is nothing to add: the study has no submitted texts, or has all of them already.",
        ));
    }

    let name = "written texts.jsonl".to_owned();
    let content = write_rows(&plan.rows).map_err(internal)?;
    let context = services.context;
    let stored = store_file(
        &services.store,
        context,
        study,
        &name,
        &content,
        access.person.id,
    );

    let input = ImportJob {
        files: vec![stored.await.map_err(refuse)?],
        names: vec![name],
        raters: None,
        read_options: ReadOptions::default(),
        import_options: ImportOptions::default(),
        kind: ImportKind::Sources,
        choices: ImportChoices::default(),
    };
    enqueue_import(&access, &input).await
}
