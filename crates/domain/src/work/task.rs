//! The task that the browser gets.

use serde::{Deserialize, Serialize};

use crate::{
    category::Category,
    edit::{Edit, unsure::choose_unsure},
    ids::{AssignmentId, DiscussionId, OutputId, StudyId},
    protocol::StudyProtocol,
    questions::QuestionOptions,
    source_context::SourceContext,
    span::Span,
    span_marks::SpanMark,
    study::{AssignmentState, Dimension, Slug, SourcePurpose, WorkLayout},
    text::{moved_words::find_moved_words, tokenised_text::TokenisedText},
    work::{anchors::ScoreAnchors, change::StoredAnswer},
};

/// One source with its outputs, as one annotator sees it: systems are not named, and the outputs
/// come shuffled by the assignment's stored seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnnotationTask {
    /// The assignment.
    pub assignment: AssignmentId,
    /// Its state; only an open one accepts changes.
    pub state: AssignmentState,
    /// The study.
    pub study: StudyId,
    /// The study's short name.
    pub slug: Slug,
    /// The study's name.
    pub study_name: String,
    /// The purpose of the source.
    pub purpose: SourcePurpose,
    /// The number of this source among the annotator's sources of the same purpose, from
    /// 1.
    pub number: u32,
    /// The source's text; empty where the protocol hides it.
    pub source: String,
    /// The text around the source; empty where the protocol hides the source.
    #[serde(
        default,
        skip_serializing_if = "SourceContext::is_empty",
        serialize_with = "SourceContext::write_list",
        deserialize_with = "SourceContext::read_list"
    )]
    pub context: SourceContext,
    /// A reference, where the protocol shows one and the source has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The text with which the annotator begins to write; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub start: String,
    /// The steps in which the annotator judges the outputs.
    #[serde(default)]
    pub protocol: StudyProtocol,
    /// The dimensions on which outputs are rated; the first ranks.
    pub dimensions: Vec<Dimension>,
    /// How the annotator goes through the outputs.
    #[serde(default)]
    pub layout: WorkLayout,
    /// Whether the annotator may say that an output cannot be judged.
    #[serde(default)]
    pub accepts_unjudged: bool,
    /// The meaning of scores on the first dimension.
    #[serde(default)]
    pub anchors: ScoreAnchors,
    /// The outputs, one for each distinct text, in the order in which they are first shown.
    pub items: Vec<TaskItem>,
    /// The outputs of each comparison, where the protocol has comparisons: in the order in which annotators see them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comparisons: Vec<Vec<OutputId>>,
    /// The current answers.
    pub answers: Vec<StoredAnswer>,
    /// Milliseconds of activity stored so far.
    pub active_ms: u64,
    /// The lead's questions about outputs that the annotator is to look at again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<LeadQuestion>,
    /// Whether only the outputs of the questions can be changed.
    #[serde(default)]
    pub only_questions: bool,
    /// Whether the study is closed, so that nothing can be changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_study_closed: bool,
    /// Whether its raters have begun to agree on it, so that a submitted source stays as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_being_agreed: bool,
}

/// A lead's question about an output that was submitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeadQuestion {
    /// Its id.
    pub id: DiscussionId,
    /// The output.
    pub output: OutputId,
    /// The question.
    pub note: String,
}

impl AnnotationTask {
    /// Removes what no step shows, so that it never reaches the browser: the source where it is hidden, the automatic
    /// edits where no step needs them, the outputs where no step judges them, and the names of systems.
    pub fn take_out_hidden(&mut self) {
        if self.protocol.hides_source() {
            self.source.clear();
            self.context = SourceContext::default();
        }
        if !self.protocol.needs_edits() {
            self.items.iter_mut().for_each(|item| item.edits.clear());
        }
        if self.protocol.only_writes() {
            self.items.clear();
        }
        self.protocol.forget_systems();
    }

    /// Fills in which edits are in doubt and which words moved. Both follow from the texts and the automatic edits,
    /// so they are not stored. A protocol without edits has no marks.
    pub fn find_marks(&mut self) {
        if !self.protocol.shows_edits() {
            return;
        }

        let outputs: Vec<_> = self
            .items
            .iter()
            .map(|item| (item.text.as_str(), item.edits.as_slice()))
            .collect();
        let unsure = choose_unsure(&self.source, &outputs);

        let source = TokenisedText::new(&self.source);
        for (item, unsure) in self.items.iter_mut().zip(unsure) {
            item.unsure = unsure;
            item.moved = find_moved_words(&source, &TokenisedText::new(&item.text), &item.edits);
        }
    }
}

/// An output to rate. Outputs with the same text are one item: it is rated once, and the answers
/// count for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskItem {
    /// The output that represents all with this text.
    pub output: OutputId,
    /// The number of outputs with this text, at least 1.
    pub copies: u32,
    /// The text.
    pub text: String,
    /// The automatic category.
    pub category: Category,
    /// The reason for the category, in words.
    pub reason: String,
    /// The automatic edits.
    pub edits: Vec<Edit>,
    /// The edits in doubt, as indices into `edits`; see [`AnnotationTask::find_marks`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsure: Vec<usize>,
    /// The words of the text that the source has in a different place, without an edit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Span>,
    /// The expected answers, if the annotator may see them (tutorial; training once handed in).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedAnswer>,
}

/// The lead's expected answer to a tutorial, training or qualification item.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExpectedAnswer {
    /// The category.
    pub category: Option<Category>,
    /// The score on the first dimension.
    pub rating: Option<i32>,
    /// The tolerance for the score, in points.
    pub tolerance: i32,
    /// The explanation for the annotator.
    pub explanation: String,
    /// The expected answers to questions about the output. One output of a source also holds those to questions about
    /// the source.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<QuestionOptions>,
    /// The expected marks, without levels, or edits as marks of the
    /// [`edit_types`](crate::span_marks::edit_marks::edit_types); empty where nothing should be marked, `None` where any marks
    /// are fine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marks: Option<Vec<SpanMark>>,
}

impl ExpectedAnswer {
    /// The expected marks, where annotators make or check marks of their types.
    #[must_use]
    pub fn marks_by(&self, protocol: &StudyProtocol) -> Option<&[SpanMark]> {
        let marks = self.marks.as_deref()?;
        let types = protocol.marked_types()?;
        let are_known = marks
            .iter()
            .all(|mark| types.find_type(&mark.kind).is_some());
        are_known.then_some(marks)
    }

    /// The answer as it is asked of raters who rate the first dimension, or not.
    #[must_use]
    pub fn as_asked(self, rates_first: bool) -> Self {
        Self {
            rating: self.rating.filter(|_| rates_first),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit::unsure::MARKS_PER_UNSURE,
        text::{align::align, edits::derive_edits},
        work::test_tasks,
    };

    #[test]
    fn marks_follow_from_texts_and_edits_and_survive_the_way_to_the_browser() {
        let mut task = test_tasks::task(3);
        task.source = "In June the very old boats sank near the cold coast of Norway.".to_owned();
        let texts = [
            "The very old boats sank near the cold coast of Norway in June.",
            "Old ships went down. It was near Norway, where water is cold.",
            "In spring some extremely aged vessels were lost by a chilly northern shore.",
        ];
        let source = TokenisedText::new(&task.source);
        for (item, text) in task.items.iter_mut().zip(texts) {
            let output = TokenisedText::new(text);
            item.edits = derive_edits(&source, &output, &align(&source, &output));
            for edit in &mut item.edits {
                edit.confidence = Some(0.5);
            }
            item.text = text.to_owned();
        }
        task.find_marks();
        let moved = &task.items[0].moved;
        assert_eq!(moved.len(), 1);
        assert!(
            moved[0]
                .slice(texts[0])
                .is_some_and(|words| words.contains("June"))
        );
        let edits: usize = task.items.iter().map(|item| item.edits.len()).sum();
        let unsure: usize = task.items.iter().map(|item| item.unsure.len()).sum();
        assert!(unsure * MARKS_PER_UNSURE <= edits, "{unsure} of {edits}");
        let json = serde_json::to_string(&task).expect("JSON");
        assert_eq!(
            serde_json::from_str::<AnnotationTask>(&json).ok(),
            Some(task)
        );
    }
}
