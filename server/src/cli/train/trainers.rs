//! Plans and trainers for the command line and for requests of the server.

use std::path::Path;

use anyhow::ensure;
use domain::metrics::LearnedMetricKind;
use learn::{
    metric::{HybridModel, TrainingSource},
    training::{EncoderTrainer, HybridTrainer, ModelFile, ResumeFolder, Trainer, TrainingPlan},
    tuning::{PretrainedCard, TuningObjective, TuningResources},
};

use super::{
    RatedSources, TrainCommand, pretraining_overlap::SourceCheck, tuning_files::TuningFiles,
};
use crate::{
    aligner::MissingAligner,
    learned_metric::{is_shipped, load_resources, open_model, open_older_model},
    settings::EncoderSettings,
    tuning_args::TuningArgs,
    worker::protocol::TrainingRequest,
};

impl TrainCommand {
    /// The plan for training this kind of metric.
    ///
    /// # Errors
    /// An argument is for another trainer, or the file of a pre-trained encoder cannot be read.
    pub(super) fn plan(&self, kind: LearnedMetricKind) -> anyhow::Result<TrainingPlan> {
        let mut plan = TrainingPlan::new(kind, self.seed, self.held_out);
        match &mut plan.tuning {
            Some(tuning) => {
                ensure!(
                    !self.without_encoder,
                    "--without-encoder is for --trainer hybrid"
                );
                if let Some(card) = self.read_pretrained(kind)?
                    && let TuningObjective::Cross { pooling, .. } = &mut tuning.objective
                {
                    *pooling = card.pooling();
                }
                self.tuning.change_plan(tuning)?;
                self.tuning_files.read_split(tuning)?;
                // The held-out sources choose the best epoch.
                tuning.validation = self.held_out;
            }
            None => ensure!(
                self.tuning == TuningArgs::default() && self.tuning_files == TuningFiles::default(),
                "how an encoder learns is set for --trainer lens or cross-encoder"
            ),
        }

        Ok(plan)
    }

    /// The file of the encoder that a cross-encoder continues from; `None` without one.
    fn pretrained_encoder(&self) -> Option<&Path> {
        let named = self.from.as_deref();
        named.filter(|path| path.as_os_str() != "none")
    }

    /// The card of the pre-trained encoder that a cross-encoder continues from; `None` without one.
    fn read_pretrained(&self, kind: LearnedMetricKind) -> anyhow::Result<Option<PretrainedCard>> {
        let Some(path) = self.pretrained_encoder() else {
            return Ok(None);
        };
        ensure!(
            kind == LearnedMetricKind::CrossEncoder && !is_shipped(path),
            "--from names a metric for --trainer hybrid, or a file of `rankrate pretrain` for --trainer cross-encoder"
        );
        Ok(Some(PretrainedCard::read(path)?))
    }

    /// A check of rated sources against those of the pre-training that a cross-encoder continues from; `None` without one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn check_pretrained_sources(
        &self,
        rated: &[TrainingSource],
    ) -> anyhow::Result<Option<SourceCheck>> {
        let path = self.pretrained_encoder();
        let check = path.map(|path| SourceCheck::read(path, rated));
        Ok(check.transpose()?)
    }

    /// Opens the trainer of a plan on these sources.
    ///
    /// # Errors
    /// The encoder, word frequencies or the model to continue from are missing.
    pub(super) fn open_trainer(
        &self,
        plan: TrainingPlan,
        rated: RatedSources,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<Box<dyn Trainer>> {
        let RatedSources { sources, datasets } = rated;
        let Some(tuning) = plan.tuning else {
            let resources = load_resources(encoder, !self.without_encoder)?;
            let older = self.load_older_model(resources.encoder_name())?;
            let trainer = HybridTrainer::new(sources, plan.hybrid, resources, older);
            return Ok(Box::new(match datasets {
                Some(datasets) => trainer.of_datasets(datasets),
                None => trainer,
            }));
        };

        let options = match self.pretrained_encoder() {
            // Its file holds all that a training needs.
            Some(pretrained) => encoder.in_folder(pretrained.to_owned()),
            None => encoder.settings().ok_or(MissingAligner::NoEncoder)?,
        };
        let resources = TuningResources {
            encoder: options,
            checkpoint: self.tuning_files.checkpoint.clone(),
        };

        Ok(Box::new(EncoderTrainer::new(sources, tuning, resources)))
    }

    /// The model that training with this encoder continues from; `None` without one, or if no model is to be written.
    fn load_older_model(&self, encoder: Option<&str>) -> anyhow::Result<Option<HybridModel>> {
        let usual = match (&self.references, self.without_encoder) {
            (None, false) if self.datasets.is_none() => "shipped",
            _ => "none",
        };
        let name = self.from.as_deref().unwrap_or(Path::new(usual));
        (self.output.is_some() && name.as_os_str() != "none")
            .then(|| open_older_model(name, encoder))
            .transpose()
    }
}

/// The trainer of a request by the server, and the model in use.
pub(super) struct RequestedTraining {
    pub(super) trainer: Box<dyn Trainer>,
    /// The model in use, or the reason why it was not read; `None` without one.
    pub(super) current: Option<Result<ModelFile, String>>,
}

/// Opens the trainer of a request by the server. `key` identifies the request in its `work` folder.
///
/// # Errors
/// The encoder, word frequencies or the model to continue from are missing, or too little is left to learn
/// from.
pub(super) fn open_trainer(
    request: &TrainingRequest,
    key: String,
    encoder: &EncoderSettings,
) -> anyhow::Result<RequestedTraining> {
    let (plan, sources) = (&request.plan, request.sources.clone());

    let open_current = |encoder: Option<&str>| {
        let path = request.against.as_deref()?;
        let current = open_model(path, encoder);
        Some(current.map_err(|error| format!("the one in use was not read: {error:#}")))
    };

    let Some(tuning) = &plan.tuning else {
        let resources = load_resources(encoder, !request.without_encoder)?;
        let encoder_name = resources.encoder_name();
        let open_older = |path| open_older_model(path, encoder_name);
        let older = request.from.as_deref().map(open_older).transpose()?;
        let current = open_current(encoder_name);
        let folder = request.work.clone();
        let trainer = HybridTrainer::new(sources, plan.hybrid, resources, older);
        return Ok(RequestedTraining {
            trainer: Box::new(trainer.resume_in(ResumeFolder { folder, key })),
            current,
        });
    };

    ensure!(
        request.from.is_none(),
        "a metric with a trained encoder always starts from the encoder, not from another metric: leave `--from` out"
    );

    let resources = TuningResources {
        encoder: encoder.settings().ok_or(MissingAligner::NoEncoder)?,
        checkpoint: Some(request.work.join("epochs.safetensors")),
    };
    let trainer = EncoderTrainer::with_held_out(sources, tuning.clone(), resources, &plan.hybrid)?;

    Ok(RequestedTraining {
        trainer: Box::new(trainer),
        current: open_current(None),
    })
}
