//! Answers that this browser knows to be confirmed since a page was rendered: a cached page may be
//! older than they are.

use serde::{Deserialize, Serialize};

use crate::work::{change::StoredAnswer, task::AnnotationTask};

/// An answer that the server confirmed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConfirmedAnswer {
    /// The answer.
    pub stored: StoredAnswer,
    /// The time of confirmation by the server's clock, in milliseconds since 1970.
    pub at: i64,
}

/// Updates a task that was rendered at `rendered` (the server's clock) with the confirmed answers,
/// and returns which of them are already contained in it.
pub fn apply_confirmed(
    task: &mut AnnotationTask,
    rendered: i64,
    known: Vec<ConfirmedAnswer>,
) -> Vec<ConfirmedAnswer> {
    let (newer, stale): (Vec<_>, Vec<_>) = known.into_iter().partition(|k| k.at > rendered);
    for ConfirmedAnswer { stored, .. } in newer {
        task.answers.retain(|answer| answer.slot != stored.slot);
        task.answers.push(stored);
    }
    stale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::{
        change::AnnotationAnswer,
        test_tasks::{id, rating, task},
    };

    #[test]
    fn what_was_confirmed_after_the_page_was_made_wins() {
        let mut page = task(2);
        let answer = |n: u128, output, score| {
            let (slot, answer) = rating(output, Some(score));
            StoredAnswer {
                id: id(n),
                slot,
                answer,
            }
        };
        page.answers = vec![answer(1, 1, 10), answer(2, 2, 20)];
        let confirmed = vec![
            ConfirmedAnswer {
                stored: answer(3, 1, 30),
                at: 1_001,
            },
            ConfirmedAnswer {
                stored: answer(2, 2, 20),
                at: 999,
            },
        ];
        let stale = apply_confirmed(&mut page, 1_000, confirmed);
        assert_eq!(stale.len(), 1);
        let scores: Vec<_> = page.answers.iter().map(|a| a.answer.clone()).collect();
        let score = |n| AnnotationAnswer::Rating(Some(crate::score::RatingScale::PERCENT.clamp(n)));
        assert_eq!(scores, [score(20), score(30)]);
    }
}
