//! Import jobs for uploaded files.

use std::{error::Error, sync::Arc};

use service::{
    import::{
        ImportFileError, ImportJob, ImportKind, ImportOutcome, RunningJobProgress, UploadedFiles,
    },
    wording::sentence,
};
use store::{Job, JobOutcome, Store, Study};

use super::JobEnd;
use crate::clock;
use service::import::{
    AcceptedReferences, ImportFailure, ImportOrigin, import_references, import_scores,
    import_sources,
};

/// Imports the job's files. Nothing is visible before everything is imported, and a second run changes
/// nothing.
pub(super) async fn run(store: Store, job: Job, progress: Arc<RunningJobProgress>) -> JobEnd {
    let result = async {
        let input: ImportJob = serde_json::from_value(job.input.clone())?;
        let outcome = import_files(&store, &job, &input, &progress).await?;
        let spent = match &outcome {
            ImportOutcome::Imported(_) => input.files.into_iter().chain(input.raters).collect(),
            // The user may try again with other settings.
            ImportOutcome::Strict(_) => Vec::new(),
        };
        Ok::<_, ImportJobError>((serde_json::to_value(outcome)?, spent))
    };

    match result.await {
        Ok((outcome, spent)) => JobEnd::Finished(JobOutcome::Done(outcome), spent),
        Err(ImportJobError::Import(ImportFailure::Cancelled)) => JobEnd::Stopped,
        Err(error) => match error.into_passing() {
            Ok(error) => JobEnd::Unavailable(error),
            Err(error) => {
                let why = JobOutcome::Failed(error.user_message(&job));
                JobEnd::Finished(why, Vec::new())
            }
        },
    }
}

/// A reason why nothing was imported.
#[derive(Debug, thiserror::Error)]
enum ImportJobError {
    #[error(transparent)]
    Files(#[from] ImportFileError),
    #[error(transparent)]
    Import(#[from] ImportFailure),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("the study is gone")]
    NoStudy,
    #[error("another version of the program queued this import: begin it again")]
    Version(#[from] serde_json::Error),
}

async fn import_files(
    store: &Store,
    job: &Job,
    input: &ImportJob,
    progress: &Arc<RunningJobProgress>,
) -> Result<ImportOutcome, ImportJobError> {
    let study = find_study(store, job)
        .await?
        .ok_or(ImportJobError::NoStudy)?;
    let files = UploadedFiles::find(store, study.id, &input.files).await?;

    let raters = match input.raters {
        None => None,
        Some(id) => Some(
            UploadedFiles::find(store, study.id, &[id])
                .await?
                .raters()
                .await?,
        ),
    };

    // Sources are read twice: to survey their dimensions and systems, then into the study.
    let readings = if input.kind == ImportKind::Sources {
        2
    } else {
        1
    };
    progress.set_total(readings * files.bytes());

    let (own, id) = (progress.clone(), study.id);
    let origin = ImportOrigin {
        person: job.created_by,
        names: input.names.clone(),
        job: Some(job.id),
    };

    let result = match input.kind {
        ImportKind::Sources => {
            let options = input.read_options.clone();
            let open = move || files.open(&options, raters.clone(), Some(&own));
            let import_options = input.import_options.clone();
            import_sources(
                store,
                clock::CONTEXT,
                study,
                open,
                import_options,
                origin,
                progress.clone(),
            )
            .await
        }
        ImportKind::References => {
            let options = input.read_options.input.clone();
            let open = move || files.open_references(&options, Some(&own));
            let accepted = AcceptedReferences {
                lines: input.choices.accepted.clone(),
                min_similarity: None,
            };
            import_references(
                store,
                clock::CONTEXT,
                id,
                open,
                accepted,
                origin,
                progress.clone(),
            )
            .await
        }
        ImportKind::Scores => {
            let name = input.names.first().map_or("", String::as_str);
            let options = input.read_options.input.clone();
            let open = move || files.open_scores(&options, Some(&own));
            let choices = input.choices.clone();
            import_scores(
                store,
                clock::CONTEXT,
                id,
                name,
                choices,
                open,
                progress.clone(),
            )
            .await
        }
    };

    match result {
        Ok(report) => Ok(ImportOutcome::Imported(report)),
        Err(ImportFailure::Strict(report)) => Ok(ImportOutcome::Strict(*report)),
        Err(failure) => Err(failure.into()),
    }
}

async fn find_study(store: &Store, job: &Job) -> store::Result<Option<Study>> {
    match job.study {
        None => Ok(None),
        Some(id) => store.study(id).await,
    }
}

impl ImportJobError {
    /// Returns the store's error if the same import may succeed later, and otherwise the error itself.
    fn into_passing(self) -> Result<store::Error, Self> {
        match self {
            Self::Store(error)
            | Self::Files(ImportFileError::Store(error))
            | Self::Import(ImportFailure::Store(error))
                if error.may_pass() =>
            {
                Ok(error)
            }
            other => Err(other),
        }
    }

    /// Returns the message for people, and logs internal failures.
    fn user_message(&self, job: &Job) -> String {
        let is_internal = match self {
            Self::Store(error)
            | Self::Files(ImportFileError::Store(error))
            | Self::Import(ImportFailure::Store(error)) => !matches!(
                error,
                store::Error::Refused(_) | store::Error::Taken(_) | store::Error::ImportUnderWay
            ),
            _ => false,
        };

        if !is_internal {
            return sentence(&match self {
                Self::Files(error) => error.page_message(),
                Self::Import(failure) => failure.page_message(),
                other => other.to_string(),
            });
        }

        let mut chain = self.to_string();
        let mut source = self.source();
        while let Some(cause) = source {
            chain += &format!(": {cause}");
            source = cause.source();
        }
        tracing::error!(job = %job.id, error = chain, "an import failed inside");

        format!(
            "Something went wrong on the server, and nothing was imported. Try again, or report \
             the reference {}.",
            job.id.0.simple()
        )
    }
}
