//! How participants answered: unusual patterns that a lead should look at.
//!
//! As with raters, each figure comes with its denominator, and a [`ParticipantConcern`] is a
//! reason to look, not a verdict: it excludes no one.

use super::{AnswerChoice, AnswerTable, conditions::ChoiceTally};
use crate::statistics::quality::{PaceFences, PaceSummary, Proportion};

/// The least share of answers at the same position that is reported, of at least [`FEWEST_PLACES`]
/// answers A to D.
const MIN_SAME_PLACE_SHARE: f64 = 0.7;
/// The fewest answers from which a share of positions is computed.
const FEWEST_PLACES: usize = 9;
/// The least number of answers in a row, at the same one of the first four positions, that is reported.
const MIN_RUN_LENGTH: usize = 7;
/// The least share of passages done too fast or too slowly that is reported, of at least
/// [`FEWEST_PASSAGES`].
const MIN_OFF_PACE_SHARE: f64 = 0.3;
/// The fewest passages from which pace is judged.
const FEWEST_PASSAGES: usize = 3;
/// The least share of failed attention checks that is reported.
const MIN_FAILED_SHARE: f64 = 0.5;

/// Facts about a participant in addition to the answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParticipantActivity {
    /// Active time of each passage done, in milliseconds; 0 where it was not recorded.
    pub passages_ms: Vec<u64>,
    /// Attention checks passed, of those answered.
    pub checks: Proportion,
}

/// One participant's figures.
#[derive(Debug, Clone, PartialEq)]
pub struct ParticipantConduct {
    /// In [`AnswerTable::participants`].
    pub participant: usize,
    /// The answers by kind.
    pub tally: ChoiceTally,
    /// Answers at each of the five positions.
    pub places: [usize; 5],
    /// The longest run of answers at the same one of the first four positions. *Unanswerable*,
    /// which is always last and often right, ends a run and is part of none.
    pub longest_run: usize,
    /// The times of passages, compared with the fences of all participants.
    pub pace: PaceSummary,
    /// Attention checks passed.
    pub checks: Proportion,
    /// The reasons to look.
    pub concerns: Vec<ParticipantConcern>,
}

/// A reason to look at a participant's answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParticipantConcern {
    /// At least 70 % of nine or more answers were at the same one of the first four positions; chance
    /// gives a quarter.
    SamePlace(Proportion),
    /// At least seven answers in a row were at the same one of the first four positions.
    LongRun(usize),
    /// All of nine or more answers are *unanswerable*.
    OnlyUnanswerable(usize),
    /// At least 30 % of three or more passages were done faster than nearly all others.
    Fast(Proportion),
    /// At least 30 % of three or more passages took longer than nearly all others.
    Slow(Proportion),
    /// At least half of the attention checks were failed.
    FailedChecks(Proportion),
}

impl ParticipantConcern {
    /// Two or three words for a table, and for programs.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::SamePlace(_) => "same place",
            Self::LongRun(_) => "same place in a row",
            Self::OnlyUnanswerable(_) => "only unanswerable",
            Self::Fast(_) => "hurries",
            Self::Slow(_) => "slow",
            Self::FailedChecks(_) => "failed checks",
        }
    }

    /// A sentence about the finding.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::SamePlace(share) => {
                format!(
                    "{} answers were at the same place; chance gives a quarter.",
                    format_share(share)
                )
            }
            Self::LongRun(run) => format!("{run} answers in a row were at the same place."),
            Self::OnlyUnanswerable(n) => format!("All {n} answers are “unanswerable”."),
            Self::Fast(share) => {
                format!(
                    "{} passages were done faster than nearly all are.",
                    format_share(share)
                )
            }
            Self::Slow(share) => {
                format!(
                    "{} passages took longer than nearly all do.",
                    format_share(share)
                )
            }
            Self::FailedChecks(share) => {
                format!("{} attention checks were failed.", format_share(share))
            }
        }
    }
}

fn format_share(share: Proportion) -> String {
    format!("{} of {}", share.count, share.total)
}

/// The figures of each participant, in the order of [`AnswerTable::participants`]; `readers` holds
/// their other facts in the same order, and may be shorter if there are none.
#[must_use]
pub fn compute_conduct(
    answers: &AnswerTable,
    readers: &[ParticipantActivity],
) -> Vec<ParticipantConduct> {
    let times = readers.iter().flat_map(|reader| &reader.passages_ms);
    let fences = PaceFences::from_times(times.copied());

    let mut by_participant = vec![Vec::new(); answers.participants().len()];
    for answer in answers.answers() {
        if let Some(participant) = answer.participant {
            by_participant[participant].push((answer.choice, answer.place));
        }
    }

    let unknown = ParticipantActivity::default();
    let figures = by_participant.iter().enumerate();
    let figures = figures.map(|(participant, answers)| {
        let reader = readers.get(participant).unwrap_or(&unknown);
        let mut places = [0; 5];
        for place in answers.iter().filter_map(|(_, place)| *place) {
            if let Some(count) = places.get_mut(usize::from(place).wrapping_sub(1)) {
                *count += 1;
            }
        }

        let mut conduct = ParticipantConduct {
            participant,
            tally: answers.iter().map(|(choice, _)| *choice).collect(),
            places,
            longest_run: longest_run(answers.iter().map(|(_, place)| *place)),
            pace: PaceSummary::from_times(&reader.passages_ms, fences),
            checks: reader.checks,
            concerns: vec![],
        };
        conduct.concerns = find_concerns(&conduct);
        conduct
    });
    figures.collect()
}

fn longest_run(places: impl Iterator<Item = Option<u8>>) -> usize {
    let (mut last, mut run, mut longest) = (None, 0, 0);
    for place in places {
        let place = place.filter(|place| (1..5).contains(place));
        run = match place {
            Some(_) if place == last => run + 1,
            Some(_) => 1,
            None => 0,
        };
        longest = longest.max(run);
        last = place;
    }
    longest
}

fn find_concerns(conduct: &ParticipantConduct) -> Vec<ParticipantConcern> {
    let first_four = &conduct.places[..4];
    let same = Proportion {
        count: first_four.iter().copied().max().unwrap_or(0),
        total: first_four.iter().sum(),
    };
    let (fast, slow) = (
        conduct.pace.fast.unwrap_or_default(),
        conduct.pace.slow.unwrap_or_default(),
    );
    let failed = Proportion {
        count: conduct.checks.total - conduct.checks.count,
        total: conduct.checks.total,
    };
    let unanswerable = conduct.tally.share(AnswerChoice::Unanswerable);

    let concerns = [
        share_if_reached(failed, 1, MIN_FAILED_SHARE).map(ParticipantConcern::FailedChecks),
        share_if_reached(same, FEWEST_PLACES, MIN_SAME_PLACE_SHARE)
            .map(ParticipantConcern::SamePlace),
        (conduct.longest_run >= MIN_RUN_LENGTH)
            .then_some(ParticipantConcern::LongRun(conduct.longest_run)),
        share_if_reached(unanswerable, FEWEST_PLACES, 1.0)
            .map(|share| ParticipantConcern::OnlyUnanswerable(share.total)),
        share_if_reached(fast, FEWEST_PASSAGES, MIN_OFF_PACE_SHARE).map(ParticipantConcern::Fast),
        share_if_reached(slow, FEWEST_PASSAGES, MIN_OFF_PACE_SHARE).map(ParticipantConcern::Slow),
    ];
    concerns.into_iter().flatten().collect()
}

fn share_if_reached(share: Proportion, fewest: usize, least: f64) -> Option<Proportion> {
    share.reaches(fewest, least).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::ReaderAnswer;

    fn measure(places: &[Option<u8>], choice: AnswerChoice) -> ParticipantConduct {
        let names: Vec<_> = (0..places.len()).map(|n| n.to_string()).collect();
        let answers: AnswerTable = names
            .iter()
            .zip(places)
            .map(|(question, place)| ReaderAnswer {
                condition: "Original",
                passage: "1",
                question,
                participant: Some("p"),
                choice,
                place: *place,
            })
            .collect();
        compute_conduct(&answers, &[]).pop().unwrap()
    }

    #[test]
    fn the_same_place_again_and_again_stands_out() {
        let conduct = measure(&[Some(2); 9], AnswerChoice::C);
        let same = Proportion { count: 9, total: 9 };
        assert_eq!(
            conduct.concerns,
            [
                ParticipantConcern::SamePlace(same),
                ParticipantConcern::LongRun(9)
            ]
        );
        assert_eq!(conduct.places, [0, 9, 0, 0, 0]);
        // Below the thresholds, and without recorded places.
        assert_eq!(measure(&[Some(2); 6], AnswerChoice::C).concerns, []);
        assert_eq!(measure(&[None; 20], AnswerChoice::C).concerns, []);
        let mixed = [1, 2, 3, 4, 1, 2, 3, 4, 1].map(Some);
        assert_eq!(measure(&mixed, AnswerChoice::A).concerns, []);
    }

    #[test]
    fn unanswerable_at_its_fixed_place_is_no_straight_line() {
        let conduct = measure(&[Some(5); 8], AnswerChoice::Unanswerable);
        assert_eq!((conduct.longest_run, conduct.concerns), (0, vec![]));
        let conduct = measure(&[Some(5); 18], AnswerChoice::Unanswerable);
        assert_eq!(conduct.concerns, [ParticipantConcern::OnlyUnanswerable(18)]);
    }

    #[test]
    fn times_and_checks_stand_out_against_all_participants() {
        let answer = |participant| ReaderAnswer {
            condition: "Original",
            passage: "1",
            question: "1",
            participant: Some(participant),
            choice: AnswerChoice::A,
            place: None,
        };
        let answers: AnswerTable = ["usual", "quick"].map(answer).into_iter().collect();
        let usual = [50, 60, 70, 80, 90, 100, 110, 120]
            .map(|s| s * 1_000)
            .to_vec();
        let readers = [
            ParticipantActivity {
                passages_ms: usual,
                checks: Proportion { count: 1, total: 1 },
            },
            ParticipantActivity {
                passages_ms: vec![1_000, 900, 80_000],
                checks: Proportion { count: 0, total: 2 },
            },
        ];
        let conduct = compute_conduct(&answers, &readers);
        assert_eq!(conduct[0].concerns, []);
        assert_eq!(
            conduct[1].concerns,
            [
                ParticipantConcern::FailedChecks(Proportion { count: 2, total: 2 }),
                ParticipantConcern::Fast(Proportion { count: 2, total: 3 }),
            ]
        );
    }
}
