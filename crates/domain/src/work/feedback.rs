//! The comparison of an annotator's answers with the expected ones, in words: after each try in a tutorial, after
//! submission in a training. [`TaskItem::expected`] is empty where nothing may be shown.
//!
//! [`TaskItem::expected`]: crate::work::task::TaskItem::expected

use crate::{
    category::Category,
    ids::OutputId,
    score::{RatingScale, RatingScore},
    study::Dimension,
    work::{
        change::AnnotationStep,
        comparison_feedback::summarise_comparisons,
        draft::AnnotationDraft,
        question_and_mark_feedback::{marks_feedback, question_feedback},
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
        let low = scale.clamp(rating.saturating_sub(self.tolerance));
        let high = scale.clamp(rating.saturating_add(self.tolerance));
        Some((low.get(), high.get()))
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

/// The feedback on the category of an output. While the source is open, it comes after a try: the annotator moved the
/// output, or `tried` says that they wanted to continue.
#[must_use]
pub fn category_feedback(
    draft: &AnnotationDraft,
    output: OutputId,
    tried: bool,
) -> Option<AnswerFeedback> {
    let expected = expected_category(draft, output)?;
    let item = draft.item(output)?;
    let placement = draft.placement(output);
    let tried = tried || placement.moved || draft.step() != AnnotationStep::Categorise;
    if draft.is_open() && !tried {
        return None;
    }

    let is_right = placement.category == expected;
    let title = expected.title();
    let mut text = match (is_right, draft.is_open()) {
        (true, _) => format!("Right: it belongs in {title}."),
        (false, true) => {
            let key = expected as usize + 1;
            format!("This one is wrong: it belongs in {title}. Move it there, or press {key}.")
        }
        (false, false) => format!("{title} is expected here."),
    };

    if let Some(answer) = item.expected.as_ref().filter(|_| !is_right) {
        append(&mut text, &answer.explanation);
    }
    Some(AnswerFeedback { is_right, text })
}

/// The feedback on an output in step 3. While the source is open, it comes after the output has a score.
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
            let expectation = format!("Expected {}.", describe_range(&draft.ranking(), range));
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

fn describe_score(dimension: &Dimension, range: (i32, i32), off: i32) -> String {
    let verdict = match off {
        0 => "Right".to_owned(),
        1.. => format!("Too high, off by {off}"),
        _ => format!("Too low, off by {}", off.unsigned_abs()),
    };
    let expected = describe_range(dimension, range);
    format!("{verdict}: expected {expected}.")
}

fn describe_range(dimension: &Dimension, (low, high): (i32, i32)) -> String {
    let lowest = dimension.score_label(low);
    match low == high {
        true => lowest,
        false => format!("{lowest} to {}", dimension.score_label(high)),
    }
}

pub(super) fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// The summary of a submitted source with expected answers: the numbers of scores, categories, answers and marked
/// outputs that are as expected.
#[must_use]
pub fn summarise(draft: &AnnotationDraft) -> Option<String> {
    if draft.is_open() {
        return None;
    }

    if draft.protocol().compares() {
        return summarise_comparisons(draft);
    }

    // The number that is as expected, and the number in all.
    let (mut scores, mut categories, mut answers) = ((0_usize, 0_usize), (0, 0), (0, 0));
    let mut marks = (0_usize, 0_usize);

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
            let subject = subjects.into_iter().find(|subject| {
                let questions = draft.shown_questions(*subject);
                questions.iter().any(|question| question.key == *key)
            });
            if let Some(subject) = subject {
                answers.0 += count_right(question_feedback(draft, subject, key));
                answers.1 += 1;
            }
        }

        if expected.marks_by(draft.protocol()).is_some() {
            marks.0 += count_right(marks_feedback(draft, item.output, true));
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

/// 1 for feedback that says that the answer is right, else 0.
fn count_right(feedback: Option<AnswerFeedback>) -> usize {
    usize::from(feedback.is_some_and(|feedback| feedback.is_right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        study::{AssignmentState, SourcePurpose},
        work::{
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

    /// The feedback on the category of output `n`: whether it is right, and its words.
    fn on_category(draft: &AnnotationDraft, n: u32, tried: bool) -> Option<(bool, String)> {
        let feedback = category_feedback(draft, output(n), tried)?;
        Some((feedback.is_right, feedback.text))
    }

    #[test]
    fn a_category_is_commented_after_the_try_be_it_right_or_wrong() {
        let mut draft = tutorial(2);
        assert_eq!(on_category(&draft, 2, false), None);
        let wrong = || {
            let text =
                "This one is wrong: it belongs in Deletion. Move it there, or press 2. So it is.";
            Some((false, text.to_owned()))
        };
        assert_eq!(on_category(&draft, 2, true), wrong());
        assert_eq!(first_misplaced(&draft), Some(output(2)));
        put(&mut draft, 2, Category::Split, 1);
        assert_eq!(on_category(&draft, 2, false), wrong());
        put(&mut draft, 2, Category::Deletion, 50);
        let right = |title| Some((true, format!("Right: it belongs in {title}.")));
        assert_eq!(on_category(&draft, 2, false), right("Deletion"));
        assert_eq!(first_misplaced(&draft), None);
        // The other one was never moved.
        assert_eq!(on_category(&draft, 1, false), None);
        assert_eq!(on_category(&draft, 1, true), right("Split"));
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
            "Too low, off by 56: expected 76 to 100. So it is.",
        );
        act(&mut draft, 1, 76);
        check(&draft, 1, true, "Right: expected 76 to 100. So it is.");
        act(&mut draft, 2, 80);
        check(
            &draft,
            2,
            false,
            "It belongs in Deletion. Right: expected 76 to 100. So it is.",
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
            on_category(&draft, 2, false),
            Some((false, "Deletion is expected here. So it is.".to_owned()))
        );
        assert_eq!(
            on_category(&draft, 1, false),
            Some((true, "Right: it belongs in Split.".to_owned()))
        );
        let nothing = submitted(&AnnotationDraft::new(task(2)), &[(1, 20)]);
        assert_eq!(summarise(&nothing), None);
        assert_eq!(output_feedback(&nothing, output(1)), None);
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
