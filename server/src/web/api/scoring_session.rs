//! The models of requests that score, and the turns that they take.
//!
//! A request is computed in slices. Between two slices, other requests get their turn. If the caller hangs up, the
//! request ends with the slice under way.

use std::{num::NonZero, sync::Arc, thread};

use tokio::{
    sync::{Mutex, Semaphore},
    task::spawn_blocking,
};

use crate::{
    calls::{
        CallError, CallSession, RerankCall, RerankResult, ScoreCall, ScoreResult, score,
        score_corpus,
    },
    metrics::{MetricKind, MetricResources},
    progress::ProgressDisplay::Hidden,
    web::places::PlacePermit,
};

/// The models and turns that all requests share.
#[derive(Clone)]
pub(super) struct ScoringSession {
    /// The models that requests opened. Slices with a model take turns because each uses all processors.
    models: Arc<Mutex<CallSession>>,
    /// Resources of metrics without a model, which do not wait for those with one.
    resources: Arc<MetricResources>,
    /// The turns of slices without a model.
    turns: Arc<Semaphore>,
}

impl ScoringSession {
    pub(super) fn new(session: CallSession) -> Self {
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        Self {
            resources: session.resources(),
            models: Arc::new(Mutex::new(session)),
            turns: Arc::new(Semaphore::new((processors / 2).max(1))),
        }
    }

    /// Computes the scores of a call. Each slice holds the caller's place until it ends.
    pub(super) async fn score(
        &self,
        place: &Arc<PlacePermit>,
        call: ScoreCall,
    ) -> Result<ScoreResult, CallError> {
        let has_model = call.metric_kinds()?.into_iter().any(MetricKind::has_model);
        let whole = (call.corpus && !call.outputs.is_empty()).then(|| call.clone());

        let mut slices = call.into_slices()?.into_iter();
        let first = slices.next().expect("a call has a slice");
        let mut result = self.score_slice(place, first, has_model).await?;
        for slice in slices {
            result.append(self.score_slice(place, slice, has_model).await?);
        }

        // Corpus scores cannot be joined from those of slices.
        match whole {
            Some(whole) => {
                self.run_in_turn(place, move |_| score_corpus(&whole, result))
                    .await
            }
            None => Ok(result),
        }
    }

    /// Chooses among the candidates of a call, in the same way.
    pub(super) async fn rerank(
        &self,
        place: &Arc<PlacePermit>,
        call: RerankCall,
    ) -> Result<RerankResult, CallError> {
        let mut slices = call.into_slices()?.into_iter();
        let first = slices.next().expect("a call has a slice");
        let mut result = self.rerank_slice(place, first).await?;
        for slice in slices {
            result.append(self.rerank_slice(place, slice).await?);
        }
        Ok(result)
    }

    async fn score_slice(
        &self,
        place: &Arc<PlacePermit>,
        slice: ScoreCall,
        has_model: bool,
    ) -> Result<ScoreResult, CallError> {
        if has_model {
            return self
                .run_with_models(place, move |session| session.score(&slice, Hidden))
                .await;
        }
        self.run_in_turn(place, move |resources| score(&slice, resources, Hidden))
            .await
    }

    /// Runs work that needs no model, on a thread that may block.
    async fn run_in_turn<T: Send + 'static>(
        &self,
        place: &Arc<PlacePermit>,
        work: impl FnOnce(&MetricResources) -> T + Send + 'static,
    ) -> T {
        let turn = self.turns.clone().acquire_owned().await;
        let held = (turn.expect("it is never closed"), place.clone());
        let resources = self.resources.clone();
        let work = spawn_blocking(move || {
            let result = work(&resources);
            drop(held);
            result
        });
        work.await.expect("scoring does not panic")
    }

    async fn rerank_slice(
        &self,
        place: &Arc<PlacePermit>,
        slice: RerankCall,
    ) -> Result<RerankResult, CallError> {
        self.run_with_models(place, move |session| session.rerank(&slice, Hidden))
            .await
    }

    /// Runs work with the models, on a thread that may block.
    async fn run_with_models<T: Send + 'static>(
        &self,
        place: &Arc<PlacePermit>,
        work: impl FnOnce(&mut CallSession) -> T + Send + 'static,
    ) -> T {
        let mut session = self.models.clone().lock_owned().await;
        let place = place.clone();
        let work = spawn_blocking(move || {
            session.forget_texts();
            let result = work(&mut session);
            drop(place);
            result
        });
        work.await.expect("scoring does not panic")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::ids::PersonId;
    use tokio::time::timeout;

    use super::*;
    use crate::{clock, learned_metric::testing::empty_settings, web::places::RequestPlaces};

    /// A call that takes minutes.
    fn long_call() -> ScoreCall {
        let texts = |word: &str| vec![format!("{word} ").repeat(2_500); 300];
        let metrics = ["sari", "bleu", "chrf", "levenshtein"].map(str::to_owned);
        let (sources, outputs) = (texts("vessel"), texts("boat"));
        let references = texts("ship").into_iter().map(|text| vec![text]).collect();
        ScoreCall::new(metrics.to_vec(), sources, outputs, Some(references))
    }

    #[tokio::test]
    async fn a_request_that_is_dropped_is_computed_no_further() {
        let session = ScoringSession::new(CallSession::new(&empty_settings()));
        let places = RequestPlaces::new((8, 1), "request that scores");
        let person = PersonId(clock::new_id());
        let place = Arc::new(places.take_for(person).expect("it is free"));

        let scored = timeout(
            Duration::from_millis(300),
            session.score(&place, long_call()),
        )
        .await;
        assert!(scored.is_err(), "it takes longer");

        drop(place);
        // The slice under way holds the place until it ends.
        let free = async {
            while places.take_for(person).is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(20), free)
            .await
            .expect("it has stopped");
    }

    #[tokio::test]
    async fn metrics_without_a_model_do_not_wait_for_those_with_one() {
        let session = ScoringSession::new(CallSession::new(&empty_settings()));
        let places = RequestPlaces::new((8, 1), "request that scores");

        let place = Arc::new(
            places
                .take_for(PersonId(clock::new_id()))
                .expect("it is free"),
        );

        // Holds the models, as a request that computes with one would.
        let _held = session.models.lock().await;
        let call = |metric: &str| {
            let texts = || vec!["The vessel sank.".to_owned()];
            ScoreCall::new(vec![metric.to_owned()], texts(), texts(), None)
        };
        let scored = timeout(
            Duration::from_secs(20),
            session.score(&place, call("compression")),
        );
        let scored = scored.await.expect("it does not wait").expect("scored");
        assert_eq!(scored.scores[0].values, [Some(1.0)]);

        let waiting = timeout(
            Duration::from_millis(100),
            session.score(&place, call("similarity")),
        );
        assert!(waiting.await.is_err());
    }
}
