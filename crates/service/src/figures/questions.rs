//! Figures from answers to questions: the agreement of raters, and the share of each option for each system.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use domain::{
    ids::{OutputId, SourceId},
    protocol::AnswerStep,
    questions::{AskedQuestion, QuestionKind},
    statistics::{
        Agreement, RatingTable, UndefinedReason,
        agreement::{AlphaBootstrap, MeasurementLevel, agreement},
        bootstrap::{BootstrapInterval, ResamplingOptions},
    },
};
use store::{
    Store, Study,
    question_answers::{AnswerRecord, StudyAnswers},
    rating_rows::RatingScope,
};

use super::comparisons::{SystemsByOutput, systems_by_output};
use crate::{
    computation::{FigureError, compute},
    live::ScopedEventCache,
};

/// The figures of a question with options. Only answers that the question still offers count.
#[derive(Debug, Clone)]
pub struct QuestionFigures {
    /// The question.
    pub question: AskedQuestion,
    /// The number of answers.
    pub answers: usize,
    /// The agreement of raters: one entry if one option is chosen, or one for each option if several can be.
    pub agreement: Vec<OptionAgreement>,
    /// The share of each option, by system; empty for a question about the source.
    pub systems: Vec<OptionShares>,
}

/// The agreement of raters on the options of a question.
#[derive(Debug, Clone)]
pub struct OptionAgreement {
    /// The label of the option; `None` if raters choose one of all options.
    pub option: Option<String>,
    /// Krippendorff's α at the nominal level; a unit is an output, or a source.
    pub agreement: Agreement,
    /// The percentile interval of α over sources.
    pub interval: Result<BootstrapInterval, UndefinedReason>,
}

/// The shares of a question's options among the answers about a system's outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct OptionShares {
    /// The system.
    pub system: String,
    /// The number of answers.
    pub answers: usize,
    /// The share of answers with each option, in the order of the question.
    pub shares: Vec<f64>,
}

/// The unit of agreement: an output, or a source.
type AnswerUnit = (SourceId, Option<OutputId>);

/// An answer as the indices of its options.
struct ChosenOptions<'a> {
    rater: &'a str,
    unit: AnswerUnit,
    options: BTreeSet<usize>,
}

/// Computes the figures of each question with options that has answers. Outputs that only hidden systems wrote are left
/// out.
#[must_use]
pub fn question_figures(
    step: &AnswerStep,
    of: &StudyAnswers,
    resampling: ResamplingOptions,
) -> Vec<QuestionFigures> {
    let mut outputs = of.outputs.clone();
    outputs.retain(|output| !output.is_hidden);
    let systems = systems_by_output(&outputs);

    let is_shown = |record: &&AnswerRecord| {
        record
            .output
            .is_none_or(|output| systems.contains_key(&output))
    };

    let with_options = step
        .questions
        .iter()
        .filter(|question| !question.options().is_empty());

    let figures = |question: &AskedQuestion| {
        let records = of.answers.iter().filter(is_shown);
        let chosen: Vec<_> = records
            .filter(|record| record.question == question.key)
            .filter_map(|record| choose(question, record))
            .collect();
        (!chosen.is_empty()).then(|| QuestionFigures {
            agreement: agreements(question, &chosen, resampling),
            systems: shares(question, &chosen, &systems),
            answers: chosen.len(),
            question: question.clone(),
        })
    };

    with_options.filter_map(figures).collect()
}

/// The options of an answer; `None` if the question offers none of them.
fn choose<'a>(question: &AskedQuestion, record: &'a AnswerRecord) -> Option<ChosenOptions<'a>> {
    let chosen: Vec<_> = question.chosen(Some(&record.answer)).collect();
    let options = question.options().iter().enumerate();
    let options: BTreeSet<_> = options
        .filter(|(_, option)| chosen.contains(option))
        .map(|(at, _)| at)
        .collect();

    (!options.is_empty()).then_some(ChosenOptions {
        rater: &record.rater,
        unit: (record.source, record.output),
        options,
    })
}

fn agreements(
    question: &AskedQuestion,
    chosen: &[ChosenOptions<'_>],
    resampling: ResamplingOptions,
) -> Vec<OptionAgreement> {
    let compute = |option: Option<String>, value: &dyn Fn(&BTreeSet<usize>) -> usize| {
        #[expect(clippy::cast_precision_loss, reason = "a question has few options")]
        let ratings = chosen
            .iter()
            .map(|own| (own.rater, own.unit, value(&own.options) as f64));
        let table = RatingTable::new(ratings).expect("a rater has one answer to a question");
        let by_source = |unit: &AnswerUnit| unit.0;
        OptionAgreement {
            option,
            agreement: agreement(&table, MeasurementLevel::Nominal),
            interval: AlphaBootstrap::new(&table, MeasurementLevel::Nominal, by_source)
                .interval(resampling),
        }
    };

    match question.kind {
        QuestionKind::Several(_) => question
            .options()
            .iter()
            .enumerate()
            .map(|(at, option)| {
                let is_chosen = |options: &BTreeSet<usize>| usize::from(options.contains(&at));
                compute(Some(option.label.clone()), &is_chosen)
            })
            .collect(),
        _ => vec![compute(None, &|options| {
            options.first().copied().unwrap_or_default()
        })],
    }
}

/// The shares of options by system. An answer about an output counts for each system that wrote it.
fn shares(
    question: &AskedQuestion,
    chosen: &[ChosenOptions<'_>],
    systems: &SystemsByOutput<'_>,
) -> Vec<OptionShares> {
    let options = question.options().len();
    let mut counts = BTreeMap::<&str, (usize, Vec<usize>)>::new();
    for own in chosen {
        let names = own.unit.1.and_then(|output| systems.get(&output));
        for name in names.into_iter().flatten().copied() {
            let (answers, by_option) = counts.entry(name).or_insert_with(|| (0, vec![0; options]));
            *answers += 1;
            own.options.iter().for_each(|at| by_option[*at] += 1);
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few answers")]
    let share = |count: usize, answers: usize| count as f64 / answers as f64;

    let shares = |(system, (answers, counts)): (&str, (usize, Vec<usize>))| OptionShares {
        system: system.to_owned(),
        answers,
        shares: counts
            .into_iter()
            .map(|count| share(count, answers))
            .collect(),
    };

    counts.into_iter().map(shares).collect()
}

/// The figures of studies' questions. Cloning is cheap: all clones share them.
#[derive(Clone, Default)]
pub struct QuestionFigureCache(ScopedEventCache<CachedQuestions>);

/// The answers and questions of a study, with the figures.
struct CachedQuestions {
    of: StudyAnswers,
    step: AnswerStep,
    figures: Arc<Vec<QuestionFigures>>,
}

impl fmt::Debug for QuestionFigureCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuestionFigureCache")
            .finish_non_exhaustive()
    }
}

impl QuestionFigureCache {
    /// The figures of the study's questions as of its newest event; empty if its protocol asks no questions. After an
    /// event the answers are read again; the figures are computed again only if answers changed.
    ///
    /// # Errors
    /// When the database fails, or computing panics.
    pub async fn get(
        &self,
        store: &Store,
        study: &Study,
        scope: RatingScope,
    ) -> Result<Arc<Vec<QuestionFigures>>, FigureError> {
        let Some(step) = study.settings.protocol.answer_step() else {
            return Ok(Arc::default());
        };

        let load = async |last: Option<(i64, Arc<CachedQuestions>)>| {
            let of = store.study_answers(study.id, scope).await?;
            let step = step.clone();
            if let Some((_, last)) = last
                && last.of == of
                && last.step == step
            {
                let figures = last.figures.clone();
                return Ok(CachedQuestions { of, step, figures });
            }
            let figures = move || {
                let figures = question_figures(&step, &of, ResamplingOptions::default());
                let figures = Arc::new(figures);
                CachedQuestions { of, step, figures }
            };
            compute(figures).await
        };

        let cached = self.0.get(store, study.id, scope, load).await?;
        Ok(cached.figures.clone())
    }
}

#[cfg(test)]
mod tests {
    use domain::questions::{AnswerOption, QuestionAbout, QuestionAnswer};
    use store::comparisons::ComparedOutput;
    use uuid::Uuid;

    use super::*;

    fn output(number: u128) -> OutputId {
        OutputId(Uuid::from_u128(number))
    }

    fn step() -> AnswerStep {
        let option = |key: &str| AnswerOption {
            key: key.to_owned(),
            label: key.to_uppercase(),
        };
        let asked = |key: &str, kind| AskedQuestion {
            key: key.to_owned(),
            text: format!("{key}?"),
            hint: String::new(),
            about: QuestionAbout::Output,
            kind,
            required: true,
            condition: None,
        };

        AnswerStep {
            questions: vec![
                asked(
                    "missing",
                    QuestionKind::One(vec![option("yes"), option("no")]),
                ),
                asked(
                    "kinds",
                    QuestionKind::Several(vec![option("a"), option("b")]),
                ),
                asked("why", QuestionKind::Text(10)),
            ],
        }
    }

    fn record(rater: &str, of: u128, question: &str, answer: QuestionAnswer) -> AnswerRecord {
        AnswerRecord {
            rater: rater.to_owned(),
            source: SourceId(Uuid::from_u128(of / 10)),
            source_key: (of / 10).to_string(),
            output: Some(output(of)),
            question: question.to_owned(),
            answer,
            recorded_at: 0,
        }
    }

    #[test]
    fn options_count_by_system_and_for_agreement() {
        let one = |key: &str| QuestionAnswer::One(key.to_owned());
        let several = |keys: &[&str]| {
            QuestionAnswer::Several(keys.iter().map(|key| (*key).to_owned()).collect())
        };

        // Krippendorff's α of the nominal values 0 0, 1 1, 0 1 is 1 − (2/6) / (18/30) = 4/9.
        let answers = vec![
            record("a", 10, "missing", one("yes")),
            record("b", 10, "missing", one("yes")),
            record("a", 20, "missing", one("no")),
            record("b", 20, "missing", one("no")),
            record("a", 30, "missing", one("yes")),
            record("b", 30, "missing", one("no")),
            // An option that no longer exists, and an output of a hidden system.
            record("c", 30, "missing", one("perhaps")),
            record("a", 40, "missing", one("yes")),
            record("a", 10, "kinds", several(&["a", "gone"])),
            record("b", 10, "kinds", several(&["a", "b"])),
            record("a", 10, "why", QuestionAnswer::Text("so".to_owned())),
        ];

        let written = |judged_as: u128, system: &str, is_hidden| ComparedOutput {
            output: output(judged_as),
            judged_as: output(judged_as),
            system: system.to_owned(),
            is_hidden,
        };

        let outputs = vec![
            written(10, "BART", false),
            written(10, "copy", false),
            written(20, "BART", false),
            written(30, "T5", false),
            written(40, "old", true),
        ];
        let of = StudyAnswers { answers, outputs };

        let figures = question_figures(&step(), &of, ResamplingOptions::default());
        assert_eq!(figures.len(), 2);

        let missing = &figures[0];
        assert_eq!((missing.answers, missing.agreement.len()), (6, 1));
        let alpha = missing.agreement[0].agreement.alpha.expect("a value");
        assert!((alpha - 4.0 / 9.0).abs() < 1e-12, "{alpha}");
        assert!(missing.agreement[0].interval.is_ok());

        let shares: Vec<_> = missing
            .systems
            .iter()
            .map(|of| (of.system.as_str(), of.answers, of.shares.clone()))
            .collect();
        let expected = [
            ("BART", 4, vec![0.5, 0.5]),
            ("T5", 2, vec![0.5, 0.5]),
            ("copy", 2, vec![1.0, 0.0]),
        ];
        assert_eq!(shares, expected);

        let kinds = &figures[1];
        assert_eq!(kinds.agreement[1].option.as_deref(), Some("B"));
        assert_eq!(kinds.systems[0].shares, [1.0, 0.5]);
    }
}
