//! The comparison of an annotator's answers with the expected ones, in words: in a tutorial after each
//! try, in a training after it was submitted. [`TaskItem::expected`] is empty where nothing may be shown.
//!
//! [`TaskItem::expected`]: crate::work::task::TaskItem::expected

use crate::{
    category::Category,
    ids::OutputId,
    score::{RatingScale, RatingScore},
    span_marks::SpanMark,
    study::Dimension,
    work::{
        change::AnnotationStep,
        comparison_feedback::summarise_comparisons,
        draft::AnnotationDraft,
        expected_choices::has_expected_options,
        expected_marks::{MarkDifferences, quote_mark},
        task::ExpectedAnswer,
    },
};

/// The comparison of the answers to one output with the expected ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerFeedback {
    /// Whether category and score are as expected.
    pub is_right: bool,
    /// The comparison in words, with the lead's explanation.
    pub text: String,
}

impl ExpectedAnswer {
    /// The lowest and the highest score that count as right, on the scale.
    #[must_use]
    pub fn range(&self, scale: RatingScale) -> Option<(i32, i32)> {
        let rating = self.rating?;
        let within = |score: i32| scale.clamp(score).get();
        Some((
            within(rating.saturating_sub(self.tolerance)),
            within(rating.saturating_add(self.tolerance)),
        ))
    }
}

/// The points between a score and a range of scores; negative below the range, 0 within it.
const fn offset((low, high): (i32, i32), score: RatingScore) -> i32 {
    let score = score.get();
    if score < low {
        score.saturating_sub(low)
    } else if score > high {
        score.saturating_sub(high)
    } else {
        0
    }
}

/// The category that is expected of an output where annotators choose it.
fn expected_category(draft: &AnnotationDraft, output: OutputId) -> Option<Category> {
    let expected = draft.item(output)?.expected.as_ref()?.category;
    expected.filter(|_| draft.protocol().categorises())
}

/// The category that is expected of an output and is not the one that it is in.
fn misplaced(draft: &AnnotationDraft, output: OutputId) -> Option<Category> {
    let expected = expected_category(draft, output)?;
    (draft.placement(output).category != expected).then_some(expected)
}

/// The first output of an open source that is in another category than expected.
#[must_use]
pub fn first_misplaced(draft: &AnnotationDraft) -> Option<OutputId> {
    let mut outputs = draft.task().items.iter().map(|item| item.output);
    outputs.find(|output| draft.is_open() && misplaced(draft, *output).is_some())
}

/// The note on an output that is in another category than expected. While the source is open it comes
/// after the annotator's try: they moved the output, or `tried` says that they wanted to continue.
#[must_use]
pub fn category_note(draft: &AnnotationDraft, output: OutputId, tried: bool) -> Option<String> {
    let expected = misplaced(draft, output)?;
    let item = draft.item(output)?;
    let placement = draft.placement(output);
    let title = expected.title();
    let mut note = if draft.is_open() {
        let tried = tried || placement.moved || draft.step() != AnnotationStep::Categorise;
        if !tried {
            return None;
        }
        let key = expected as usize + 1;
        format!("This one is wrong: it belongs in {title}. Move it there, or press {key}.")
    } else {
        format!("{title} is expected here.")
    };
    if let Some(answer) = &item.expected {
        append(&mut note, &answer.explanation);
    }
    Some(note)
}

/// The feedback on an output in step 3. While the source is open it comes after the output has a score.
#[must_use]
pub fn output_feedback(draft: &AnnotationDraft, output: OutputId) -> Option<AnswerFeedback> {
    let expected = draft.item(output)?.expected.as_ref()?;
    let score = draft.ranking_score(output);
    if draft.is_open() && score.is_none() {
        return None;
    }
    let mut text = String::new();
    let misplaced = misplaced(draft, output);
    if let Some(category) = misplaced {
        text = format!("It belongs in {}.", category.title());
    }
    let mut is_score_right = true;
    match (expected.range(draft.ranking().scale), score) {
        (Some(range), Some(score)) => {
            let off = offset(range, score);
            is_score_right = off == 0;
            append(&mut text, &describe_score(&draft.ranking(), range, off));
        }
        // The annotator could not judge it.
        (Some(range), None) => {
            is_score_right = false;
            let expectation = format!("{} is expected.", describe_range(&draft.ranking(), range));
            append(&mut text, &expectation);
        }
        (None, _) if misplaced.is_none() => text.push_str("As expected."),
        (None, _) => {}
    }
    append(&mut text, &expected.explanation);
    Some(AnswerFeedback {
        is_right: is_score_right && misplaced.is_none(),
        text,
    })
}

/// The expected answer to an output; for the source, that of the output with which answers about the source are expected.
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

/// The feedback on the answer to a question about an output, or about the source. While the source is open it comes after
/// the answer.
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

/// Whether the lead's explanation belongs below this question: the last shown one about the output of which an answer is
/// expected or, where there is none, the last one about the source.
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
    let last_shown = |about: Option<OutputId>| {
        let shown = draft.shown_questions(about);
        let mut keys = shown.iter().rev().map(|question| question.key.clone());
        keys.find(|key| expected.choice(key).is_some())
    };
    match (last_shown(Some(item.output)), output) {
        (Some(last), Some(_)) => last == key,
        (None, None) => last_shown(None).as_deref() == Some(key),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The feedback on the marks of an output: the expected ones that are missing, those that are not expected, and the overlap
/// of the others with the expected words. While the source is open it comes after the annotator's own marks, and says of
/// missing ones only how many of a type there are.
#[must_use]
pub fn marks_feedback(draft: &AnnotationDraft, output: OutputId) -> Option<AnswerFeedback> {
    draft.taxonomy()?;
    let item = draft.item(output)?;
    let expected = item.expected.as_ref()?;
    let wanted = expected.marks.as_deref()?;
    if !draft.has_own_marks(output) {
        return None;
    }
    let texts = (draft.task().source.as_str(), item.text.as_str());
    let differences = MarkDifferences::new(wanted, &draft.marks(output), texts);
    let is_right = differences.is_right();
    let mut text = String::new();
    match (is_right, wanted.is_empty()) {
        (true, false) => text.push_str("Right: these marks are expected."),
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
    let part = |(kind, f1): &(String, f64)| {
        let is_part = *f1 > 0.0 && *f1 < 1.0;
        is_part.then(|| format!("{kind} {:.0} %", 100.0 * f1))
    };
    let parts: Vec<_> = differences.overlaps.iter().filter_map(part).collect();
    if !parts.is_empty() {
        let parts = parts.join(", ");
        append(
            &mut text,
            &format!("Overlap with the expected words: {parts}."),
        );
    }
    // Below answers and scores, it is shown there.
    if expected.choices.is_empty() && !draft.protocol().scores() {
        append(&mut text, &expected.explanation);
    }
    Some(AnswerFeedback { is_right, text })
}

fn list_marks(marks: &[SpanMark], texts: (&str, &str)) -> String {
    let name = |mark: &SpanMark| format!("{} {}", mark.kind, quote_mark(mark, texts));
    marks.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn count_by_type(marks: &[SpanMark]) -> String {
    let mut counts: Vec<(&str, usize)> = vec![];
    for mark in marks {
        match counts.iter_mut().find(|(kind, _)| *kind == mark.kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((&mark.kind, 1)),
        }
    }
    let name = |(kind, count): &(&str, usize)| format!("{count} × {kind}");
    counts.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn describe_score(dimension: &Dimension, range: (i32, i32), off: i32) -> String {
    let verdict = match off {
        0 => "Right".to_owned(),
        1.. => format!("Too high, off by {off}"),
        _ => format!("Too low, off by {}", off.unsigned_abs()),
    };
    let expected = describe_range(dimension, range);
    format!("{verdict}: {expected} is expected.")
}

fn describe_range(dimension: &Dimension, (low, high): (i32, i32)) -> String {
    let label = |score| dimension.score_label(score);
    match low == high {
        true => label(low),
        false => format!("{} to {}", label(low), label(high)),
    }
}

pub(super) fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// The summary of a submitted source of which answers are expected: the number of scores, categories
/// and answers that are as expected.
#[must_use]
pub fn summarise(draft: &AnnotationDraft) -> Option<String> {
    if draft.is_open() {
        return None;
    }
    if draft.protocol().compares() {
        return summarise_comparisons(draft);
    }
    // The number that is as expected, and of how many.
    let (mut scores, mut categories, mut answers) = ((0_usize, 0_usize), (0, 0), (0, 0));
    let mut marks = (0_usize, 0_usize);
    let is_right = |feedback: Option<AnswerFeedback>| {
        usize::from(feedback.is_some_and(|feedback| feedback.is_right))
    };
    for item in &draft.task().items {
        let Some(expected) = &item.expected else {
            continue;
        };
        if let Some(range) = expected.range(draft.ranking().scale) {
            let score = draft.ranking_score(item.output);
            scores.0 += usize::from(score.is_some_and(|score| offset(range, score) == 0));
            scores.1 += 1;
        }
        if expected_category(draft, item.output).is_some() {
            categories.0 += usize::from(misplaced(draft, item.output).is_none());
            categories.1 += 1;
        }
        for choice in &expected.choices {
            let key = &choice.question;
            let subjects = [None, Some(item.output)];
            let is_shown = |subject: &Option<OutputId>| {
                let shown = draft.shown_questions(*subject);
                shown.iter().any(|question| question.key == *key)
            };
            if let Some(subject) = subjects.into_iter().find(is_shown) {
                answers.0 += is_right(question_feedback(draft, subject, key));
                answers.1 += 1;
            }
        }
        if expected.marks.is_some() && draft.taxonomy().is_some() {
            marks.0 += is_right(marks_feedback(draft, item.output));
            marks.1 += 1;
        }
    }
    let mut text = String::new();
    if let (right, total @ 1..) = scores {
        text = format!("Scores: {right} of {total} within range.");
    }
    if let (right, total @ 1..) = categories {
        append(
            &mut text,
            &format!("Categories: {right} of {total} as expected."),
        );
    }
    if let (right, total @ 1..) = answers {
        append(
            &mut text,
            &format!("Answers: {right} of {total} as expected."),
        );
    }
    if let (right, total @ 1..) = marks {
        append(
            &mut text,
            &format!("Outputs marked as expected: {right} of {total}."),
        );
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
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
            history::UndoGrouping,
            test_tasks::{counter, output, rating, task},
        },
    };

    /// A tutorial of `n` outputs: 1 is *split* and is so automatically, 2 is *paraphrase* automatically
    /// and should be *deletion*; each should score 76 to 100.
    fn tutorial(n: u32) -> AnnotationDraft {
        let mut task = task(n);
        task.purpose = SourcePurpose::Tutorial;
        for item in &mut task.items {
            item.expected = Some(ExpectedAnswer {
                category: Some(match item.category {
                    Category::Split => Category::Split,
                    _ => Category::Deletion,
                }),
                rating: Some(90),
                tolerance: 14,
                explanation: "So it is.".to_owned(),
                ..ExpectedAnswer::default()
            });
        }
        AnnotationDraft::new(task)
    }

    fn act(draft: &mut AnnotationDraft, n: u32, score: i32) {
        let mut id = counter(u128::from(n) * 1_000 + u128::from(score.unsigned_abs()));
        draft.apply_action([rating(n, Some(score))], UndoGrouping::Separate, &mut id);
    }

    fn put(draft: &mut AnnotationDraft, n: u32, category: Category, seed: u128) {
        let placed = draft.placement_answer(output(n), category);
        draft.apply_action([placed], UndoGrouping::Separate, &mut counter(seed));
    }

    /// The same source, submitted with these scores.
    fn submitted(draft: &AnnotationDraft, scores: &[(u32, i32)]) -> AnnotationDraft {
        let mut task = draft.task().clone();
        task.state = AssignmentState::HandedIn;
        let mut draft = AnnotationDraft::new(task);
        for (n, score) in scores {
            act(&mut draft, *n, *score);
        }
        draft
    }

    #[test]
    fn the_expected_range_lies_on_the_scale() {
        let check = |rating, tolerance, expect| {
            let expected = ExpectedAnswer {
                rating,
                tolerance,
                ..ExpectedAnswer::default()
            };
            assert_eq!(expected.range(RatingScale::PERCENT), expect);
        };
        check(Some(5), 10, Some((0, 15)));
        check(Some(97), 10, Some((87, 100)));
        check(Some(50), 0, Some((50, 50)));
        check(Some(i32::MAX), i32::MAX, Some((0, 100)));
        check(Some(i32::MAX), 1, Some((100, 100)));
        check(None, 10, None);
    }

    #[test]
    fn a_note_comes_after_the_try_and_goes_when_it_is_corrected() {
        let mut draft = tutorial(2);
        let two = output(2);
        assert_eq!(category_note(&draft, two, false), None);
        let note =
            "This one is wrong: it belongs in Deletion. Move it there, or press 2. So it is.";
        assert_eq!(category_note(&draft, two, true).as_deref(), Some(note));
        assert_eq!(first_misplaced(&draft), Some(two));
        put(&mut draft, 2, Category::Split, 1);
        assert_eq!(category_note(&draft, two, false).as_deref(), Some(note));
        put(&mut draft, 2, Category::Deletion, 50);
        assert_eq!(category_note(&draft, two, true), None);
        assert_eq!(first_misplaced(&draft), None);
    }

    #[test]
    fn a_score_is_compared_once_it_is_given() {
        let mut draft = tutorial(2);
        assert_eq!(output_feedback(&draft, output(1)), None);
        let check = |draft: &AnnotationDraft, n, is_right, text: &str| {
            let feedback = output_feedback(draft, output(n)).expect("feedback");
            assert_eq!(
                (feedback.is_right, feedback.text.as_str()),
                (is_right, text)
            );
        };
        act(&mut draft, 1, 20);
        check(
            &draft,
            1,
            false,
            "Too low, off by 56: 76 to 100 is expected. So it is.",
        );
        act(&mut draft, 1, 76);
        check(&draft, 1, true, "Right: 76 to 100 is expected. So it is.");
        act(&mut draft, 2, 80);
        check(
            &draft,
            2,
            false,
            "It belongs in Deletion. Right: 76 to 100 is expected. So it is.",
        );
    }

    #[test]
    fn a_summary_counts_what_is_as_expected_once_submitted() {
        let draft = tutorial(3);
        assert_eq!(summarise(&draft), None);
        let draft = submitted(&draft, &[(1, 20), (2, 90), (3, 77)]);
        assert_eq!(
            summarise(&draft).as_deref(),
            Some("Scores: 2 of 3 within range. Categories: 2 of 3 as expected.")
        );
        assert_eq!(
            category_note(&draft, output(2), false).as_deref(),
            Some("Deletion is expected here. So it is.")
        );
        let nothing = submitted(&AnnotationDraft::new(task(2)), &[(1, 20)]);
        assert_eq!(summarise(&nothing), None);
        assert_eq!(output_feedback(&nothing, output(1)), None);
    }

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
    fn marks_are_compared_by_overlap_and_missing_ones_are_quoted_only_once_submitted() {
        let check = |draft: &AnnotationDraft, n, expect: Option<(bool, &str)>| {
            let feedback = marks_feedback(draft, output(n));
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

    #[test]
    fn nothing_is_said_about_scores_where_only_a_category_is_expected() {
        let mut task = task(1);
        task.items[0].expected = Some(ExpectedAnswer {
            category: Some(Category::Split),
            ..ExpectedAnswer::default()
        });
        let draft = submitted(&AnnotationDraft::new(task), &[(1, 3)]);
        let feedback = output_feedback(&draft, output(1)).expect("feedback");
        assert_eq!((feedback.is_right, &*feedback.text), (true, "As expected."));
        assert_eq!(
            summarise(&draft).as_deref(),
            Some("Categories: 1 of 1 as expected.")
        );
    }
}
