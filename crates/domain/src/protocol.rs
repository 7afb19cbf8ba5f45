//! The protocol of a study: what its annotators do with a source, step by step.

use std::{borrow::Cow, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::{
    comparison::ComparisonChoice,
    names::names,
    purpose::OutputPurpose,
    questions::BadQuestions,
    span_marks::{
        edit_marks::edit_types,
        taxonomy::{BadTaxonomy, SpanTaxonomy},
    },
    writing::{BadWriting, WrittenUse},
};

pub use crate::{questions::AnswerStep, writing::WriteStep};

/// The place of a step in a protocol. Answers, active time and an annotator's progress name it.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum AnnotationStep {
    /// Put each output in a category.
    #[default]
    Categorise,
    /// Correct the highlighted edits, or mark spans.
    Highlight,
    /// Score each output, in order or without one, or compare outputs with each other.
    Rate,
    /// Answer questions about outputs and the source.
    Answer,
    /// Write a simplification of the source.
    Write,
}

names!(AnnotationStep, "step", UnknownAnnotationStep,
    Categorise => "categorise", Highlight => "highlight", Rate => "rate", Answer => "answer", Write => "write");

/// One step of a protocol, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProtocolStep {
    /// Put each output in a category.
    Categorise,
    /// Correct the automatic edits of each output.
    CheckEdits,
    /// Mark spans of the source and of each output, with a type and a level.
    MarkSpans(MarkSpansStep),
    /// Put the outputs of each category in order, and score each of them.
    RankAndRate,
    /// Score each output, without an order.
    Rate(RateStep),
    /// Compare outputs with each other, a few at a time.
    Compare(CompareStep),
    /// Answer questions about each output, or about the source.
    Answer(AnswerStep),
    /// Write a simplification of the source, or post-edit one.
    Write(WriteStep),
}

impl ProtocolStep {
    /// Its place in a protocol.
    #[must_use]
    pub const fn place(&self) -> AnnotationStep {
        match self {
            Self::Categorise => AnnotationStep::Categorise,
            Self::CheckEdits | Self::MarkSpans(_) => AnnotationStep::Highlight,
            Self::RankAndRate | Self::Rate(_) | Self::Compare(_) => AnnotationStep::Rate,
            Self::Answer(_) => AnnotationStep::Answer,
            Self::Write(_) => AnnotationStep::Write,
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        match self {
            Self::Categorise => "Categorise",
            Self::CheckEdits => "Check edits",
            Self::MarkSpans(_) => "Mark spans",
            Self::RankAndRate => "Rank & rate",
            Self::Rate(_) => "Rate",
            Self::Compare(_) => "Compare",
            Self::Answer(_) => "Answer",
            Self::Write(_) => "Write",
        }
    }
}

/// The settings of a step that marks spans.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct MarkSpansStep {
    /// The types and levels.
    pub taxonomy: SpanTaxonomy,
    /// Whether each output begins with the computer's marks: its automatic edits, as the types that take them.
    pub prefills: bool,
}

/// The settings of a step that scores outputs without ordering them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RateStep {
    /// How many outputs are on the screen.
    pub outputs: OutputsShown,
    /// Whether annotators do not see the source, as for judging fluency alone. Only a protocol without other steps
    /// can leave it out.
    pub hides_source: bool,
    /// Whether annotators see the first reference of the source.
    pub shows_reference: bool,
}

/// The settings of a step that compares outputs of a source with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct CompareStep {
    /// The number of outputs in a comparison. Of two, annotators choose the better one; of more, the best and the
    /// worst.
    pub together: u32,
    /// Whether annotators may say of two that neither is better.
    pub allows_ties: bool,
    /// The approximate number of comparisons of each output. They are drawn so that each output is in as many as any
    /// other, with as many different others as possible. `None`: all pairs.
    pub times: Option<u32>,
    /// Whether the pairs are chosen rather than drawn: those whose outcome is least certain after the comparisons of
    /// earlier sources. Only for comparisons of two outputs, and not of all pairs.
    pub is_adaptive: bool,
    /// Whether annotators do not see the source. Only a protocol without other steps can leave it out.
    pub hides_source: bool,
    /// Whether annotators see the first reference of the source.
    pub shows_reference: bool,
}

impl CompareStep {
    /// The numbers of outputs that a comparison may have.
    pub const TOGETHER: RangeInclusive<u32> = 2..=6;
    /// The numbers of comparisons in which an output may be.
    pub const TIMES: RangeInclusive<u32> = 1..=20;

    /// Whether a comparison is of two outputs.
    #[must_use]
    pub const fn is_of_pairs(&self) -> bool {
        self.together == 2
    }

    /// Whether annotators may make this choice.
    #[must_use]
    pub const fn allows<S>(&self, choice: &ComparisonChoice<S>) -> bool {
        match choice {
            ComparisonChoice::Tie => self.is_of_pairs() && self.allows_ties,
            ComparisonChoice::Better(_) => self.is_of_pairs(),
            ComparisonChoice::BestWorst { .. } => !self.is_of_pairs(),
        }
    }

    fn check(&self) -> Result<(), BadProtocol> {
        match self.times {
            _ if !Self::TOGETHER.contains(&self.together) => {
                Err(BadProtocol::Together(self.together))
            }
            None if !self.is_of_pairs() => Err(BadProtocol::NoTimes),
            Some(times) if !Self::TIMES.contains(&times) => Err(BadProtocol::Times(times)),
            times if self.is_adaptive && (times.is_none() || !self.is_of_pairs()) => {
                Err(BadProtocol::Adaptive)
            }
            _ => Ok(()),
        }
    }
}

impl Default for CompareStep {
    fn default() -> Self {
        Self {
            together: 2,
            allows_ties: true,
            times: None,
            is_adaptive: false,
            hides_source: false,
            shows_reference: false,
        }
    }
}

/// How many outputs are on the screen in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum OutputsShown {
    /// All outputs of the source.
    #[default]
    All,
    /// One at a time.
    One,
}

names!(OutputsShown, "number of outputs shown", UnknownOutputsShown, All => "all", One => "one");

/// How an annotator goes through the steps of Rank & Rate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum WorkLayout {
    /// Three steps, as the paper has them: each goes through all outputs.
    #[default]
    Steps,
    /// One page, on which category, edits and scores of an output are in one place.
    Merged,
}

names!(WorkLayout, "way of working", UnknownWorkLayout, Steps => "steps", Merged => "merged");

/// The steps of a study, in the order in which annotators take them; each place occurs at most once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct StudyProtocol(Vec<ProtocolStep>);

impl Default for StudyProtocol {
    /// Rank & Rate.
    fn default() -> Self {
        Self(vec![
            ProtocolStep::Categorise,
            ProtocolStep::CheckEdits,
            ProtocolStep::RankAndRate,
        ])
    }
}

/// The reason why steps do not make a protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadProtocol {
    /// No step judges outputs or has a text written.
    #[error(
        "annotators must judge outputs: choose “Rank & rate”, “Rate” or “Compare”, ask questions, or have a \
         simplification written"
    )]
    NoRating,
    /// A step is there twice, or after a later one.
    #[error(
        "“{0}” cannot come at this place: categories come first, then edits, then ratings, then questions, and \
         writing is the only step or the last one"
    )]
    Order(&'static str),
    /// A step needs the source, but the protocol hides it.
    #[error("the source can only be hidden where annotators do nothing but rate or compare")]
    HiddenSource,
    /// The types and levels of spans are not valid.
    #[error(transparent)]
    Taxonomy(#[from] BadTaxonomy),
    /// The questions are not valid.
    #[error(transparent)]
    Questions(#[from] BadQuestions),
    /// The settings for writing are not valid.
    #[error(transparent)]
    Writing(#[from] BadWriting),
    /// Outputs whose spans are marked are compared.
    #[error("outputs whose spans are marked are rated, not compared")]
    ComparedSpans,
    /// Comparisons are of too few or too many outputs.
    #[error("{0} outputs cannot be compared at a time: choose {low} to {high}", low = CompareStep::TOGETHER.start(), high = CompareStep::TOGETHER.end())]
    Together(u32),
    /// Each output is compared too rarely or too often.
    #[error("an output cannot be in {0} comparisons: choose {low} to {high}", low = CompareStep::TIMES.start(), high = CompareStep::TIMES.end())]
    Times(u32),
    /// All comparisons of more than two outputs would be far too many.
    #[error(
        "only of two outputs can all pairs be compared: say in how many comparisons an output is"
    )]
    NoTimes,
    /// There are no pairs to choose from: all are compared, or comparisons are of more than two outputs.
    #[error(
        "pairs can be chosen by what is uncertain where two outputs are compared at a time, and not all pairs are: say \
         in how many comparisons an output is"
    )]
    Adaptive,
}

impl StudyProtocol {
    /// A protocol of these steps.
    ///
    /// # Errors
    /// [`BadProtocol`] unless the steps are in order and valid, one of them judges outputs or has a text written, and
    /// none hides the source from another.
    pub fn new(steps: Vec<ProtocolStep>) -> Result<Self, BadProtocol> {
        let misplaced_pair = steps
            .windows(2)
            .find(|pair| pair[0].place() >= pair[1].place());
        if let Some(pair) = misplaced_pair {
            return Err(BadProtocol::Order(pair[1].title()));
        }

        let protocol = Self(steps);
        let judges = [
            AnnotationStep::Rate,
            AnnotationStep::Answer,
            AnnotationStep::Write,
        ];
        if judges.iter().all(|place| protocol.find(*place).is_none()) {
            return Err(BadProtocol::NoRating);
        }

        if protocol.hides_source() && protocol.0.len() > 1 {
            return Err(BadProtocol::HiddenSource);
        }

        if let Some(step) = protocol.compare_step() {
            step.check()?;
        }

        if let Some(step) = protocol.mark_spans_step() {
            step.taxonomy.check()?;
            if protocol.compares() {
                return Err(BadProtocol::ComparedSpans);
            }
        }

        if let Some(step) = protocol.answer_step() {
            step.check(protocol.categorises())?;
        }

        if let Some(step) = protocol.write_step() {
            step.check()?;
        }

        Ok(protocol)
    }

    /// The steps in their order.
    #[must_use]
    pub fn steps(&self) -> &[ProtocolStep] {
        &self.0
    }

    /// The step at a place; `None` if the protocol has none there.
    #[must_use]
    pub fn find(&self, place: AnnotationStep) -> Option<&ProtocolStep> {
        self.0.iter().find(|step| step.place() == place)
    }

    /// The first place.
    #[must_use]
    pub fn first(&self) -> AnnotationStep {
        self.0
            .first()
            .map_or(AnnotationStep::Rate, ProtocolStep::place)
    }

    /// The place after another one; `None` after the last.
    #[must_use]
    pub fn after(&self, place: AnnotationStep) -> Option<AnnotationStep> {
        self.0
            .iter()
            .map(ProtocolStep::place)
            .find(|next| *next > place)
    }

    /// Whether annotators do all steps in one place: those of Rank & Rate, with the layout for it.
    #[must_use]
    pub fn is_merged(&self, layout: WorkLayout) -> bool {
        layout == WorkLayout::Merged && *self == Self::default()
    }

    /// Whether outputs are put in order within their categories.
    #[must_use]
    pub fn ranks(&self) -> bool {
        self.0.contains(&ProtocolStep::RankAndRate)
    }

    /// Whether annotators decide the category of outputs.
    #[must_use]
    pub fn categorises(&self) -> bool {
        self.ranks() || self.0.contains(&ProtocolStep::Categorise)
    }

    /// Whether annotators see the automatic edits.
    #[must_use]
    pub fn shows_edits(&self) -> bool {
        self.ranks() || self.checks_edits()
    }

    /// Whether annotators correct the automatic edits.
    #[must_use]
    pub fn checks_edits(&self) -> bool {
        self.0.contains(&ProtocolStep::CheckEdits)
    }

    /// The settings of the step that marks spans, if there is one.
    #[must_use]
    pub fn mark_spans_step(&self) -> Option<&MarkSpansStep> {
        self.0.iter().find_map(|step| match step {
            ProtocolStep::MarkSpans(step) => Some(step),
            _ => None,
        })
    }

    /// The types of the marks that annotators make or check: those of the study, or the kinds of edits; `None` where they do
    /// neither.
    #[must_use]
    pub fn marked_types(&self) -> Option<Cow<'_, SpanTaxonomy>> {
        match self.mark_spans_step() {
            Some(step) => Some(Cow::Borrowed(&step.taxonomy)),
            None => self.shows_edits().then(|| Cow::Owned(edit_types())),
        }
    }

    /// Whether annotators begin with the automatic edits, so that a task holds them.
    #[must_use]
    pub fn needs_edits(&self) -> bool {
        self.shows_edits() || self.mark_spans_step().is_some_and(|step| step.prefills)
    }

    /// The settings of the step that rates without an order, if there is one.
    #[must_use]
    pub fn rate_step(&self) -> Option<&RateStep> {
        match self.find(AnnotationStep::Rate) {
            Some(ProtocolStep::Rate(step)) => Some(step),
            _ => None,
        }
    }

    /// The settings of the step that compares outputs, if there is one.
    #[must_use]
    pub fn compare_step(&self) -> Option<&CompareStep> {
        match self.find(AnnotationStep::Rate) {
            Some(ProtocolStep::Compare(step)) => Some(step),
            _ => None,
        }
    }

    /// The settings of the step that asks questions, if there is one.
    #[must_use]
    pub fn answer_step(&self) -> Option<&AnswerStep> {
        match self.find(AnnotationStep::Answer) {
            Some(ProtocolStep::Answer(step)) => Some(step),
            _ => None,
        }
    }

    /// The settings of the step that has a simplification written, if there is one.
    #[must_use]
    pub fn write_step(&self) -> Option<&WriteStep> {
        match self.0.last() {
            Some(ProtocolStep::Write(step)) => Some(step),
            _ => None,
        }
    }

    /// Whether annotators do nothing but write, so that a source needs no outputs.
    #[must_use]
    pub fn only_writes(&self) -> bool {
        self.first() == AnnotationStep::Write
    }

    /// Removes the names of systems and the use of written texts, which annotators must not see.
    pub fn forget_systems(&mut self) {
        if let Some(ProtocolStep::Write(step)) = self.0.last_mut() {
            step.start_system.clear();
            step.system.clear();
            step.becomes = WrittenUse::default();
        }
    }

    /// Whether outputs are scored.
    #[must_use]
    pub fn scores(&self) -> bool {
        self.ranks() || self.rate_step().is_some()
    }

    /// Whether outputs are compared with each other.
    #[must_use]
    pub fn compares(&self) -> bool {
        self.compare_step().is_some()
    }

    /// Whether annotators judge outputs of that purpose: quality-control items only where answers about them can show
    /// inattention.
    #[must_use]
    pub fn judges(&self, purpose: OutputPurpose) -> bool {
        let marks = self.mark_spans_step().is_some();

        match purpose {
            OutputPurpose::Main => true,
            OutputPurpose::Copy => self.scores() || marks,
            OutputPurpose::Scrambled | OutputPurpose::Repeated => {
                self.scores() || marks || self.compares()
            }
        }
    }

    /// Whether annotators do not see the source.
    #[must_use]
    pub fn hides_source(&self) -> bool {
        match self.find(AnnotationStep::Rate) {
            Some(ProtocolStep::Rate(step)) => step.hides_source,
            Some(ProtocolStep::Compare(step)) => step.hides_source,
            _ => false,
        }
    }

    /// Whether annotators see the first reference of the source.
    #[must_use]
    pub fn shows_reference(&self) -> bool {
        match self.find(AnnotationStep::Rate) {
            Some(ProtocolStep::Rate(step)) => step.shows_reference,
            Some(ProtocolStep::Compare(step)) => step.shows_reference,
            _ => false,
        }
    }

    /// The names of its steps: `Categorise, check edits, rank & rate`.
    #[must_use]
    pub fn describe(&self) -> String {
        let names: Vec<_> = self.0.iter().map(ProtocolStep::title).collect();
        let text = names.join(", ");
        let (first, rest) = text.split_at(1.min(text.len()));
        first.to_owned() + &rest.to_lowercase()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(hides_source: bool) -> ProtocolStep {
        ProtocolStep::Rate(RateStep {
            hides_source,
            ..RateStep::default()
        })
    }

    fn compare(together: u32, times: Option<u32>) -> ProtocolStep {
        ProtocolStep::Compare(CompareStep {
            together,
            times,
            ..CompareStep::default()
        })
    }

    fn write() -> ProtocolStep {
        ProtocolStep::Write(WriteStep::default())
    }

    #[test]
    fn steps_make_a_protocol_in_their_order_only() {
        use ProtocolStep::{Categorise, CheckEdits, RankAndRate};
        for (steps, expect) in [
            (
                vec![Categorise, CheckEdits, RankAndRate],
                Ok("Categorise, check edits, rank & rate"),
            ),
            (vec![rate(true)], Ok("Rate")),
            (vec![CheckEdits, rate(false)], Ok("Check edits, rate")),
            (vec![], Err(BadProtocol::NoRating)),
            (vec![Categorise], Err(BadProtocol::NoRating)),
            (
                vec![CheckEdits, Categorise, RankAndRate],
                Err(BadProtocol::Order("Categorise")),
            ),
            (
                vec![RankAndRate, rate(false)],
                Err(BadProtocol::Order("Rate")),
            ),
            (vec![Categorise, rate(true)], Err(BadProtocol::HiddenSource)),
            (vec![compare(2, None)], Ok("Compare")),
            (
                vec![CheckEdits, compare(4, Some(4))],
                Ok("Check edits, compare"),
            ),
            (vec![write()], Ok("Write")),
            (vec![Categorise, write()], Ok("Categorise, write")),
            (vec![rate(false), write()], Ok("Rate, write")),
            (vec![write(), rate(false)], Err(BadProtocol::Order("Rate"))),
            (vec![rate(true), write()], Err(BadProtocol::HiddenSource)),
            (vec![compare(4, None)], Err(BadProtocol::NoTimes)),
            (vec![compare(7, Some(1))], Err(BadProtocol::Together(7))),
            (vec![compare(2, Some(0))], Err(BadProtocol::Times(0))),
        ] {
            let described = StudyProtocol::new(steps.clone()).map(|protocol| protocol.describe());
            assert_eq!(described, expect.map(str::to_owned), "{steps:?}");
        }
    }

    #[test]
    fn a_protocol_is_stored_as_the_list_of_its_steps() {
        let text = r#"["categorise",{"rate":{"outputs":"one","hides_source":false,"shows_reference":true}}]"#;
        let protocol: StudyProtocol = serde_json::from_str(text).expect("a protocol");
        assert_eq!(serde_json::to_string(&protocol).expect("text"), text);
        assert_eq!(protocol.first(), AnnotationStep::Categorise);
        assert_eq!(
            protocol.after(AnnotationStep::Categorise),
            Some(AnnotationStep::Rate)
        );
        assert_eq!(protocol.after(AnnotationStep::Rate), None);
        assert!(!protocol.ranks() && protocol.categorises() && !protocol.shows_edits());
    }
}
