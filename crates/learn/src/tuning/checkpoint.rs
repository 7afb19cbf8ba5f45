//! Where a training stands after an epoch, kept in a file so that it can go on from there.

use std::{collections::HashMap, fs, path::Path};

use safetensors::{SafeTensors, tensor::TensorView};
use serde::{Deserialize, Serialize};

use super::{
    TuningAgreement, TuningError,
    base_encoder::read_weight,
    network::named_weights::NamedWeights,
    weights_file::{TensorContent, write_weights_file},
};

/// The name under which a file's text tells where the training stands.
const STATE_KEY: &str = "rankrate-training";

/// Where a training stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Checkpoint {
    /// What is to be known beside weights.
    pub state: TuningState,
    /// What has been learned.
    pub current: NamedWeights,
    /// What had been learned after the best epoch.
    pub best: NamedWeights,
    /// What the optimisers of head and encoder remember.
    pub optimisers: [Vec<u8>; 2],
}

/// What is to be known of a training beside weights.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct TuningState {
    /// What is trained on what, and how: goes on only with the same.
    pub signature: String,
    /// The next epoch, from 0.
    pub epoch: usize,
    /// The best epoch so far, from 0.
    pub best_epoch: usize,
    /// Its figure.
    pub best: Option<f64>,
    /// How much of the order was in its score.
    pub order_share: f64,
    /// What every epoch was like.
    pub history: Vec<EpochResult>,
}

/// What came of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochResult {
    /// Its number, from 0. Where the head did not get better, the rest of the frozen ones is missing.
    pub epoch: usize,
    /// Whether the encoder's last layers learned in it.
    pub tuned: bool,
    /// The mean loss of its steps.
    pub loss: f64,
    /// How well its scores agree with people on the sources held back.
    pub validation: TuningAgreement,
}

impl Checkpoint {
    /// Writes it to the file at `path`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), TuningError> {
        let parts = [("now", &self.current), ("best", &self.best)];
        let weights = parts.into_iter().flat_map(|(part, weights)| {
            let named = weights.iter();
            named.map(move |(name, weight)| {
                (format!("{part}.{name}"), TensorContent::numbers(weight))
            })
        });
        let optimisers = self.optimisers.iter().enumerate();
        let optimisers =
            optimisers.map(|(at, bytes)| (format!("optimiser.{at}"), TensorContent::bytes(bytes)));
        let state = serde_json::to_string(&self.state).expect("a state is plain data");
        let texts = HashMap::from([(STATE_KEY.to_owned(), state)]);
        write_weights_file(path, weights.chain(optimisers).collect(), texts)
    }

    /// Reads the file at `path`; none where there is no such file or it is of another training.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub(super) fn read(path: &Path, signature: &str) -> Result<Option<Self>, TuningError> {
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(path).map_err(|source| TuningError::file(path, source))?;
        let (_, header) = SafeTensors::read_metadata(&bytes)?;
        let state = header
            .metadata()
            .as_ref()
            .and_then(|texts| texts.get(STATE_KEY));
        let state = state.and_then(|state| serde_json::from_str::<TuningState>(state).ok());
        let Some(state) = state.filter(|state| state.signature == signature) else {
            return Ok(None);
        };
        let file = SafeTensors::deserialize(&bytes)?;
        let part = |part: &str| -> NamedWeights {
            let named = file.names().into_iter();
            named
                .filter_map(|name| Some((name, name.strip_prefix(part)?.strip_prefix('.')?)))
                .filter_map(|(name, own)| Some((own.to_owned(), read_weight(&file, name)?)))
                .collect()
        };
        let bytes = |at: usize| {
            let view: Option<TensorView<'_>> = file.tensor(&format!("optimiser.{at}")).ok();
            view.map(|view| view.data().to_vec()).unwrap_or_default()
        };
        Ok(Some(Self {
            current: part("now"),
            best: part("best"),
            optimisers: [bytes(0), bytes(1)],
            state,
        }))
    }
}
