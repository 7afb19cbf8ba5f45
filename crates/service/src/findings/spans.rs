//! Findings on marked spans.

use super::systems::pairs_that_differ;
use crate::{figures::spans::SpanFigures, wording::decimal};

/// Says how far raters mark alike.
#[must_use]
pub fn agreement(of: &SpanFigures) -> String {
    match (of.all.alpha, of.all.f1) {
        (Ok(alpha), Ok(f1)) => format!(
            "Raters who marked the same outputs agree with α = {} and F1 = {}",
            decimal(alpha, 3),
            decimal(f1, 3)
        ),
        (Err(reason), _) | (_, Err(reason)) => {
            format!("Agreement on marks cannot be computed yet: {reason}")
        }
    }
}

/// Says how many pairs of systems differ in the number of their marks.
#[must_use]
pub fn counts(of: &SpanFigures) -> String {
    in_what("in the number of marks", pairs_that_differ(&of.by_count))
}

/// Says how many pairs of systems differ in the mean value of their marks.
#[must_use]
pub fn values(of: &SpanFigures) -> String {
    in_what("in the value of marks", pairs_that_differ(&of.by_value))
}

fn in_what(words: &str, sentence: String) -> String {
    match sentence.strip_suffix(" by more than chance") {
        Some(pairs) => format!("{pairs} {words} by more than chance"),
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::{
        span::Span,
        span_marks::{
            SpanMark,
            taxonomy::{MarkLevel, SpanTaxonomy},
        },
    };

    use super::*;
    use crate::figures::spans::JudgedSpans;

    /// Two raters who mark the same on each source: one correct mark of a, and two wrong ones of b.
    fn figures(sources: usize) -> SpanFigures {
        let level = |name: &str, value| MarkLevel {
            name: name.to_owned(),
            value,
            ..MarkLevel::default()
        };
        let taxonomy = SpanTaxonomy {
            levels: vec![level("correct", 1.0), level("wrong", 0.0)],
            ..SpanTaxonomy::default()
        };

        let mark = |level: &str, start| SpanMark {
            kind: "Word".to_owned(),
            level: Some(level.to_owned()),
            source: vec![],
            output: vec![Span::new(start, start + 1)],
        };

        let mut judgements = vec![];
        for source in 0..sources {
            for rater in ["annotator 1", "annotator 2"] {
                for (system, marks) in [
                    ("a", vec![mark("correct", 0)]),
                    ("b", vec![mark("wrong", 0), mark("wrong", 2)]),
                ] {
                    judgements.push(JudgedSpans {
                        rater: rater.to_owned(),
                        source: source.to_string(),
                        source_text: Arc::from("A text."),
                        text: format!("x {system} y"),
                        systems: vec![system.to_owned()],
                        marks,
                    });
                }
            }
        }

        SpanFigures::compute(taxonomy, &judgements, None)
    }

    #[test]
    fn a_claim_needs_sources_and_a_test() {
        let (none, few, many) = (figures(0), figures(3), figures(20));
        assert_eq!(
            agreement(&none),
            "Agreement on marks cannot be computed yet: no output was rated by two raters, so there is nothing to \
             compare"
        );
        assert_eq!(
            agreement(&few),
            "Raters who marked the same outputs agree with α = 1.000 and F1 = 1.000"
        );

        assert!(
            counts(&few).starts_with("Too early to say"),
            "{}",
            counts(&few)
        );
        assert_eq!(
            counts(&many),
            "The two systems differ in the number of marks by more than chance"
        );
        assert_eq!(
            values(&many),
            "The two systems differ in the value of marks by more than chance"
        );
    }
}
