//! Imports of files that were sent in.

use std::{error::Error, sync::Arc};

use app::{
    api::sentence,
    imports::{Files, ImportJob, Outcome, Progress, Unreadable, What},
};
use store::{Ending, Job, Store, Study};

use super::End;
use crate::import::{Accepted, Failure, ImportOrigin, bring_in, bring_references, bring_scores};

/// Imports what the job names. Nobody sees any of it before all of it is there, and doing it twice changes
/// nothing.
pub(super) async fn run(store: Store, job: Job, progress: Arc<Progress>) -> End {
    let result = async {
        let input: ImportJob = serde_json::from_value(job.input.clone())?;
        let outcome = bring(&store, &job, &input, &progress).await?;
        let spent = match &outcome {
            Outcome::Imported(_) => input.files.into_iter().chain(input.raters).collect(),
            // Other settings may do better.
            Outcome::Strict(_) => Vec::new(),
        };
        Ok::<_, Stop>((serde_json::to_value(outcome)?, spent))
    };
    match result.await {
        Ok((outcome, spent)) => End::Over(Ending::Done(outcome), spent),
        Err(Stop::Import(Failure::Cancelled)) => End::Stopped,
        Err(stop) => End::Over(Ending::Failed(stop.for_people(&job)), Vec::new()),
    }
}

/// Why nothing came of it.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error(transparent)]
    Files(#[from] Unreadable),
    #[error(transparent)]
    Import(#[from] Failure),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error("the study is gone")]
    NoStudy,
    #[error("another version of the program queued this import: begin it again")]
    Version(#[from] serde_json::Error),
}

async fn bring(
    store: &Store,
    job: &Job,
    input: &ImportJob,
    progress: &Arc<Progress>,
) -> Result<Outcome, Stop> {
    let study = study(store, job).await?.ok_or(Stop::NoStudy)?;
    let files = Files::find(store, study.id, &input.files).await?;
    let raters = match input.raters {
        None => None,
        Some(id) => Some(Files::find(store, study.id, &[id]).await?.raters().await?),
    };
    // Sources are read twice: what they are, then into the study.
    let readings = if input.what == What::Sources { 2 } else { 1 };
    progress.set_total(readings * files.bytes());
    let (own, id) = (progress.clone(), study.id);
    let origin = ImportOrigin {
        person: job.created_by,
        names: input.names.clone(),
    };
    let brought = match input.what {
        What::Sources => {
            let way = input.way.clone();
            let open = move || files.open(&way, raters.clone(), Some(&own));
            let manner = input.manner.clone();
            bring_in(store, study, open, manner, origin, progress.clone()).await
        }
        What::References => {
            let open = move || files.open_references(Some(&own));
            let accepted = Accepted {
                lines: input.choices.accepted.clone(),
                least_similarity: None,
            };
            bring_references(store, id, open, accepted, origin, progress.clone()).await
        }
        What::Scores => {
            let name = input.names.first().map_or("", String::as_str);
            let open = move || files.open_scores(Some(&own));
            let choices = input.choices.clone();
            bring_scores(store, id, (name, choices), open, progress.clone()).await
        }
    };
    match brought {
        Ok(report) => Ok(Outcome::Imported(report)),
        Err(Failure::Strict(report)) => Ok(Outcome::Strict(*report)),
        Err(failure) => Err(failure.into()),
    }
}

async fn study(store: &Store, job: &Job) -> store::Result<Option<Study>> {
    match job.study {
        None => Ok(None),
        Some(id) => store.study(id).await,
    }
}

impl Stop {
    /// The sentence for people; what failed inside goes to the log.
    fn for_people(&self, job: &Job) -> String {
        let inside = match self {
            Self::Store(error)
            | Self::Files(Unreadable::Store(error))
            | Self::Import(Failure::Store(error)) => !matches!(
                error,
                store::Error::Refused(_) | store::Error::Taken(_) | store::Error::ImportUnderWay
            ),
            _ => false,
        };
        if !inside {
            return sentence(&self.to_string());
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
