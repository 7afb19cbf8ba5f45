//! The meaning of scores in words.

use serde::{Deserialize, Serialize};

use crate::{score::RatingScale, study::Dimension};

/// The words for ranges of scores: a line for each range, from the highest down, such as
/// `70–89: easy to understand`. It stays text, so that the browser needs little code for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScoreAnchors(String);

/// The words for the scale of Rank & Rate where a study has none of its own.
const DEFAULT_ANCHORS: &str = "\
90–100: easy to understand at once; nothing that matters is lost
70–89: easy to understand; a detail is lost, or a word is still hard
50–69: the main point is clear, but it takes work or some of it is lost
30–49: no easier than the source, or much is lost
10–29: misleading, or hard to follow
0–9: of no use to the reader";

impl ScoreAnchors {
    /// The anchors of a study that rates on one dimension: those of a table or list in its guidelines
    /// whose ranges reach both ends of the scale, such as `| 70–89 | understands easily |`. Otherwise
    /// the default ones, if the dimension is the default one and the guidelines give no range at all: two
    /// meanings of one score would contradict each other. A study with several dimensions has none,
    /// because a table does not say which of them it is about.
    #[must_use]
    pub fn for_study(guidelines: &str, dimensions: &[Dimension]) -> Self {
        let [dimension] = dimensions else {
            return Self::default();
        };
        let ranges = find_ranges(guidelines, dimension.scale);
        let has_own = ranges.iter().any(|((low, high), _)| low < high);
        join_ranges(ranges, dimension.scale).unwrap_or_else(|| {
            let is_default = *dimension == Dimension::default() && !has_own;
            Self(if is_default { DEFAULT_ANCHORS } else { "" }.to_owned())
        })
    }

    /// The line of the range that holds `score`; empty if there is none.
    #[must_use]
    pub fn describe(&self, score: i32) -> &str {
        let line = self.0.lines().find(|line| {
            let range = line.split(':').next().and_then(parse_range);
            range.is_some_and(|(low, high)| low <= score && score <= high)
        });
        line.unwrap_or_default()
    }
}

/// A range of scores, both ends included, and its words.
type ScoreRange = ((i32, i32), String);

/// The ranges of the scale in a Markdown text.
fn find_ranges(guidelines: &str, scale: RatingScale) -> Vec<ScoreRange> {
    let ranges = guidelines.lines().filter_map(parse_row);
    ranges
        .filter(|((low, high), _)| scale.low <= *low && low <= high && *high <= scale.high)
        .collect()
}

/// The anchors of the ranges, if they reach both ends of the scale and do not overlap.
fn join_ranges(mut anchors: Vec<ScoreRange>, scale: RatingScale) -> Option<ScoreAnchors> {
    anchors.sort_by_key(|((low, _), _)| std::cmp::Reverse(*low));
    let overlaps = anchors.windows(2).any(|pair| pair[1].0.1 >= pair[0].0.0);

    let ((_, highest), _) = anchors.first()?;
    let ((lowest, _), _) = anchors.last()?;
    if overlaps || *highest != scale.high || *lowest != scale.low {
        return None;
    }

    let lines = anchors
        .into_iter()
        .map(|((low, high), words)| match low == high {
            true => format!("{low}: {words}"),
            false => format!("{low}–{high}: {words}"),
        });
    Some(ScoreAnchors(lines.collect::<Vec<_>>().join("\n")))
}

/// The range and the words of a row `| 70–89 | words |` or of a list item such as `- 70–89: words`,
/// `70–89 = words` or `* 70 to 89 – words`.
fn parse_row(line: &str) -> Option<ScoreRange> {
    let plain = line.replace(['*', '`'], "");
    let line = plain.trim();
    let (range, words) = match line.trim_start_matches('|').split_once('|') {
        Some((range, rest)) => (range, rest.split('|').next()?),
        None => {
            let item = ["- ", "+ ", "• "]
                .into_iter()
                .find_map(|bullet| line.strip_prefix(bullet));
            let item = item.unwrap_or(line);
            let signs = [":", " = ", " – ", " — ", " - "].into_iter();
            signs
                .filter_map(|sign| item.split_once(sign))
                .find(|(range, _)| parse_range(range).is_some())?
        }
    };

    let words = words.trim();
    (!words.is_empty()).then_some((parse_range(range)?, words.to_owned()))
}

/// A range such as `70–89`, `70-89` or `70 to 89`, or a single score.
fn parse_range(text: &str) -> Option<(i32, i32)> {
    if let Some(score) = parse_score(text) {
        return Some((score, score));
    }

    let (low, high) = text
        .split_once('–')
        .or_else(|| text.split_once(" to "))
        .or_else(|| text.trim_start().split_once('-'))?;
    Some((parse_score(low)?, parse_score(high)?))
}

fn parse_score(text: &str) -> Option<i32> {
    text.trim().replace('−', "-").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchors(guidelines: &str) -> ScoreAnchors {
        ScoreAnchors::for_study(guidelines, &[Dimension::default()])
    }

    #[test]
    fn every_score_of_the_default_scale_has_words() {
        let default = anchors("# How to judge\n\nBe fair.");
        for score in 0..=100 {
            assert!(!default.describe(score).is_empty(), "{score}");
        }
        assert!(
            default
                .describe(89)
                .starts_with("70–89: easy to understand;")
        );
        assert!(default.describe(90).starts_with("90–100:"));
        assert_eq!(default.describe(101), "");
    }

    #[test]
    fn a_table_or_list_in_the_guidelines_comes_first() {
        let table = "# Scores\n\n| Score | The reader |\n|---|---|\n| **50–100** | understands |\n| 0–49 | does not |";
        assert_eq!(anchors(table).describe(50), "50–100: understands");
        assert_eq!(anchors(table).describe(3), "0–49: does not");
        let bare = "score | meaning\n--|--\n0 | unusable\n100 | perfect";
        assert_eq!(anchors(bare).describe(100), "100: perfect");
        assert_eq!(anchors(bare).describe(60), "");
        for list in [
            "- 60 to 100: good\n- 0-59: bad",
            "* 60–100 – good\n* 0–59 – bad",
            "60–100 = good\n\n0–59 = bad",
            "• **60-100**: good\n• **0-59**: bad",
        ] {
            assert_eq!(anchors(list).describe(59), "0–59: bad", "{list}");
        }
    }

    #[test]
    fn other_tables_are_no_anchors() {
        let default = anchors("");
        for guidelines in [
            "| Step | To do |\n|--|--|\n| 1 | sort |\n| 2 | check |",
            "12:30 is lunch",
        ] {
            assert_eq!(anchors(guidelines), default, "{guidelines}");
        }
        // Ranges that do not cover the scale are no anchors either, but the default ones could contradict them.
        for guidelines in ["| 0–60 | bad |\n| 50–100 | good |", "- 0–49: bad"] {
            assert_eq!(anchors(guidelines), ScoreAnchors::default(), "{guidelines}");
        }
    }

    #[test]
    fn other_scales_have_only_the_words_of_their_guidelines() {
        let likert = Dimension::new("simplicity", RatingScale::LIKERT);
        let one = std::slice::from_ref(&likert);
        assert_eq!(ScoreAnchors::for_study("", one), ScoreAnchors::default());
        let table = "| -2 | far harder |\n| −1 to 1 | the same |\n| 2 | far simpler |";
        let words = ScoreAnchors::for_study(table, one);
        assert_eq!(words.describe(-2), "-2: far harder");
        assert_eq!(words.describe(0), "-1–1: the same");
        let several = [likert, Dimension::default()];
        assert_eq!(
            ScoreAnchors::for_study(table, &several),
            ScoreAnchors::default()
        );
    }
}
