//! Checkpoints: the state of a training after an epoch, in a file, to resume from.

use std::{collections::HashMap, fs, path::Path};

use safetensors::SafeTensors;
use serde::{Deserialize, Serialize};
use tensor::Weights;

use super::{
    TuningAgreement, TuningError, base_encoder::read_weight, weights_file::write_weights_file,
};

/// The key of the training state in a file's header.
const STATE_KEY: &str = "rankrate-training";

/// The progress of a training.
#[derive(Debug, Clone, Default)]
pub(super) struct Checkpoint {
    /// The state other than weights.
    pub state: TuningState,
    /// The current weights.
    pub current: Weights,
    /// The weights of the best epoch.
    pub best: Weights,
    /// The memory of the optimisers of head and encoder; empty in a file of an earlier version, after which they start
    /// afresh.
    pub optimisers: Weights,
}

/// The state of a training, without the weights.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct TuningState {
    /// The signature of data and plan: only the same training resumes from it.
    pub signature: String,
    /// The next epoch, from 0.
    pub epoch: usize,
    /// The best epoch so far, from 0.
    pub best_epoch: usize,
    /// The selection score of the best epoch.
    pub best: Option<f64>,
    /// The weight of the ranking head in its score.
    pub order_share: f64,
    /// The results of all epochs.
    pub history: Vec<EpochResult>,
}

/// The result of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochResult {
    /// Its number, from 0. If frozen epochs exhausted the patience, the rest of them is missing.
    pub epoch: usize,
    /// Whether the encoder's last layers were tuned in it.
    pub tuned: bool,
    /// The mean loss of its steps.
    pub loss: f64,
    /// The loss on the validation sources, if epochs are chosen by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_loss: Option<f64>,
    /// The agreement of its scores with people on the validation sources.
    pub validation: TuningAgreement,
}

impl Checkpoint {
    /// Writes the checkpoint to the file at `path`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, path: &Path) -> Result<(), TuningError> {
        let parts = [
            ("now", &self.current),
            ("best", &self.best),
            ("optimiser", &self.optimisers),
        ];
        let tensors = parts
            .into_iter()
            .flat_map(|(part, weights)| weights.clone().prefixed(part));
        let state = serde_json::to_string(&self.state).expect("a state is plain data");
        let texts = HashMap::from([(STATE_KEY.to_owned(), state)]);
        write_weights_file(path, &tensors.collect(), texts)
    }

    /// Reads the checkpoint at `path`; `None` if the file is missing or belongs to another training.
    ///
    /// # Errors
    /// The file exists and cannot be read.
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
        Ok(Some(Self {
            current: read_part(&file, "now"),
            best: read_part(&file, "best"),
            optimisers: read_part(&file, "optimiser"),
            state,
        }))
    }
}

/// The weights whose names begin with `part`, without it.
fn read_part(file: &SafeTensors<'_>, part: &str) -> Weights {
    let names = file.names().into_iter();
    names
        .filter_map(|name| Some((name, name.strip_prefix(part)?.strip_prefix('.')?)))
        .filter_map(|(name, own)| Some((own.to_owned(), read_weight(file, name)?)))
        .collect()
}
