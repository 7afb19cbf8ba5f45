//! The questions that an annotator answers.

use crate::{
    ids::OutputId,
    protocol::AnswerStep,
    questions::{AskedQuestion, QuestionAnswer, QuestionSubject},
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        draft::AnnotationDraft,
    },
};

impl AnnotationDraft {
    /// The settings of the step that asks questions, if the protocol has one.
    #[must_use]
    pub fn answer_step(&self) -> Option<&AnswerStep> {
        self.protocol().answer_step()
    }

    /// The question of a key.
    #[must_use]
    pub fn find_question(&self, key: &str) -> Option<&AskedQuestion> {
        self.answer_step()?.find(key)
    }

    /// The answer to a question about an output, or about the source.
    #[must_use]
    pub fn question_answer(&self, output: Option<OutputId>, key: &str) -> Option<QuestionAnswer> {
        let key = key.to_owned();
        match self.answer(&AnnotationSlot::Question { output, key }) {
            AnnotationAnswer::Question(answer) => answer,
            _ => None,
        }
    }

    /// The questions about an output, or about the source, that are shown given the current answers.
    #[must_use]
    pub fn shown_questions(&self, output: Option<OutputId>) -> Vec<&AskedQuestion> {
        let Some(step) = self.answer_step() else {
            return vec![];
        };
        let subject = match output {
            Some(output) => QuestionSubject::Output(output, self.placement(output).category),
            None => QuestionSubject::Source,
        };
        step.shown(subject, |output, key| self.question_answer(output, key))
    }

    /// The questions about an output, or about the source, that the annotator still has to answer.
    #[must_use]
    pub fn open_questions(&self, output: Option<OutputId>) -> Vec<&AskedQuestion> {
        let is_settled = match output {
            Some(output) => self.unjudged(output).is_some() || !self.may_change(output),
            None => self.task().only_questions,
        };
        if is_settled {
            return vec![];
        }
        let mut open = self.shown_questions(output);
        open.retain(|question| {
            let answer = self.question_answer(output, &question.key);
            question.required && !question.is_answered_by(answer.as_ref())
        });
        open
    }

    /// The source, and each output, with a question that the annotator still has to answer.
    #[must_use]
    pub fn list_unanswered(&self) -> Vec<Option<OutputId>> {
        if self.answer_step().is_none() {
            return vec![];
        }
        let outputs = self.task().items.iter().map(|item| Some(item.output));
        std::iter::once(None)
            .chain(outputs)
            .filter(|subject| !self.open_questions(*subject).is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        category::Category,
        protocol::{AnnotationStep, ProtocolStep, StudyProtocol},
        questions::{
            AnswerOption, QuestionAbout, QuestionCondition, QuestionKind, QuestionOptions,
        },
        work::{
            history::UndoGrouping,
            missing::{MissingItem, count_left_to_judge, list_missing},
            test_tasks::{counter, output, task},
        },
    };

    fn option(key: &str, label: &str) -> AnswerOption {
        AnswerOption {
            key: key.to_owned(),
            label: label.to_owned(),
        }
    }

    fn asked(key: &str, about: QuestionAbout, kind: QuestionKind) -> AskedQuestion {
        AskedQuestion {
            key: key.to_owned(),
            text: format!("Question {key}?"),
            hint: String::new(),
            about,
            kind,
            required: true,
            condition: None,
        }
    }

    /// Questions after categories: “missing” with “what” only for yes, and one about the source.
    fn draft() -> AnnotationDraft {
        let yes_no = QuestionKind::One(vec![option("yes", "Yes"), option("no", "No")]);
        let mut what = asked("what", QuestionAbout::Output, QuestionKind::Text(100));
        what.condition = Some(QuestionCondition::Answered(QuestionOptions {
            question: "missing".to_owned(),
            options: vec!["yes".to_owned()],
        }));
        let mut split = asked("split", QuestionAbout::Output, yes_no.clone());
        split.condition = Some(QuestionCondition::Category(vec![Category::Split]));
        split.required = false;
        let step = AnswerStep {
            questions: vec![
                asked("hard", QuestionAbout::Source, yes_no.clone()),
                asked("missing", QuestionAbout::Output, yes_no),
                what,
                split,
            ],
        };
        let mut task = task(2);
        task.protocol =
            StudyProtocol::new(vec![ProtocolStep::Categorise, ProtocolStep::Answer(step)])
                .expect("a protocol");
        AnnotationDraft::new(task)
    }

    fn answer(
        output: Option<OutputId>,
        key: &str,
        answer: Option<QuestionAnswer>,
    ) -> (AnnotationSlot, AnnotationAnswer) {
        let key = key.to_owned();
        (
            AnnotationSlot::Question { output, key },
            AnnotationAnswer::Question(answer),
        )
    }

    fn one(key: &str) -> Option<QuestionAnswer> {
        Some(QuestionAnswer::One(key.to_owned()))
    }

    fn sentences(draft: &AnnotationDraft) -> Vec<String> {
        let missing = list_missing(draft);
        missing.iter().map(MissingItem::sentence).collect()
    }

    #[test]
    fn a_question_is_missing_only_where_it_is_shown() {
        let (mut draft, mut new_id) = (draft(), counter(0));
        assert_eq!(
            sentences(&draft),
            [
                "The source has no answer to “Question hard?”",
                "Output 1 has no answer to “Question missing?”",
                "Output 2 has no answer to “Question missing?”",
            ]
        );
        assert_eq!(count_left_to_judge(&draft), 3);
        let answers = [
            answer(None, "hard", one("no")),
            answer(Some(output(1)), "missing", one("yes")),
            answer(Some(output(2)), "missing", one("no")),
        ];
        draft.apply_action(answers, UndoGrouping::Separate, &mut new_id);
        assert_eq!(
            sentences(&draft),
            ["Output 1 has no answer to “Question what?”"]
        );
        let item = &list_missing(&draft)[0];
        assert_eq!(
            (item.step, item.output),
            (AnnotationStep::Answer, Some(output(1)))
        );
        let words = Some(QuestionAnswer::Text("A name.".to_owned()));
        draft.apply_action(
            [answer(Some(output(1)), "what", words)],
            UndoGrouping::Separate,
            &mut new_id,
        );
        assert_eq!(
            (sentences(&draft).len(), count_left_to_judge(&draft)),
            (0, 0)
        );
        let undone = draft.undo(&mut new_id).expect("an action");
        assert_eq!(
            (undone.step, undone.output),
            (AnnotationStep::Answer, Some(output(1)))
        );
        assert_eq!(count_left_to_judge(&draft), 1);
    }

    #[test]
    fn questions_follow_the_category_that_the_annotator_chose() {
        let (mut draft, mut new_id) = (draft(), counter(0));
        let keys = |draft: &AnnotationDraft| {
            let shown = draft.shown_questions(Some(output(2)));
            let keys = shown.iter().map(|question| question.key.clone());
            keys.collect::<Vec<_>>()
        };
        let place = draft.placement_answer(output(2), Category::Deletion);
        draft.apply_action([place], UndoGrouping::Separate, &mut new_id);
        assert_eq!(keys(&draft), ["missing"]);
        let place = draft.placement_answer(output(2), Category::Split);
        draft.apply_action([place], UndoGrouping::Separate, &mut new_id);
        assert_eq!(keys(&draft), ["missing", "split"]);
        let slot = AnnotationSlot::Question {
            output: Some(output(2)),
            key: "split".to_owned(),
        };
        let label = |answer| draft.answer_label(&slot, &AnnotationAnswer::Question(answer));
        assert_eq!(label(one("yes")), "“Yes”");
        assert_eq!(label(one("gone")), "gone");
        assert_eq!(label(None), "no answer");
    }
}
