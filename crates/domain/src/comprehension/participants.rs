//! How participants went about it: what stands out and should be looked at.
//!
//! As with raters, each figure comes with what it was counted of, and a [`Concern`] is a reason to
//! look, not a verdict: nobody is left out because of one.

use super::{Answers, Choice, conditions::Tally};
use crate::statistics::quality::{Fences, Pace, Share};

/// The same place so often, of at least [`FEWEST_PLACES`] answers A to D.
const SAME_PLACE: f64 = 0.7;
/// The fewest answers that a share of places is judged by.
const FEWEST_PLACES: usize = 9;
/// So many answers in a row at the same of the first four places.
const RUN: usize = 7;
/// So many passages done too fast or too slowly, of at least [`FEWEST_PASSAGES`].
const OFF_PACE: f64 = 0.3;
/// The fewest passages that pace is judged by.
const FEWEST_PASSAGES: usize = 3;
/// So many attention checks failed.
const FAILED: f64 = 0.5;

/// What is known of a participant beside the answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reader {
    /// Active time of each passage done, in milliseconds; 0 where it was not recorded.
    pub passages_ms: Vec<u64>,
    /// Attention checks that were passed, of those given.
    pub checks: Share,
}

/// One participant's figures.
#[derive(Debug, Clone, PartialEq)]
pub struct Conduct {
    /// In [`Answers::participants`].
    pub participant: usize,
    /// The answers by kind.
    pub tally: Tally,
    /// Answers at each of the five places.
    pub places: [usize; 5],
    /// The most answers in a row at the same of the first four places; *unanswerable*, which always
    /// stands last and is often right, ends a run and counts in none.
    pub longest_run: usize,
    /// The times of passages, looked at between the fences of all participants.
    pub pace: Pace,
    /// Attention checks that were passed.
    pub checks: Share,
    /// What stands out.
    pub concerns: Vec<Concern>,
}

/// Something about a participant that a lead should look at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Concern {
    /// At least 70 % of nine or more answers stood at the same of the first four places: chance gives
    /// a quarter.
    SamePlace(Share),
    /// At least seven answers in a row stood at the same of the first four places.
    LongRun(usize),
    /// All of nine or more answers are *unanswerable*.
    OnlyUnanswerable(usize),
    /// At least 30 % of three or more passages were done faster than nearly all are.
    Fast(Share),
    /// At least 30 % of three or more passages took longer than nearly all do.
    Slow(Share),
    /// At least half of the attention checks were failed.
    FailedChecks(Share),
}

impl Concern {
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

    /// What was found, for people.
    #[must_use]
    pub fn sentence(self) -> String {
        let of = |share: Share| format!("{} of {}", share.count, share.of);
        match self {
            Self::SamePlace(share) => {
                format!(
                    "{} answers stood at the same place; chance gives a quarter.",
                    of(share)
                )
            }
            Self::LongRun(run) => format!("{run} answers in a row stood at the same place."),
            Self::OnlyUnanswerable(n) => format!("All {n} answers are “unanswerable”."),
            Self::Fast(share) => {
                format!(
                    "{} passages were done faster than nearly all are.",
                    of(share)
                )
            }
            Self::Slow(share) => {
                format!("{} passages took longer than nearly all do.", of(share))
            }
            Self::FailedChecks(share) => format!("{} attention checks were failed.", of(share)),
        }
    }
}

/// The figures of each participant, in the order of [`Answers::participants`]; `readers` says what
/// else is known, in the same order, and may be shorter where nothing is.
#[must_use]
pub fn conduct(answers: &Answers, readers: &[Reader]) -> Vec<Conduct> {
    let times = readers.iter().flat_map(|reader| &reader.passages_ms);
    let fences = Fences::of(times.copied());
    let mut shown = vec![Vec::new(); answers.participants().len()];
    for given in answers.given() {
        if let Some(participant) = given.participant {
            shown[participant].push((given.choice, given.place));
        }
    }
    let unknown = Reader::default();
    let figures = |(participant, shown): (usize, &Vec<(Choice, Option<u8>)>)| {
        let reader = readers.get(participant).unwrap_or(&unknown);
        let mut places = [0; 5];
        for place in shown.iter().filter_map(|(_, place)| *place) {
            if let Some(count) = places.get_mut(usize::from(place).wrapping_sub(1)) {
                *count += 1;
            }
        }
        let mut found = Conduct {
            participant,
            tally: shown.iter().map(|(choice, _)| *choice).collect(),
            places,
            longest_run: longest_run(shown.iter().map(|(_, place)| *place)),
            pace: Pace::of(&reader.passages_ms, fences),
            checks: reader.checks,
            concerns: vec![],
        };
        found.concerns = concerns(&found);
        found
    };
    shown.iter().enumerate().map(figures).collect()
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

fn concerns(of: &Conduct) -> Vec<Concern> {
    let first_four = &of.places[..4];
    let same = Share {
        count: first_four.iter().copied().max().unwrap_or(0),
        of: first_four.iter().sum(),
    };
    let (fast, slow) = (
        of.pace.fast.unwrap_or_default(),
        of.pace.slow.unwrap_or_default(),
    );
    let failed = Share {
        count: of.checks.of - of.checks.count,
        of: of.checks.of,
    };
    let unanswerable = of.tally.share(Choice::Unanswerable);
    let reaching = |share: Share, fewest, least| share.reaches(fewest, least).then_some(share);
    let all = [
        reaching(failed, 1, FAILED).map(Concern::FailedChecks),
        reaching(same, FEWEST_PLACES, SAME_PLACE).map(Concern::SamePlace),
        (of.longest_run >= RUN).then_some(Concern::LongRun(of.longest_run)),
        reaching(unanswerable, FEWEST_PLACES, 1.0).map(|share| Concern::OnlyUnanswerable(share.of)),
        reaching(fast, FEWEST_PASSAGES, OFF_PACE).map(Concern::Fast),
        reaching(slow, FEWEST_PASSAGES, OFF_PACE).map(Concern::Slow),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comprehension::Answer;

    fn of(places: &[Option<u8>], choice: Choice) -> Conduct {
        let names: Vec<_> = (0..places.len()).map(|n| n.to_string()).collect();
        let answers: Answers = names
            .iter()
            .zip(places)
            .map(|(question, place)| Answer {
                condition: "Original",
                passage: "1",
                question,
                participant: Some("p"),
                choice,
                place: *place,
            })
            .collect();
        conduct(&answers, &[]).pop().unwrap()
    }

    #[test]
    fn the_same_place_again_and_again_stands_out() {
        let found = of(&[Some(2); 9], Choice::C);
        let same = Share { count: 9, of: 9 };
        assert_eq!(
            found.concerns,
            [Concern::SamePlace(same), Concern::LongRun(9)]
        );
        assert_eq!(found.places, [0, 9, 0, 0, 0]);
        // Below the thresholds, and without recorded places.
        assert_eq!(of(&[Some(2); 6], Choice::C).concerns, []);
        assert_eq!(of(&[None; 20], Choice::C).concerns, []);
        let mixed = [1, 2, 3, 4, 1, 2, 3, 4, 1].map(Some);
        assert_eq!(of(&mixed, Choice::A).concerns, []);
    }

    #[test]
    fn unanswerable_at_its_fixed_place_is_no_straight_line() {
        let found = of(&[Some(5); 8], Choice::Unanswerable);
        assert_eq!((found.longest_run, found.concerns), (0, vec![]));
        let found = of(&[Some(5); 18], Choice::Unanswerable);
        assert_eq!(found.concerns, [Concern::OnlyUnanswerable(18)]);
    }

    #[test]
    fn times_and_checks_stand_out_against_all_participants() {
        let answer = |participant| Answer {
            condition: "Original",
            passage: "1",
            question: "1",
            participant: Some(participant),
            choice: Choice::A,
            place: None,
        };
        let answers: Answers = ["usual", "quick"].map(answer).into_iter().collect();
        let usual = [50, 60, 70, 80, 90, 100, 110, 120]
            .map(|s| s * 1_000)
            .to_vec();
        let readers = [
            Reader {
                passages_ms: usual,
                checks: Share { count: 1, of: 1 },
            },
            Reader {
                passages_ms: vec![1_000, 900, 80_000],
                checks: Share { count: 0, of: 2 },
            },
        ];
        let found = conduct(&answers, &readers);
        assert_eq!(found[0].concerns, []);
        assert_eq!(
            found[1].concerns,
            [
                Concern::FailedChecks(Share { count: 2, of: 2 }),
                Concern::Fast(Share { count: 2, of: 3 }),
            ]
        );
    }
}
