//! The comparison of answers to questions and of marks with the expected ones, in words.

use crate::{
    ids::OutputId,
    span_marks::{SpanMark, edit_marks::marks_of_edits},
    work::{
        draft::AnnotationDraft,
        expected_choices::has_expected_options,
        expected_marks::{MarkDifferences, quote_mark},
        feedback::{AnswerFeedback, append},
        task::ExpectedAnswer,
    },
};

/// The expected answer to an output; for the source, that of the output whose expected answer has the question.
fn find_expected<'a>(
    draft: &'a AnnotationDraft,
    output: Option<OutputId>,
    key: &str,
) -> Option<&'a ExpectedAnswer> {
    match output {
        Some(output) => draft.item(output)?.expected.as_ref(),
        None => {
            let items = draft.task().items.iter();
            let mut expected = items.filter_map(|item| item.expected.as_ref());
            expected.find(|expected| expected.choice(key).is_some())
        }
    }
}

/// Whether an answer to a question about an output, or about the source, is expected.
#[must_use]
pub fn expects_choice(draft: &AnnotationDraft, output: Option<OutputId>, key: &str) -> bool {
    let expected = find_expected(draft, output, key);
    expected.is_some_and(|expected| expected.choice(key).is_some())
}

/// The feedback on the answer to a question about an output, or about the source. While the source is open, it comes
/// after the answer.
#[must_use]
pub fn question_feedback(
    draft: &AnnotationDraft,
    output: Option<OutputId>,
    key: &str,
) -> Option<AnswerFeedback> {
    let expected = find_expected(draft, output, key)?;
    let choice = expected.choice(key)?;
    let question = draft.find_question(key)?;
    let answer = draft.question_answer(output, key);
    if draft.is_open() && question.chosen(answer.as_ref()).next().is_none() {
        return None;
    }

    let is_right = has_expected_options(question, choice, answer.as_ref());
    let labels: Vec<_> = question
        .options()
        .iter()
        .filter(|option| choice.options.contains(&option.key))
        .map(|option| format!("“{}”", option.label))
        .collect();

    let verdict = if is_right { "Right: " } else { "" };
    let verb = if labels.len() == 1 { "is" } else { "are" };
    let mut text = format!("{verdict}{} {verb} expected.", labels.join(" and "));

    // Below scores, the explanation has been shown already.
    if explains_output(draft, expected, output, key) && !draft.protocol().scores() {
        append(&mut text, &expected.explanation);
    }
    Some(AnswerFeedback { is_right, text })
}

/// Whether the lead's explanation belongs below this question: the last one shown about the output that has an
/// expected answer or, without such a question, the last one about the source.
fn explains_output(
    draft: &AnnotationDraft,
    expected: &ExpectedAnswer,
    output: Option<OutputId>,
    key: &str,
) -> bool {
    let mut items = draft.task().items.iter();
    let Some(item) = items.find(|item| item.expected.as_ref() == Some(expected)) else {
        return false;
    };

    match (last_expected(draft, expected, Some(item.output)), output) {
        (Some(last), Some(_)) => last == key,
        (None, None) => last_expected(draft, expected, None).as_deref() == Some(key),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The key of the last question shown about an output, or about the source, to which an answer is expected.
fn last_expected(
    draft: &AnnotationDraft,
    expected: &ExpectedAnswer,
    output: Option<OutputId>,
) -> Option<String> {
    let questions = draft.shown_questions(output);
    let mut keys = questions.iter().rev().map(|question| question.key.clone());
    keys.find(|key| expected.choice(key).is_some())
}

/// The feedback on the marks of an output, or on its edits where these are checked: the expected ones that are
/// missing, those that are not expected, and the overlap of the others with the expected words. While the source is
/// open, it comes after the annotator marked or corrected something (for edits also where `tried` says that they
/// wanted to continue), and gives only the number of missing ones of each type.
#[must_use]
pub fn marks_feedback(
    draft: &AnnotationDraft,
    output: OutputId,
    tried: bool,
) -> Option<AnswerFeedback> {
    let item = draft.item(output)?;
    let expected = item.expected.as_ref()?;
    let wanted = expected.marks_by(draft.protocol())?;
    let texts = (draft.task().source.as_str(), item.text.as_str());

    let (is_tried, own) = match draft.taxonomy() {
        Some(_) => (draft.has_own_marks(output), draft.marks(output)),
        None if draft.protocol().shows_edits() => {
            // Automatic edits may need no correction.
            let is_tried = tried || !draft.is_open() || draft.edits_corrected(output);
            (is_tried, marks_of_edits(draft.edits(output), texts))
        }
        None => return None,
    };
    if !is_tried {
        return None;
    }

    let differences = MarkDifferences::new(wanted, &own, texts);
    let is_right = differences.is_right();
    let checks_edits = draft.taxonomy().is_none();

    let mut text = String::new();
    match (is_right, wanted.is_empty()) {
        (true, false) if checks_edits => text.push_str("Right: these edits are expected."),
        (true, false) => text.push_str("Right: these marks are expected."),
        (_, true) if checks_edits => text.push_str("No edit is expected here."),
        (_, true) => text.push_str("Nothing to mark is expected here."),
        _ => {}
    }

    if !differences.missing.is_empty() {
        let missing = match draft.is_open() {
            true => count_by_type(&differences.missing),
            false => list_marks(&differences.missing, texts),
        };
        append(&mut text, &format!("Missing: {missing}."));
    }

    if !differences.extra.is_empty() {
        let extra = list_marks(&differences.extra, texts);
        append(&mut text, &format!("Not expected: {extra}."));
    }

    let parts = differences.overlaps.iter().filter_map(|(kind, f1)| {
        let is_partial = *f1 > 0.0 && *f1 < 1.0;
        is_partial.then(|| format!("{kind} {:.0} %", 100.0 * f1))
    });
    let parts: Vec<_> = parts.collect();
    if !parts.is_empty() {
        let parts = parts.join(", ");
        append(
            &mut text,
            &format!("Overlap with the expected words: {parts}."),
        );
    }

    // Feedback on answers or scores shows the explanation otherwise.
    if expected.choices.is_empty() && !draft.protocol().scores() {
        append(&mut text, &expected.explanation);
    }
    Some(AnswerFeedback { is_right, text })
}

/// The first output of an open source whose edits are not as expected.
#[must_use]
pub fn first_uncorrected(draft: &AnnotationDraft) -> Option<OutputId> {
    let checks_edits = draft.is_open() && draft.taxonomy().is_none();
    let mut outputs = draft.task().items.iter().map(|item| item.output);
    outputs.find(|output| {
        let feedback = marks_feedback(draft, *output, true);
        checks_edits && feedback.is_some_and(|feedback| !feedback.is_right)
    })
}

fn list_marks(marks: &[SpanMark], texts: (&str, &str)) -> String {
    let names = marks
        .iter()
        .map(|mark| format!("{} {}", mark.kind, quote_mark(mark, texts)));
    names.collect::<Vec<_>>().join(", ")
}

fn count_by_type(marks: &[SpanMark]) -> String {
    let mut counts: Vec<(&str, usize)> = vec![];
    for mark in marks {
        match counts.iter_mut().find(|(kind, _)| *kind == mark.kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((&mark.kind, 1)),
        }
    }
    let names = counts
        .iter()
        .map(|(kind, count)| format!("{count} × {kind}"));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        edit::{Edit, EditKind},
        protocol::{AnswerStep, MarkSpansStep, ProtocolStep, StudyProtocol},
        questions::{
            AnswerOption, AskedQuestion, QuestionAbout, QuestionAnswer, QuestionKind,
            QuestionOptions,
        },
        span::Span,
        span_marks::taxonomy::{SpanTaxonomy, SpanType},
        study::{AssignmentState, SourcePurpose},
        work::{
            change::{AnnotationAnswer, AnnotationSlot},
            feedback::summarise,
            test_tasks::{counter, output, task},
        },
    };

    /// A source whose questions are answered by one option and by several, and whose outputs are marked: an answer of
    /// each kind, and one about the source, are expected.
    fn asked(state: AssignmentState) -> AnnotationDraft {
        let option = |key: &str| AnswerOption {
            key: key.to_owned(),
            label: key.to_uppercase(),
        };
        let question = |key: &str, about, kind| AskedQuestion {
            key: key.to_owned(),
            text: format!("{key}?"),
            hint: String::new(),
            about,
            kind,
            required: true,
            condition: None,
        };
        let options = || vec![option("a"), option("b"), option("c")];
        let questions = AnswerStep {
            questions: vec![
                question("hard", QuestionAbout::Source, QuestionKind::One(options())),
                question(
                    "kinds",
                    QuestionAbout::Output,
                    QuestionKind::Several(options()),
                ),
            ],
        };
        let marks = MarkSpansStep {
            taxonomy: SpanTaxonomy {
                types: vec![SpanType {
                    name: "Grammar".to_owned(),
                    ..SpanType::default()
                }],
                ..SpanTaxonomy::default()
            },
            prefills: false,
        };
        let mut task = task(2);
        task.protocol = StudyProtocol::new(vec![
            ProtocolStep::MarkSpans(marks),
            ProtocolStep::Answer(questions),
        ])
        .expect("a protocol");
        let choice = |key: &str, options: &[&str]| QuestionOptions {
            question: key.to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        };
        task.items[0].expected = Some(ExpectedAnswer {
            explanation: "So it is.".to_owned(),
            choices: vec![choice("hard", &["a"]), choice("kinds", &["a", "c"])],
            marks: Some(vec![grammar(0, 6)]),
            ..ExpectedAnswer::default()
        });
        task.items[1].expected = Some(ExpectedAnswer {
            explanation: "Really.".to_owned(),
            marks: Some(vec![]),
            ..ExpectedAnswer::default()
        });
        task.purpose = SourcePurpose::Tutorial;
        task.state = state;
        AnnotationDraft::new(task)
    }

    fn grammar(start: usize, end: usize) -> SpanMark {
        SpanMark {
            kind: "Grammar".to_owned(),
            output: vec![Span::new(start, end)],
            ..SpanMark::default()
        }
    }

    fn answer(
        draft: &mut AnnotationDraft,
        output: Option<OutputId>,
        key: &str,
        answer: QuestionAnswer,
    ) {
        let key = key.to_owned();
        let slot = AnnotationSlot::Question { output, key };
        let seed = u128::from(draft.answer(&slot) == slot.unanswered()) + 7;
        let answer = AnnotationAnswer::Question(Some(answer));
        draft.set_answer(slot, answer, counter(seed)());
    }

    #[test]
    fn answers_are_compared_option_by_option_once_given() {
        let several = |keys: &[&str]| {
            QuestionAnswer::Several(keys.iter().map(|key| (*key).to_owned()).collect())
        };
        let one = Some(output(1));
        let mut draft = asked(AssignmentState::Open);
        let check = |draft: &AnnotationDraft, output, key, expect: Option<(bool, &str)>| {
            let feedback = question_feedback(draft, output, key);
            let feedback = feedback.map(|feedback| (feedback.is_right, feedback.text));
            let expect = expect.map(|(is_right, text)| (is_right, text.to_owned()));
            assert_eq!(feedback, expect);
        };
        assert!(expects_choice(&draft, None, "hard"));
        assert!(expects_choice(&draft, one, "kinds"));
        assert!(!expects_choice(&draft, Some(output(2)), "kinds"));
        check(&draft, None, "hard", None);
        answer(
            &mut draft,
            None,
            "hard",
            QuestionAnswer::One("b".to_owned()),
        );
        check(&draft, None, "hard", Some((false, "“A” is expected.")));
        answer(&mut draft, one, "kinds", several(&["a"]));
        let text = "“A” and “C” are expected. So it is.";
        check(&draft, one, "kinds", Some((false, text)));
        answer(&mut draft, one, "kinds", several(&["a", "c"]));
        let text = "Right: “A” and “C” are expected. So it is.";
        check(&draft, one, "kinds", Some((true, text)));
    }

    #[test]
    fn edits_are_compared_once_corrected_or_submitted() {
        let texts = ("In June the boats sank.", "The boats went down.");
        let edit = |kind, source: &[Span], output: &[Span]| Edit {
            kind,
            source: source.to_vec(),
            output: output.to_vec(),
            confidence: None,
        };
        let start = Span::new(0, 0);
        let deleted = edit(EditKind::Deletion, &[Span::new(0, 7)], &[start]);
        let boats = edit(EditKind::Paraphrase, &[], &[Span::new(4, 9)]);
        let sank = edit(
            EditKind::Paraphrase,
            &[Span::new(18, 22)],
            &[Span::new(10, 19)],
        );
        let expected = marks_of_edits(vec![deleted.clone(), sank.clone()], texts);
        let mut task = task(1);
        texts.0.clone_into(&mut task.source);
        texts.1.clone_into(&mut task.items[0].text);
        task.items[0].edits = vec![boats];
        task.items[0].expected = Some(ExpectedAnswer {
            marks: Some(expected),
            ..ExpectedAnswer::default()
        });
        let mut draft = AnnotationDraft::new(task);
        let feedback = |draft: &AnnotationDraft| {
            let feedback = marks_feedback(draft, output(1), false);
            feedback.map(|feedback| (feedback.is_right, feedback.text))
        };
        assert_eq!(feedback(&draft), None, "no try yet");
        let went_on = marks_feedback(&draft, output(1), true).expect("feedback");
        let text = "Missing: 1 × Deletion, 1 × Paraphrase. Not expected: Paraphrase “boats”.";
        assert_eq!((went_on.is_right, went_on.text.as_str()), (false, text));
        assert_eq!(first_uncorrected(&draft), Some(output(1)));
        let slot = || AnnotationSlot::Edits { output: output(1) };
        let set = |draft: &mut AnnotationDraft, edits, seed| {
            draft.set_answer(
                slot(),
                AnnotationAnswer::Edits(Some(edits)),
                counter(seed)(),
            );
        };
        set(&mut draft, vec![sank.clone()], 50);
        let text = "Missing: 1 × Deletion.".to_owned();
        assert_eq!(feedback(&draft), Some((false, text)));
        set(&mut draft, vec![deleted, sank], 60);
        let text = "Right: these edits are expected.".to_owned();
        assert_eq!(feedback(&draft), Some((true, text)));
        assert_eq!(first_uncorrected(&draft), None);
    }

    #[test]
    fn marks_are_compared_by_overlap_and_missing_ones_are_quoted_only_once_submitted() {
        let check = |draft: &AnnotationDraft, n, expect: Option<(bool, &str)>| {
            let feedback = marks_feedback(draft, output(n), false);
            let feedback = feedback.map(|feedback| (feedback.is_right, feedback.text));
            let expect = expect.map(|(is_right, text)| (is_right, text.to_owned()));
            assert_eq!(feedback, expect);
        };
        let mark = |draft: &mut AnnotationDraft, n, marks: Vec<SpanMark>| {
            let (slot, answer) = draft.marks_answer(output(n), marks);
            let seed = 50 + u128::from(n) * 10;
            draft.set_answer(slot, answer, counter(seed)());
        };
        let mut draft = asked(AssignmentState::Open);
        check(&draft, 1, None);
        mark(&mut draft, 1, vec![grammar(7, 8)]);
        let text = "Missing: 1 × Grammar. Not expected: Grammar “1”.";
        check(&draft, 1, Some((false, text)));
        mark(&mut draft, 2, vec![grammar(0, 6)]);
        let text = "Nothing to mark is expected here. Not expected: Grammar “Output”. Really.";
        check(&draft, 2, Some((false, text)));

        let mut draft = asked(AssignmentState::HandedIn);
        mark(&mut draft, 1, vec![grammar(7, 8)]);
        let text = "Missing: Grammar “Output”. Not expected: Grammar “1”.";
        check(&draft, 1, Some((false, text)));
        assert_eq!(
            summarise(&draft).as_deref(),
            Some("Answers: 0 of 2 as expected. Outputs marked as expected: 0 of 2.")
        );
        let mut draft = asked(AssignmentState::HandedIn);
        mark(&mut draft, 1, vec![grammar(0, 3)]);
        mark(&mut draft, 2, vec![]);
        let text =
            "Right: these marks are expected. Overlap with the expected words: Grammar 67 %.";
        check(&draft, 1, Some((true, text)));
        check(
            &draft,
            2,
            Some((true, "Nothing to mark is expected here. Really.")),
        );
        answer(
            &mut draft,
            None,
            "hard",
            QuestionAnswer::One("a".to_owned()),
        );
        assert_eq!(
            summarise(&draft).as_deref(),
            Some("Answers: 1 of 2 as expected. Outputs marked as expected: 2 of 2.")
        );
    }
}
