use super::{
    Proportion, RaterConduct, RaterQuality, RoundingShares, SampleMean, rounding::LONG_SCALE,
};
use crate::{score::RatingScale, statistics::UndefinedReason};

/// The least rise of α without a rater that is reported.
const MIN_ALPHA_GAIN: f64 = 0.02;
/// The least share of flat sources that is reported, of at least [`MIN_SOURCES`].
const MIN_FLAT_SHARE: f64 = 0.2;
/// The least number of equal scores in a row that is reported.
const MIN_RUN_LENGTH: usize = 10;
/// The least share of multiples of ten, or of five, that is reported, of at least [`MIN_SCORES`] scores.
const MIN_ROUND_SHARE: f64 = 0.8;
/// The least share of sources done too fast that is reported, of at least [`MIN_SOURCES`].
const MIN_FAST_SHARE: f64 = 0.1;
/// The least share of pairs ordered against their scores that is reported, of at least [`MIN_SCORES`].
const MIN_CONFLICT_SHARE: f64 = 0.05;
/// The least share that is reported of answers that did not notice a scrambled output, of at least
/// [`MIN_ITEMS`], and of failed attention items, of at least [`MIN_ATTENTION_ITEMS`].
const MIN_MISSED_SHARE: f64 = 0.25;
/// The least mean distance of the scores of repeated outputs that is reported, as a fraction of the
/// scale, over at least [`MIN_ITEMS`].
const MIN_REPEAT_DISTANCE: f64 = 0.15;

/// The fewest sources from which a share of sources is judged.
const MIN_SOURCES: usize = 5;
/// The fewest scores or pairs from which their share is judged.
const MIN_SCORES: usize = 20;
/// The fewest attention items from which a rater is judged.
const MIN_ATTENTION_ITEMS: usize = 2;
/// The fewest quality-control items from which a rater is judged.
const MIN_ITEMS: usize = 3;

/// A reason for a lead to look at a rater's work. It is not a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RaterConcern {
    /// All scores are the same.
    Constant,
    /// The others agree better without the rater: the rise of α, at least 0.02.
    LowersAgreement(f64),
    /// On at least 20 % of five or more sources all scores are nearly the same, on a scale of fifty
    /// points or more: on a shorter one three outputs often deserve the same.
    Flat(Proportion),
    /// At least ten equal scores in a row, on a scale of fifty points or more.
    LongRun(usize),
    /// Sources done faster than anyone can read; one is enough.
    Unread(Proportion),
    /// At least 80 % of twenty or more scores are multiples of ten.
    Rounds(Proportion),
    /// At least 80 % of twenty or more scores are multiples of five, and not as many of ten.
    RoundsToFives(Proportion),
    /// At least 10 % of five or more sources were done faster than nearly all others.
    Hurries(Proportion),
    /// At least 5 % of twenty or more ordered pairs contradict their scores.
    Contradicts(Proportion),
    /// Answers that did not notice a scrambled output: its score is not below that of its original, it did not lose a
    /// comparison with it, or it has no marks. At least 25 % of three or more answers.
    MissesScrambled(Proportion),
    /// Attention items with other answers than expected: at least 25 % of two or more.
    FailsAttention(Proportion),
    /// The scores of three or more repeated outputs lie at least 15 % of the scale apart on average,
    /// and at least one point; in points.
    Unsteady(f64),
}

/// The concerns that follow from a rater's figures, the most serious first: from scores, where there are any, and from the
/// work, where it is known.
#[must_use]
pub fn find_concerns(
    scores: Option<&RaterQuality>,
    conduct: Option<&RaterConduct>,
    scale: RatingScale,
) -> Vec<RaterConcern> {
    let from_scores = scores.map(|scores| find_score_concerns(scores, scale));
    let from_work = conduct.map(|conduct| find_work_concerns(conduct, scale));
    let concerns = [from_scores, from_work].into_iter().flatten();
    concerns.flatten().collect()
}

fn find_score_concerns(quality: &RaterQuality, scale: RatingScale) -> Vec<RaterConcern> {
    let steps = scale.high - scale.low;
    let long = steps >= LONG_SCALE;
    let straight = quality.straight;

    let concerns = [
        (quality.sd == Err(UndefinedReason::Constant)).then_some(RaterConcern::Constant),
        quality
            .others
            .gain
            .ok()
            .filter(|gain| *gain >= MIN_ALPHA_GAIN)
            .map(RaterConcern::LowersAgreement),
        share_if_reached(straight.flat, MIN_SOURCES, MIN_FLAT_SHARE)
            .filter(|_| long)
            .map(RaterConcern::Flat),
        (long && straight.longest_run >= MIN_RUN_LENGTH)
            .then_some(RaterConcern::LongRun(straight.longest_run)),
        quality.rounding.ok().and_then(find_rounding),
    ];
    concerns.into_iter().flatten().collect()
}

/// Tens, or fives where the tens are too few.
fn find_rounding(rounding: RoundingShares) -> Option<RaterConcern> {
    let tens = share_if_reached(rounding.tens, MIN_SCORES, MIN_ROUND_SHARE);
    let fives = share_if_reached(rounding.fives, MIN_SCORES, MIN_ROUND_SHARE);
    tens.map(RaterConcern::Rounds)
        .or(fives.map(RaterConcern::RoundsToFives))
}

fn find_work_concerns(conduct: &RaterConduct, scale: RatingScale) -> Vec<RaterConcern> {
    let steps = scale.high - scale.low;
    let missed = complement(conduct.checks.scrambled_noticed());
    let failed = complement(conduct.checks.attention);
    let fast = conduct.pace.fast.unwrap_or_default();

    let concerns = [
        share_if_reached(conduct.unread, 1, f64::MIN_POSITIVE).map(RaterConcern::Unread),
        share_if_reached(missed, MIN_ITEMS, MIN_MISSED_SHARE).map(RaterConcern::MissesScrambled),
        share_if_reached(failed, MIN_ATTENTION_ITEMS, MIN_MISSED_SHARE)
            .map(RaterConcern::FailsAttention),
        repeat_distance(conduct.checks.repeated, steps).map(RaterConcern::Unsteady),
        share_if_reached(fast, MIN_SOURCES, MIN_FAST_SHARE).map(RaterConcern::Hurries),
        share_if_reached(conduct.conflicts, MIN_SCORES, MIN_CONFLICT_SHARE)
            .map(RaterConcern::Contradicts),
    ];
    concerns.into_iter().flatten().collect()
}

/// The items that do not qualify, of all.
fn complement(share: Proportion) -> Proportion {
    Proportion {
        count: share.total - share.count,
        total: share.total,
    }
}

fn share_if_reached(share: Proportion, fewest: usize, least: f64) -> Option<Proportion> {
    share.reaches(fewest, least).then_some(share)
}

fn repeat_distance(repeated: SampleMean, steps: i32) -> Option<f64> {
    let points = repeated.value().ok()?;
    let least = (MIN_REPEAT_DISTANCE * f64::from(steps)).max(1.0);
    (repeated.n >= MIN_ITEMS && points >= least).then_some(points)
}

impl RaterConcern {
    /// Two or three words for a table, and for programs.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Constant => "no spread",
            Self::LowersAgreement(_) => "lowers agreement",
            Self::Flat(_) => "flat sources",
            Self::LongRun(_) => "equal scores in a row",
            Self::Unread(_) => "faster than anyone can read",
            Self::Rounds(_) | Self::RoundsToFives(_) => "round numbers",
            Self::Hurries(_) => "hurries",
            Self::Contradicts(_) => "order against scores",
            Self::MissesScrambled(_) => "misses scrambled outputs",
            Self::FailsAttention(_) => "fails attention items",
            Self::Unsteady(_) => "unsteady on repeats",
        }
    }

    /// A sentence about the finding.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::Constant => "All scores are the same, so there are no z-scores.".to_owned(),
            Self::LowersAgreement(gain) => {
                format!("The others agree better without this rater: α rises by {gain:.3}.")
            }
            Self::Flat(share) => {
                let share = percent(share);
                format!("All scores nearly the same on {share} sources.")
            }
            Self::LongRun(run) => format!("The same score {run} times in a row."),
            Self::Rounds(share) => {
                format!("Multiples of ten: {} scores.", percent(share))
            }
            Self::RoundsToFives(share) => {
                format!("Multiples of five: {} scores.", percent(share))
            }
            Self::Unread(share) => {
                let share = percent(share);
                format!("Done faster than anyone can read: {share} sources.")
            }
            Self::Hurries(share) => {
                let share = percent(share);
                format!("Done faster than nearly all others: {share} sources.")
            }
            Self::Contradicts(share) => {
                let share = percent(share);
                format!("Scores contradict the rater's own order in {share} pairs.")
            }
            Self::MissesScrambled(share) => {
                let share = percent(share);
                format!("Scrambled outputs that the rater did not notice: {share}.")
            }
            Self::FailsAttention(share) => {
                format!(
                    "Attention items with other answers than expected: {}.",
                    percent(share)
                )
            }
            Self::Unsteady(points) => {
                let decimals = usize::from(points < 10.0);
                format!(
                    "Scores of repeated outputs are {points:.decimals$} points apart on average."
                )
            }
        }
    }
}

/// The count, the total and the percentage.
fn percent(share: Proportion) -> String {
    let rate = 100.0 * share.rate().unwrap_or_default();
    format!("{} of {} ({rate:.0} %)", share.count, share.total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::quality::{PaceSummary, QualityControlScores, compute_rater_quality};

    fn share(count: usize, of: usize) -> Proportion {
        Proportion { count, total: of }
    }

    /// A single rater without concerns.
    fn usual() -> RaterQuality {
        let scores = (0..40).map(|at| ((), at / 4, at, f64::from(at * 7 % 101)));
        let mut report = compute_rater_quality(scores, RatingScale::PERCENT).unwrap();
        report.figures.remove(&()).unwrap()
    }

    fn usual_conduct() -> RaterConduct {
        RaterConduct {
            pace: PaceSummary {
                sources: 9,
                median_ms: Ok(60_000.0),
                fast: Ok(share(0, 9)),
                slow: Ok(share(9, 9)),
            },
            unread: share(0, 9),
            conflicts: share(0, 100),
            categories: share(0, 100),
            edits: share(0, 100),
            checks: QualityControlScores::default(),
        }
    }

    #[test]
    fn what_is_far_from_usual_is_named_from_its_threshold_on() {
        type Change = fn(&mut RaterQuality, &mut RaterConduct);
        let check = |change: Change, expect: &[&str]| {
            let (mut scores, mut conduct) = (usual(), usual_conduct());
            change(&mut scores, &mut conduct);
            let concerns = find_concerns(Some(&scores), Some(&conduct), RatingScale::PERCENT);
            let names: Vec<_> = concerns.iter().map(|concern| concern.title()).collect();
            assert_eq!(names, expect);
            assert!(
                concerns
                    .iter()
                    .all(|concern| concern.sentence().ends_with('.'))
            );
        };
        check(|_, _| (), &[]);
        check(
            |quality, _| quality.sd = Err(UndefinedReason::Constant),
            &["no spread"],
        );
        check(
            |quality, _| quality.others.gain = Ok(0.02),
            &["lowers agreement"],
        );
        check(|quality, _| quality.others.gain = Ok(0.019), &[]);
        check(
            |quality, _| quality.straight.flat = share(1, 5),
            &["flat sources"],
        );
        check(|quality, _| quality.straight.flat = share(4, 4), &[]);
        check(
            |quality, _| quality.straight.longest_run = 10,
            &["equal scores in a row"],
        );
        check(|quality, _| quality.straight.longest_run = 9, &[]);
        check(
            |quality, _| quality.rounding.as_mut().unwrap().tens = share(16, 20),
            &["round numbers"],
        );
        check(
            |quality, _| quality.rounding.as_mut().unwrap().fives = share(16, 20),
            &["round numbers"],
        );
        check(
            |quality, _| quality.rounding.as_mut().unwrap().fives = share(15, 20),
            &[],
        );
        check(
            |_, conduct| conduct.pace.fast = Ok(share(1, 9)),
            &["hurries"],
        );
        check(
            |_, conduct| conduct.unread = share(1, 40),
            &["faster than anyone can read"],
        );
        check(
            |_, conduct| conduct.pace.fast = Err(UndefinedReason::Constant),
            &[],
        );
        check(
            |_, conduct| conduct.conflicts = share(1, 20),
            &["order against scores"],
        );
        check(|_, conduct| conduct.conflicts = share(19, 19), &[]);
        check(
            |_, conduct| conduct.checks.scrambled_below = share(2, 3),
            &["misses scrambled outputs"],
        );
        check(
            |_, conduct| conduct.checks.scrambled_below = share(0, 2),
            &[],
        );
        check(
            |_, conduct| conduct.checks.attention = share(1, 2),
            &["fails attention items"],
        );
        check(|_, conduct| conduct.checks.attention = share(0, 1), &[]);
        check(|_, conduct| conduct.checks.attention = share(4, 5), &[]);
        check(
            |_, conduct| conduct.checks.repeated = [0.0, 20.0, 25.0].into_iter().collect(),
            &["unsteady on repeats"],
        );
        check(
            |_, conduct| conduct.checks.repeated = [99.0; 2].into_iter().collect(),
            &[],
        );
    }

    #[test]
    fn what_is_usual_on_five_points_is_no_reason_to_look() {
        let mut quality = usual();
        quality.straight.longest_run = 50;
        quality.straight.flat = share(40, 40);
        let mut conduct = usual_conduct();
        let mut repeats = |apart: [f64; 3]| {
            conduct.checks.repeated = apart.into_iter().collect();
            let concerns = find_concerns(
                Some(&quality),
                Some(&conduct),
                RatingScale { low: 1, high: 5 },
            );
            concerns
                .into_iter()
                .map(RaterConcern::sentence)
                .collect::<Vec<_>>()
        };
        assert!(repeats([0.0, 1.0, 1.0]).is_empty());
        assert_eq!(
            repeats([1.0, 1.0, 2.5]),
            ["Scores of repeated outputs are 1.5 points apart on average."]
        );
        // On a Likert scale, multiples of 5 and 10 mean nothing.
        let scores = (0..40).map(|at| ((), at / 4, at, f64::from(at * 7 % 5 - 2)));
        let report = compute_rater_quality(scores, RatingScale::LIKERT).unwrap();
        let quality = &report.figures[&()];
        assert_eq!(quality.rounding, Err(UndefinedReason::ShortScale));
        assert!(find_concerns(Some(quality), None, RatingScale::LIKERT).is_empty());
    }
}
