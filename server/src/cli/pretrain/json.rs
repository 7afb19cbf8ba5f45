//! A pre-training, and an ablation of it, as JSON.

use std::{fmt::Write as _, path::Path};

use learn::tuning::{AblationRow, PretrainedCard, PretrainingPlan, TuningPlan};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cli::output::{columns, or_undefined, warning_lines};

/// The report for programs; an undefined figure is null.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct PretrainingJson<'a> {
    /// The file of the pre-trained encoder.
    #[schema(value_type = String)]
    pub(super) encoder: &'a Path,
    /// Its description: what it learned, and how.
    pub(super) card: &'a PretrainedCard,
    /// Rows of the files that were left out.
    pub(super) warnings: Vec<String>,
}

/// The report of an ablation.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::cli) struct AblationJson {
    /// The number of rated sources.
    pub(super) sources: usize,
    /// The number of rated outputs.
    pub(super) outputs: usize,
    /// The number of folds of the rated sources.
    pub(super) folds: u16,
    /// The random seed of the folds.
    pub(super) fold_seed: u64,
    /// The settings of pre-training with nothing left out.
    pub(super) plan: PretrainingPlan,
    /// The settings of the training on ratings.
    pub(super) tuning: TuningPlan,
    /// The variants with their cross-validated agreement with people.
    pub(super) variants: Vec<AblationRow>,
    /// Rows of the files that were left out.
    pub(super) warnings: Vec<String>,
}

impl PretrainingJson<'_> {
    /// The report as text.
    pub(super) fn format(&self) -> String {
        let mut text = String::new();
        for stage in &self.card.stages {
            let _ = writeln!(
                text,
                "stage {}: {} candidates of {} sources, of which {} chose epoch {} of {}",
                stage.stage.number(),
                stage.candidates,
                stage.sources,
                stage.development_sources,
                stage.epoch + 1,
                stage.history.len()
            );
            if let Some(model) = &stage.language_model {
                let _ = writeln!(
                    text,
                    "language model: {} words of {} sources, a vocabulary of {}",
                    model.words, model.sources, model.vocabulary
                );
            }

            let rows: Vec<[String; 4]> = stage
                .signals
                .iter()
                .map(|learned| {
                    [
                        learned.signal.name().to_owned(),
                        format!("{:.3}", learned.scale.mean),
                        format!("{:.3}", learned.scale.deviation),
                        show(learned.r),
                    ]
                })
                .collect();
            text += &columns(["signal", "mean", "deviation", "r"], &rows);
            text.push('\n');
        }

        text += &warning_lines(&self.warnings);
        let encoder = self.encoder.display();
        let _ = writeln!(
            text,
            "{encoder} was written; `rankrate train RATINGS --trainer cross-encoder --from {encoder} -o METRIC` \
             makes a metric of it"
        );
        text
    }
}

impl AblationJson {
    /// The report as text.
    pub(super) fn format(&self) -> String {
        let rows: Vec<[String; 6]> = self
            .variants
            .iter()
            .map(|row| {
                [
                    row.variant.clone(),
                    row.texts[0].to_string(),
                    row.texts[1].to_string(),
                    show(row.figures.pearson),
                    show(row.figures.tau),
                    show(row.figures.hard),
                ]
            })
            .collect();

        let headings = ["pre-training", "texts 1", "texts 2", "r", "tau", "hard"];
        let mut text = columns(headings, &rows);
        let _ = writeln!(
            text,
            "\n{} outputs of {} sources, {} folds, seed {}; texts 1 and 2: those of each stage",
            self.outputs, self.sources, self.folds, self.fold_seed
        );
        text + &warning_lines(&self.warnings)
    }
}

fn show(figure: Option<f64>) -> String {
    or_undefined(figure.map(|figure| format!("{figure:.3}")))
}
