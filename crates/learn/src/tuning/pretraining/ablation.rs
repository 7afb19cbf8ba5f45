//! An ablation of pre-training: the contribution of each part of it to a metric that is trained on ratings afterwards.

use std::{collections::HashSet, fs, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::{
    PretrainingData, PretrainingPlan, PretrainingProgress, PretrainingResources, PretrainingStage,
    SignalKind, pretrain,
};
use crate::{
    encoder::EncoderOptions,
    metric::{TrainingSource, fingerprint},
    tuning::{
        TuningAgreement, TuningError, TuningPlan, TuningProgress, TuningResources,
        base_encoder::BaseEncoder, cross_validate, hash_sources,
    },
};

/// Pre-training without a part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PretrainingVariant {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// Whether it has the first and the second stage.
    pub stages: [bool; 2],
    /// The settings.
    pub plan: PretrainingPlan,
}

/// The name of the variant without pre-training, with which the others are compared.
const PLAIN: &str = "none";

/// The variants of a plan: none, each stage alone, both, and both without degraded candidates or one kind of signals.
/// Leaves out variants with a stage that lacks texts or signals, and those that equal the plan.
#[must_use]
pub fn list_variants(plan: &PretrainingPlan, data: &PretrainingData) -> Vec<PretrainingVariant> {
    let undegraded = PretrainingPlan {
        degraded: 0.0,
        ..plan.clone()
    };
    let available = [!data.first.is_empty(), !data.second.is_empty()];
    let variants = [
        (PLAIN, [false, false], plan.clone()),
        ("first-stage", [true, false], plan.clone()),
        ("second-stage", [false, true], plan.clone()),
        ("both-stages", [true, true], plan.clone()),
        ("not-degraded", available, undegraded),
        (
            "no-meaning",
            available,
            without_signals(plan, SignalKind::Meaning),
        ),
        (
            "no-fluency",
            available,
            without_signals(plan, SignalKind::Fluency),
        ),
        (
            "no-simplicity",
            available,
            without_signals(plan, SignalKind::Simplicity),
        ),
        (
            "no-references",
            [true, true],
            without_signals(plan, SignalKind::References),
        ),
    ];

    variants
        .into_iter()
        .filter(|(name, stages, own)| {
            let has_texts = (0..2).all(|stage| available[stage] || !stages[stage]);
            let is_other = !name.starts_with("no-") || own != plan;
            has_texts && has_signals(stages, own) && is_other
        })
        .map(|(name, stages, plan)| PretrainingVariant { name, stages, plan })
        .collect()
}

fn without_signals(plan: &PretrainingPlan, kind: SignalKind) -> PretrainingPlan {
    let signals = plan.signals.iter().filter(|signal| signal.kind() != kind);
    PretrainingPlan {
        signals: signals.copied().collect(),
        ..plan.clone()
    }
}

fn has_signals(stages: &[bool; 2], plan: &PretrainingPlan) -> bool {
    [PretrainingStage::First, PretrainingStage::Second]
        .into_iter()
        .zip(stages)
        .all(|(stage, has)| !has || !plan.stage_signals(stage).is_empty())
}

/// An ablation with its data.
#[derive(Debug)]
pub struct AblationRequest<'a> {
    /// The variants that are compared.
    pub variants: &'a [PretrainingVariant],
    /// The texts of pre-training. Texts whose source is rated are left out.
    pub data: &'a PretrainingData,
    /// The rated sources, on which each variant is trained further and cross-validated.
    pub rated: &'a [TrainingSource],
    /// The settings of the further training.
    pub tuning: &'a TuningPlan,
    /// The number of folds, and the random seed by which sources are dealt out to them.
    pub folds: (usize, u64),
    /// The resources. Variants share stages with the same settings.
    pub resources: &'a PretrainingResources,
}

/// The progress of an ablation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AblationProgress {
    /// A variant is pre-trained.
    Pretraining {
        /// The number of variants before it.
        variant: usize,
        /// The progress of its pre-training.
        progress: PretrainingProgress,
    },
    /// A variant is cross-validated.
    CrossValidation {
        /// The number of variants before it.
        variant: usize,
        /// The fold.
        fold: usize,
        /// The progress of its training.
        step: TuningProgress,
    },
}

/// The result of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct AblationRow {
    /// The variant.
    pub variant: String,
    /// The number of texts of the first stage, and of the second.
    #[schema(value_type = Vec<usize>)]
    pub texts: [usize; 2],
    /// The cross-validated agreement with people.
    #[serde(flatten)]
    pub figures: TuningAgreement,
}

/// Pre-trains each variant and cross-validates its training on ratings against people. Figures
/// of finished variants are kept in the folder of the resources, and not computed again.
///
/// # Errors
/// As for [`pretrain`] and [`cross_validate`].
pub fn ablate(
    request: &AblationRequest<'_>,
    on_progress: &mut (dyn FnMut(AblationProgress) -> bool + Send),
) -> Result<Vec<AblationRow>, TuningError> {
    let rated_sources: HashSet<String> = request
        .rated
        .iter()
        .map(TrainingSource::fingerprint)
        .collect();
    let data = request
        .data
        .without(&|source| rated_sources.contains(&fingerprint(source)));

    let mut rows = Vec::with_capacity(request.variants.len());
    for (number, variant) in request.variants.iter().enumerate() {
        let mut encoder = request.resources.encoder.clone();
        let [first, second] = variant.stages;
        let own = PretrainingData {
            first: if first {
                data.first.clone()
            } else {
                Vec::new()
            },
            second: if second {
                data.second.clone()
            } else {
                Vec::new()
            },
        };

        if first || second {
            let mut on_stage = |progress| {
                on_progress(AblationProgress::Pretraining {
                    variant: number,
                    progress,
                })
            };
            let pretrained = pretrain(&own, &variant.plan, request.resources, &mut on_stage)?;
            encoder = EncoderOptions {
                folder: pretrained.path,
                ..encoder
            };
        }

        let resources = TuningResources {
            encoder,
            checkpoint: None,
        };
        let figures = cross_validate_variant(request, number, &resources, on_progress)?;
        rows.push(AblationRow {
            variant: variant.name.to_owned(),
            texts: [own.first.len(), own.second.len()],
            figures,
        });
    }
    Ok(rows)
}

/// The figures of a variant, from the file of an earlier run or computed.
fn cross_validate_variant(
    request: &AblationRequest<'_>,
    variant: usize,
    resources: &TuningResources,
    on_progress: &mut (dyn FnMut(AblationProgress) -> bool + Send),
) -> Result<TuningAgreement, TuningError> {
    let figures_file = KeptFigures::locate(request, resources)?;
    if let Some(figures) = figures_file.read() {
        return Ok(figures);
    }

    let validation = cross_validate(
        request.rated,
        request.tuning,
        resources,
        request.folds,
        &mut |fold, step| {
            on_progress(AblationProgress::CrossValidation {
                variant,
                fold,
                step,
            })
        },
    )?;
    figures_file.write(validation.figures)
}

/// The file in which the figures of a cross-validation are kept, so that an interrupted ablation does not compute them
/// again.
struct KeptFigures {
    path: PathBuf,
    signature: String,
}

/// The contents of the file.
#[derive(Serialize, Deserialize)]
struct FiguresRecord {
    signature: String,
    figures: TuningAgreement,
}

impl KeptFigures {
    /// The file for training on ratings from this encoder. Its name depends on all that the figures depend on; the
    /// encoder's name identifies its pre-training.
    fn locate(
        request: &AblationRequest<'_>,
        resources: &TuningResources,
    ) -> Result<Self, TuningError> {
        let parts = serde_json::json!({
            "program": env!("CARGO_PKG_VERSION"),
            "encoder": BaseEncoder::read(&resources.encoder.folder)?.name()?,
            "plan": request.tuning.without_unused(),
            "rated": hash_sources(request.rated),
            "folds": request.folds,
        });
        let signature = fingerprint(parts.to_string());
        let name = format!("ablation-{signature:.12}.json");
        Ok(Self {
            path: request.resources.work.join(name),
            signature,
        })
    }

    /// The figures, if the file has them.
    fn read(&self) -> Option<TuningAgreement> {
        let text = fs::read(&self.path).ok()?;
        let record: FiguresRecord = serde_json::from_slice(&text).ok()?;
        (record.signature == self.signature).then_some(record.figures)
    }

    /// Writes the figures next to their place and moves them there. Returns them as the next run reads them: numbers
    /// that were read can differ in their last digit.
    fn write(&self, figures: TuningAgreement) -> Result<TuningAgreement, TuningError> {
        let record = FiguresRecord {
            signature: self.signature.clone(),
            figures,
        };
        let text = serde_json::to_vec(&record).expect("figures are plain data");
        let new = self.path.with_extension("new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &self.path))
            .map_err(|source| TuningError::file(&self.path, source))?;
        Ok(self.read().unwrap_or(figures))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::pretraining::PretrainingText;

    #[test]
    fn variants_have_the_stages_that_there_are_texts_for() {
        let text = PretrainingText {
            source: "It sank.".to_owned(),
            outputs: Vec::new(),
            references: vec!["It was lost.".to_owned()],
        };
        let plan = PretrainingPlan::new(1);
        let names = |data: &PretrainingData| -> Vec<&str> {
            let variants = list_variants(&plan, data);
            variants.iter().map(|variant| variant.name).collect()
        };
        let mut data = PretrainingData {
            first: vec![text.clone()],
            second: Vec::new(),
        };
        let first = [
            "none",
            "first-stage",
            "not-degraded",
            "no-meaning",
            "no-fluency",
            "no-simplicity",
        ];
        assert_eq!(names(&data), first);
        data.second.push(text);
        assert_eq!(names(&data).len(), 9);
        let variants = list_variants(&plan, &data);
        let signals = |at: usize| variants[at].plan.signals.len();
        assert_eq!(
            [signals(3), signals(5), signals(6), signals(7), signals(8)],
            [10, 7, 8, 8, 7]
        );
        assert_eq!(variants[4].plan.degraded, 0.0);
    }
}
