//! How a rater's answers were given: what stands out and should be looked at.
//!
//! Each figure comes with what it was counted of. None of them is a verdict on a person: rounding is
//! a habit, a quick rater may be good, and who disagrees with all others may be right. [`concerns`]
//! names what is far from usual by thresholds that are written down there.

mod checks;
mod concern;
mod conflicts;
mod histogram;
mod others;
mod pace;
mod rater;
mod reading_time;
mod rounding;
mod share;
mod straight;

pub use self::{
    checks::Checks,
    concern::{Concern, concerns},
    conflicts::conflicts,
    histogram::{Bin, Histogram},
    others::{WithOthers, with_others},
    pace::{CUT, FEWEST_TIMES, Fences, Pace},
    rater::{Conduct, RaterQuality, Raters, by_rater, by_rater_of},
    reading_time::{LEAST_MS_AN_OUTPUT, ShownText, WORDS_A_SECOND, too_fast_to_read},
    rounding::{LONG_SCALE, MOST_SHORT_STEPS, Rounding, rounding},
    share::{Mean, Share},
    straight::{FLAT_OUTPUTS, FLAT_SPAN, Straightlining, straightlining},
};
