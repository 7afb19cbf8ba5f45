//! Answers in words, for annotators who choose between two answers, and for screen readers.

use crate::{
    comparison::ComparisonChoice,
    ids::OutputId,
    questions::QuestionAnswer,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        comparisons::output_letter,
        draft::{AnnotationDraft, AnswerConflict},
    },
};

impl AnnotationAnswer {
    /// The answer, short enough for a button.
    #[must_use]
    pub fn label(&self) -> String {
        match self {
            Self::Category(Some(category)) => category.title().to_owned(),
            Self::Category(None) => "the automatic category".to_owned(),
            Self::Edits(Some(edits)) => format_edit_count(edits.len()),
            Self::Edits(None) => "the automatic edits".to_owned(),
            Self::Marks(Some(marks)) => format_mark_count(marks.len()),
            Self::Marks(None) => "the marks as at the start".to_owned(),
            Self::Rating(Some(score)) => score.to_string(),
            Self::Rating(None) => "no score".to_owned(),
            Self::Unjudged(Some(reason)) => format!("“{}”", reason.label()),
            Self::Unjudged(None) => "that it can be judged".to_owned(),
            Self::Note(text) if text.is_empty() => "no note".to_owned(),
            Self::Note(text) => format!("“{}”", shorten(text, 40)),
            Self::Order(Some(_)) => "the order set there".to_owned(),
            Self::Order(None) => "no order".to_owned(),
            Self::Comparison(Some(ComparisonChoice::Tie)) => "no difference".to_owned(),
            Self::Comparison(Some(_)) => "the choice made there".to_owned(),
            Self::Comparison(None) => "no choice".to_owned(),
            Self::Question(Some(answer)) => match answer {
                QuestionAnswer::Text(text) => format!("“{}”", shorten(text, 40)),
                chosen => chosen.options().join(", "),
            },
            Self::Question(None) => "no answer".to_owned(),
            Self::Text(Some(text)) if !text.trim().is_empty() => format!("“{}”", shorten(text, 40)),
            Self::Text(_) => "no text".to_owned(),
            Self::Progress(_) => "the current step".to_owned(),
        }
    }
}

impl AnnotationDraft {
    /// An answer to a slot in words; a score as annotators see it.
    #[must_use]
    pub fn answer_label(&self, slot: &AnnotationSlot, answer: &AnnotationAnswer) -> String {
        if let AnnotationAnswer::Comparison(Some(choice)) = answer {
            return self.choice_label(slot, *choice);
        }

        if let (AnnotationSlot::Question { key, .. }, AnnotationAnswer::Question(Some(given))) =
            (slot, answer)
            && let Some(question) = self.find_question(key)
            && let chosen = question.chosen(Some(given))
            && let labels = chosen
                .map(|option| option.label.as_str())
                .collect::<Vec<_>>()
            && !labels.is_empty()
        {
            return format!("“{}”", labels.join(", "));
        }

        let (AnnotationSlot::Rating { dimension, .. }, AnnotationAnswer::Rating(Some(score))) =
            (slot, answer)
        else {
            return answer.label();
        };
        let mut dimensions = self.task().dimensions.iter();
        let known_dimension = dimensions.find(|candidate| candidate.name == *dimension);
        known_dimension.map_or_else(|| answer.label(), |known| known.score_label(score.get()))
    }

    /// A choice in words: `A`, or `best A, worst C`.
    fn choice_label(&self, slot: &AnnotationSlot, choice: ComparisonChoice<OutputId>) -> String {
        let comparison = self.find_comparison(slot);
        let outputs = comparison.and_then(|number| self.task().comparisons.get(number));
        let name = |output: OutputId| {
            let place = outputs.and_then(|shown| shown.iter().position(|other| *other == output));
            place.map_or_else(
                || "another output".to_owned(),
                |at| output_letter(at).to_string(),
            )
        };
        let or_none = |output: Option<OutputId>| output.map_or_else(|| "none".to_owned(), name);

        match choice {
            ComparisonChoice::Tie => "no difference".to_owned(),
            ComparisonChoice::Better(better) => name(better),
            ComparisonChoice::BestWorst { best, worst } => {
                format!("best {}, worst {}", or_none(best), or_none(worst))
            }
        }
    }
}

impl AnswerConflict {
    /// The label of the button that keeps the answer given here.
    #[must_use]
    pub fn keep_label(&self, draft: &AnnotationDraft, slot: &AnnotationSlot) -> String {
        match &self.mine {
            AnnotationAnswer::Order(_) => "Keep the order set here".to_owned(),
            mine => format!("Keep {}", draft.answer_label(slot, mine)),
        }
    }

    /// The label of the button that accepts the stored answer.
    #[must_use]
    pub fn take_label(&self, draft: &AnnotationDraft, slot: &AnnotationSlot) -> String {
        match &self.theirs {
            Some(stored) => format!("Take {}", draft.answer_label(slot, &stored.answer)),
            None => "Take no answer".to_owned(),
        }
    }
}

/// The beginning of a text, at most `most` characters of it.
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// `1 output`, `3 outputs`.
#[must_use]
pub fn format_output_count(n: usize) -> String {
    if n == 1 {
        "1 output".to_owned()
    } else {
        format!("{n} outputs")
    }
}

/// `1 edit`, `3 edits`.
#[must_use]
pub fn format_edit_count(n: usize) -> String {
    if n == 1 {
        "1 edit".to_owned()
    } else {
        format!("{n} edits")
    }
}

/// `1 mark`, `3 marks`.
fn format_mark_count(n: usize) -> String {
    match n {
        0 => "no marks".to_owned(),
        1 => "1 mark".to_owned(),
        _ => format!("{n} marks"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        score::RatingScale,
        score_input::ScoreInput,
        work::test_tasks::{rating, task},
    };

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shorten("a few words", 20), "a few words");
        assert_eq!(shorten("zwölf Böcke", 6), "zwölf…");
        assert_eq!(shorten("日本語", 2), "日本…");
    }

    #[test]
    fn an_answer_fits_a_button() {
        assert_eq!(AnnotationAnswer::Rating(None).label(), "no score");
        assert_eq!(
            AnnotationAnswer::Note("x".repeat(90))
                .label()
                .chars()
                .count(),
            43
        );
        assert_eq!(format_output_count(1), "1 output");
    }

    #[test]
    fn a_score_on_levels_is_told_by_its_label() {
        let mut task = task(1);
        let labels = ["harder", "the same", "simpler"].map(str::to_owned);
        task.dimensions[0].scale = RatingScale { low: -1, high: 1 };
        task.dimensions[0].input = ScoreInput::Levels(labels.to_vec());
        let draft = AnnotationDraft::new(task);
        let slot = rating(1, None).0;
        let label = |score: Option<i32>| {
            let score = score.map(|score| draft.ranking().scale.clamp(score));
            draft.answer_label(&slot, &AnnotationAnswer::Rating(score))
        };
        assert_eq!(label(Some(-1)), "“harder”");
        assert_eq!(label(Some(1)), "“simpler”");
        assert_eq!(label(None), "no score");
    }
}
