//! The figures of reading comprehension.

use anyhow::Context as _;
use domain::{
    comprehension::{
        AnswerTable, AnswerabilityDenominator, ConditionFigures, DoubleAgreement, ItemFigures,
        MeanScores, RankingStability, ReferenceConditions, StabilityOptions, StopWords,
        SupportTarget, SupportVariant, answerability_on, answerable_questions,
        collect_answer_evidence, correlate_with_accuracy, double_agreement, figures_by_condition,
        figures_by_passage, figures_by_question, orient_scores, predict_unanswerable,
        score_conditions, stability,
    },
    metrics::{ScoreDirection, TextMetric},
    statistics::{
        UndefinedReason, bootstrap::ResamplingOptions, correlation::Correlation,
        quality::Proportion, roc::RocCurve,
    },
};

use super::{ComprehensionArgs, ComprehensionInput, DenominatorChoice};
use crate::cli::input_file::{file_name, read_text, shown};

/// The figures, as they are printed.
pub(super) struct ComprehensionReport {
    pub(super) answers: AnswerTable,
    pub(super) conditions: Vec<ConditionFigures>,
    pub(super) agreement: DoubleAgreement,
    pub(super) chosen_answerability: Option<ChosenAnswerability>,
    pub(super) stability: Vec<Result<RankingStability, UndefinedReason>>,
    pub(super) items: Option<ItemBreakdown>,
    pub(super) support: Option<SupportPrediction>,
    pub(super) metrics: Option<MetricCorrelations>,
    pub(super) warnings: Vec<String>,
}

/// Answerability on the questions that chosen conditions make answerable.
pub(super) struct ChosenAnswerability {
    pub(super) conditions: Vec<String>,
    pub(super) denominator: AnswerabilityDenominator,
    pub(super) questions: usize,
    /// One for each condition.
    pub(super) shares: Vec<Proportion>,
}

/// The figures of each passage and of each question.
pub(super) struct ItemBreakdown {
    pub(super) passages: Vec<ItemFigures>,
    pub(super) questions: Vec<ItemFigures>,
}

/// Support as a predictor of *unanswerable*.
pub(super) struct SupportPrediction {
    /// The name of the list of stop words.
    pub(super) stop_words: String,
    /// Target, whether stop words are left out, and the curve; those of all words come first.
    pub(super) variants: Vec<(SupportTarget, bool, Result<RocCurve, UndefinedReason>)>,
}

/// The correlation of metrics and accuracy.
pub(super) struct MetricCorrelations {
    pub(super) against: ReferenceConditions,
    /// By name; scores of metrics where lower is better are negated.
    pub(super) correlations: Vec<(String, ScoreDirection, Result<Correlation, UndefinedReason>)>,
}

impl ComprehensionArgs {
    pub(super) fn report(&self, read: ComprehensionInput) -> anyhow::Result<ComprehensionReport> {
        let answers = &read.answers;
        let resampling = ResamplingOptions {
            replicates: self.bootstrap,
            seed: self.seed,
            ..ResamplingOptions::default()
        };
        let draws = StabilityOptions {
            count: self.bootstrap,
            seed: self.seed,
        };
        let conditions = figures_by_condition(answers, resampling);

        Ok(ComprehensionReport {
            agreement: double_agreement(answers),
            chosen_answerability: self.chosen_answerability(answers)?,
            stability: stability(answers, &self.stability, draws),
            items: self.items.then(|| ItemBreakdown {
                passages: figures_by_passage(answers),
                questions: figures_by_question(answers),
            }),
            support: self.support_prediction(&read)?,
            metrics: self.metric_correlations(&read, &conditions)?,
            conditions,
            answers: read.answers,
            warnings: read.warnings,
        })
    }

    fn chosen_answerability(
        &self,
        answers: &AnswerTable,
    ) -> anyhow::Result<Option<ChosenAnswerability>> {
        if self.answerable_in.is_empty() {
            return Ok(None);
        }

        let questions =
            answerable_questions(answers, &condition_numbers(answers, &self.answerable_in)?);
        let denominator = match self.denominator {
            DenominatorChoice::Chosen => AnswerabilityDenominator::Chosen,
            DenominatorChoice::Paper => AnswerabilityDenominator::Paper,
        };

        Ok(Some(ChosenAnswerability {
            conditions: self.answerable_in.clone(),
            denominator,
            questions: questions.len(),
            shares: answerability_on(answers, &questions, denominator),
        }))
    }

    fn support_prediction(
        &self,
        read: &ComprehensionInput,
    ) -> anyhow::Result<Option<SupportPrediction>> {
        if !self.support {
            return Ok(None);
        }

        let people = condition_numbers(&read.answers, &self.people)?;
        let stop_words = match &self.stop_words {
            None => StopWords::english(),
            Some(path) => {
                let text = read_text(path);
                let text = text.with_context(|| format!("{} cannot be read", shown(path)))?;
                StopWords::new(&file_name(path), text.lines())
            }
        };

        let evidence = collect_answer_evidence(&read.answers, &read.passages, &people);
        let variant = |(target, without): (SupportTarget, Option<&StopWords>)| {
            let curve = predict_unanswerable(&evidence, SupportVariant { target, without });
            (target, without.is_some(), curve)
        };
        let each = |without| SupportTarget::ALL.map(|target| (target, without));
        let variants = each(None).into_iter().chain(each(Some(&stop_words)));

        Ok(Some(SupportPrediction {
            variants: variants.map(variant).collect(),
            stop_words: stop_words.name().to_owned(),
        }))
    }

    fn metric_correlations(
        &self,
        read: &ComprehensionInput,
        conditions: &[ConditionFigures],
    ) -> anyhow::Result<Option<MetricCorrelations>> {
        let Some(original) = &self.original else {
            return Ok(None);
        };

        let named = [original.clone()];
        for names in [&named[..], &self.reference_conditions, &self.people] {
            condition_numbers(&read.answers, names)?;
        }
        let against = ReferenceConditions {
            original: original.clone(),
            references: self.reference_conditions.clone(),
        };

        let metric_scores = score_conditions(&read.passages, &against, &TextMetric::ALL);
        let of_texts = metric_scores
            .into_iter()
            .filter(|(metric, _)| {
                !metric.needs_references() || !self.reference_conditions.is_empty()
            })
            .map(|(metric, scores)| (metric.name().to_owned(), metric.direction(), scores));

        let correlation = |(name, direction, scores): (String, ScoreDirection, MeanScores)| {
            let mut scores = orient_scores(&scores, direction);
            scores.retain(|name, _| !self.people.contains(name));
            let correlation = correlate_with_accuracy(&read.answers, conditions, &scores);
            (name, direction, correlation)
        };

        let of_study = read.scores.iter().cloned();
        let of_study = of_study.map(|metric| (metric.name, metric.direction, metric.scores));
        let mut correlations: Vec<_> = of_study.chain(of_texts).map(correlation).collect();
        correlations.sort_by(|a, b| a.0.cmp(&b.0));

        Ok(Some(MetricCorrelations {
            against,
            correlations,
        }))
    }
}

/// The numbers of the conditions with these names.
fn condition_numbers(answers: &AnswerTable, names: &[String]) -> anyhow::Result<Vec<usize>> {
    let number = |name: &String| {
        answers.condition(name).with_context(|| {
            let condition_names = answers.conditions().join(", ");
            format!("“{name}” is not a condition here: use some of {condition_names}")
        })
    };
    names.iter().map(number).collect()
}
