//! Templates for a new study: a protocol with its dimensions, guidelines for annotators, and a tutorial.

mod questions;
mod taxonomies;
mod tutorial;

use domain::{
    names,
    protocol::{CompareStep, MarkSpansStep, ProtocolStep, RateStep, StudyProtocol, WriteStep},
    score::RatingScale,
    score_input::{ScoreInput, SliderInput},
    study::{Dimension, StudySettings},
};

pub use tutorial::{SAMPLE_SOURCE, SampleStudy, add_tutorial, sample_task};

/// A protocol of the field that a study can begin with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StudyTemplate {
    /// Categories, edits, and a score from 0 to 100 in the order of each category.
    #[default]
    RankAndRate,
    /// Adequacy, fluency and simplicity, each from 0 to 100.
    DirectAssessment,
    /// Adequacy, fluency and simplicity, each on five levels.
    Likert,
    /// The better one of every two outputs, or neither.
    Pairwise,
    /// The best and the worst of four outputs at a time.
    BestWorst,
    /// Each transformation, with whether it is correct, then meaning and simplicity (paper 004).
    ExpertEvaluation,
    /// Each edit, with how much it helps, then a score.
    EditQuality,
    /// Errors, minor and major, then a score.
    SpanErrors,
    /// Questions about the source and each output, without scores.
    Questions,
    /// A simplification of each source, written by annotators.
    Writing,
}

names!(StudyTemplate, "template", UnknownStudyTemplate,
    RankAndRate => "rank-and-rate", DirectAssessment => "direct-assessment", Likert => "likert",
    Pairwise => "pairwise", BestWorst => "best-worst", ExpertEvaluation => "expert-evaluation",
    EditQuality => "edit-quality", SpanErrors => "span-errors", Questions => "questions",
    Writing => "writing");

/// The system whose outputs written texts can become.
pub const WRITERS: &str = "Written by annotators";

const ADEQUACY: [&str; 5] = [
    "It says something else",
    "Much is lost or wrong",
    "Some is lost or wrong",
    "Almost all is there",
    "All is there",
];

const FLUENCY: [&str; 5] = [
    "Not readable",
    "Many mistakes",
    "Some mistakes",
    "Small slips",
    "No mistake",
];

const SIMPLICITY: [&str; 5] = [
    "Much harder",
    "A little harder",
    "The same",
    "A little simpler",
    "Much simpler",
];

const MEANING: [&str; 5] = [
    "It makes no sense",
    "It means something else",
    "Same meaning, but something essential is missing",
    "Small differences that do not matter",
    "Fully the same, but for details",
];

const EASE: [&str; 5] = [
    "The source is much easier",
    "The source is a little easier",
    "Both are equally easy",
    "The output is a little easier",
    "The output is much easier",
];

impl StudyTemplate {
    /// The name of the template on pages.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::RankAndRate => "Rank & Rate",
            Self::DirectAssessment => "Direct assessment",
            Self::Likert => "Likert scales",
            Self::Pairwise => "Pairwise comparison",
            Self::BestWorst => "Best and worst",
            Self::ExpertEvaluation => "Expert evaluation",
            Self::EditQuality => "Quality of edits",
            Self::SpanErrors => "Errors in spans",
            Self::Questions => "Questions about outputs",
            Self::Writing => "Writing simplifications",
        }
    }

    /// A sentence on the work of annotators.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::RankAndRate => {
                "Annotators sort outputs into categories, check the marked edits, put each category in order, and \
                 score all outputs from 0 to 100."
            }
            Self::DirectAssessment => {
                "Annotators score adequacy, fluency and simplicity of each output with sliders from 0 to 100."
            }
            Self::Likert => {
                "Annotators choose one of five answers on adequacy, fluency and simplicity of each output."
            }
            Self::Pairwise => {
                "Annotators see two outputs at a time and say which one is better, or that neither is. Systems get \
                 scores from who beats whom."
            }
            Self::BestWorst => {
                "Annotators see four outputs at a time and choose the best and the worst. It takes fewer choices than \
                 comparing all pairs."
            }
            Self::ExpertEvaluation => {
                "Experts check what was changed, judge each change by rules of plain language, and score meaning and \
                 simplicity."
            }
            Self::EditQuality => {
                "Annotators check each edit, say how much it helps or harms, and score all outputs from 0 to 100."
            }
            Self::SpanErrors => {
                "Annotators mark the words that are wrong, say how bad it is, and score all outputs from 0 to 100."
            }
            Self::Questions => {
                "Annotators answer questions about each output: what is missing, what was added, what is hard to read. \
                 Some questions come up only after certain answers."
            }
            Self::Writing => {
                "Annotators write a simplification of each source, and see its length, grade level and rarity of words as \
                 they type. The texts become references or outputs of a human system."
            }
        }
    }

    /// The settings of a study that begins with the template.
    #[must_use]
    pub fn settings(self) -> StudySettings {
        let rate = || ProtocolStep::Rate(RateStep::default());
        let spans = |taxonomy, prefills| {
            let step = MarkSpansStep { taxonomy, prefills };
            vec![ProtocolStep::MarkSpans(step), rate()]
        };

        let steps = match self {
            Self::RankAndRate => return StudySettings::default(),
            Self::DirectAssessment | Self::Likert => vec![rate()],
            Self::Pairwise => vec![ProtocolStep::Compare(CompareStep::default())],
            Self::BestWorst => vec![ProtocolStep::Compare(CompareStep {
                together: 4,
                times: Some(4),
                ..CompareStep::default()
            })],
            Self::ExpertEvaluation => spans(taxonomies::transformations(), true),
            Self::EditQuality => spans(taxonomies::edit_quality(), true),
            Self::SpanErrors => spans(taxonomies::errors(), false),
            Self::Questions => vec![ProtocolStep::Answer(questions::about_outputs())],
            Self::Writing => vec![ProtocolStep::Write(WriteStep {
                system: WRITERS.to_owned(),
                ..WriteStep::default()
            })],
        };

        StudySettings {
            protocol: StudyProtocol::new(steps).expect("the steps are a protocol"),
            dimensions: self.dimensions(),
            // Two experts judge each source, and agree on it. One written text for each source is enough to begin with.
            overlap: match self {
                Self::ExpertEvaluation => 2,
                Self::Writing => 1,
                _ => StudySettings::default().overlap,
            },
            annotators_agree: self == Self::ExpertEvaluation,
            ..StudySettings::default()
        }
    }

    fn dimensions(self) -> Vec<Dimension> {
        let slider = |name: &str, low: &str, high: &str| Dimension {
            input: ScoreInput::Slider(SliderInput {
                low: low.to_owned(),
                high: high.to_owned(),
                ..SliderInput::default()
            }),
            ..Dimension::new(name, RatingScale::PERCENT)
        };

        let levels = |name: &str, scale: RatingScale, labels: [&str; 5]| Dimension {
            input: ScoreInput::Levels(labels.map(str::to_owned).to_vec()),
            ..Dimension::new(name, scale)
        };

        const FIVE: RatingScale = RatingScale { low: 1, high: 5 };

        match self {
            Self::RankAndRate
            | Self::Pairwise
            | Self::BestWorst
            | Self::EditQuality
            | Self::SpanErrors
            | Self::Questions
            | Self::Writing => vec![Dimension::default()],
            Self::ExpertEvaluation => vec![
                levels("meaning", FIVE, MEANING),
                levels("simplicity", FIVE, EASE),
            ],
            Self::DirectAssessment => vec![
                slider("adequacy", "says something else", "all is there"),
                slider("fluency", "not readable", "no mistake"),
                slider("simplicity", "much harder", "much easier"),
            ],
            Self::Likert => vec![
                levels("adequacy", FIVE, ADEQUACY),
                levels("fluency", FIVE, FLUENCY),
                levels("simplicity", RatingScale::LIKERT, SIMPLICITY),
            ],
        }
    }

    /// The guidelines for annotators, as Markdown.
    #[must_use]
    pub const fn guidelines(self) -> &'static str {
        match self {
            Self::RankAndRate => include_str!("rank_and_rate.md"),
            Self::DirectAssessment => include_str!("direct_assessment.md"),
            Self::Likert => include_str!("likert.md"),
            Self::Pairwise => include_str!("pairwise.md"),
            Self::BestWorst => include_str!("best_worst.md"),
            Self::ExpertEvaluation => include_str!("expert_evaluation.md"),
            Self::EditQuality => include_str!("edit_quality.md"),
            Self::SpanErrors => include_str!("span_errors.md"),
            Self::Questions => include_str!("questions.md"),
            Self::Writing => include_str!("writing.md"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_template_is_a_study_that_annotators_can_work_on() {
        for template in StudyTemplate::ALL {
            let settings = template.settings();
            assert!(StudyProtocol::new(settings.protocol.steps().to_vec()).is_ok());

            for dimension in &settings.dimensions {
                assert_eq!(
                    dimension.input.check(dimension.scale),
                    Ok(()),
                    "{dimension:?}"
                );

                let named = template
                    .guidelines()
                    .to_lowercase()
                    .contains(&dimension.name);
                assert!(
                    named || settings.dimensions.len() == 1,
                    "{template}: {dimension:?}"
                );
            }
        }
    }
}
