//! Crowd raters: people who rate by a link, without an account of their own.

use serde::{Deserialize, Serialize};

use crate::{
    names::names,
    purpose::OutputPurpose,
    score::RatingScale,
    screening::{RaterScreening, ScreeningOutcome},
    statistics::quality::CheckOutcome,
};

/// The settings of a study for its crowd raters. A study is closed to them until its lead opens it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct CrowdSettings {
    /// Whether crowd raters may begin.
    pub is_open: bool,
    /// The number of sources that each of them rates; 0: all that they can be given.
    pub sources_each: u32,
    /// Whether a rater may begin only by a link that holds their platform ID.
    pub needs_platform_id: bool,
    /// The questions asked before the work.
    pub screening: RaterScreening,
    /// The rule for those who fail attention items.
    pub failed_checks: FailedChecksRule,
    /// The codes shown at the end.
    pub codes: CompletionCodes,
    /// The link offered at the end, with [`CODE_PLACE`] in place of the code; empty for none.
    pub return_link: String,
}

/// The place of the code in [`CrowdSettings::return_link`].
pub const CODE_PLACE: &str = "{code}";

impl CrowdSettings {
    /// The most sources that can be asked of each rater.
    pub const MOST_SOURCES: u32 = 10_000;
    /// The longest code, in characters.
    pub const LONGEST_CODE: usize = 100;

    /// Whether nothing was set.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// The settings without what belongs to one run of the study: the codes and the link back to a platform. Nobody
    /// can begin before the lead opens the study.
    #[must_use]
    pub fn without_run(self) -> Self {
        Self {
            is_open: false,
            codes: CompletionCodes::default(),
            return_link: String::new(),
            ..self
        }
    }

    /// The ways in which a crowd rater's work can end that have no completion code, so that the rater would not be paid.
    /// `qualifies_by_answers` says whether a qualification can end it.
    #[must_use]
    pub fn ends_without_code(&self, qualifies_by_answers: bool) -> Vec<CrowdEnd> {
        let ends = [
            (CrowdEnd::Completed, true),
            (
                CrowdEnd::ScreenedOut,
                qualifies_by_answers || self.screening.excludes_anybody(),
            ),
            (CrowdEnd::FailedChecks, self.failed_checks.from > 0),
            (CrowdEnd::QuotaFull, true),
        ];

        let lacking = ends
            .into_iter()
            .filter(|(end, can_happen)| *can_happen && self.codes.code(*end).is_none());
        lacking.map(|(end, _)| end).collect()
    }

    /// The link back to the platform for raters whose work ends this way; `None` without a link, or for a code that a
    /// link cannot hold as it is.
    #[must_use]
    pub fn return_address(&self, end: CrowdEnd) -> Option<String> {
        let code = self.codes.code(end)?;
        if self.return_link.contains(CODE_PLACE) {
            // The lead types the code, so it may hold any character.
            let needs_no_encoding = code
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.~".contains(c));
            return needs_no_encoding.then(|| self.return_link.replace(CODE_PLACE, code));
        }

        (end == CrowdEnd::Completed && !self.return_link.is_empty())
            .then(|| self.return_link.clone())
    }
}

/// The codes that the platform pays by, one for each end. An empty one is not shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct CompletionCodes {
    /// For those who did their sources.
    pub completed: String,
    /// For those whose answers to the screening questions are not accepted.
    pub screened_out: String,
    /// For those who failed attention items.
    pub failed_checks: String,
    /// For those who came when every place was taken.
    pub quota_full: String,
}

impl CompletionCodes {
    /// The code for an end; `None` where there is none.
    #[must_use]
    pub fn code(&self, end: CrowdEnd) -> Option<&str> {
        let code = match end {
            CrowdEnd::Completed => &self.completed,
            CrowdEnd::ScreenedOut => &self.screened_out,
            CrowdEnd::FailedChecks | CrowdEnd::Paused => &self.failed_checks,
            CrowdEnd::QuotaFull => &self.quota_full,
            CrowdEnd::Withdrawn | CrowdEnd::Excluded | CrowdEnd::Lapsed => return None,
        };
        Some(code.as_str()).filter(|code| !code.is_empty())
    }
}

/// The way in which a crowd rater's work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CrowdEnd {
    /// They did their sources.
    Completed,
    /// Their answers to the screening questions, or in the qualification, are not accepted.
    ScreenedOut,
    /// Every place for people who answer as they do was taken.
    QuotaFull,
    /// They failed attention items, and their ratings do not count.
    FailedChecks,
    /// They failed attention items, and get no more sources until the lead decides. Their ratings count.
    Paused,
    /// They withdrew.
    Withdrawn,
    /// The lead excluded them, with a reason.
    Excluded,
    /// They were away for long, and another person has their place.
    Lapsed,
}

names!(CrowdEnd, "way to end", UnknownCrowdEnd,
    Completed => "completed", ScreenedOut => "screened-out", QuotaFull => "quota-full",
    FailedChecks => "failed-checks", Paused => "paused", Withdrawn => "withdrawn", Excluded => "excluded",
    Lapsed => "lapsed");

impl From<ScreeningOutcome> for Option<CrowdEnd> {
    fn from(outcome: ScreeningOutcome) -> Self {
        match outcome {
            ScreeningOutcome::Accepted => None,
            ScreeningOutcome::NotAccepted => Some(CrowdEnd::ScreenedOut),
            ScreeningOutcome::QuotaFull => Some(CrowdEnd::QuotaFull),
        }
    }
}

/// The rule for crowd raters who fail attention items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct FailedChecksRule {
    /// The number of failed items from which the rule applies; 0: never.
    pub from: u32,
    /// The consequence.
    pub consequence: FailedChecksConsequence,
}

impl FailedChecksRule {
    /// The largest number of failed items that the rule can wait for.
    pub const MOST: u32 = 1_000;

    /// The end of a rater's work after that many failed items; `None` where it continues.
    #[must_use]
    pub const fn end(self, failed: u32) -> Option<CrowdEnd> {
        if self.from == 0 || failed < self.from {
            return None;
        }
        Some(match self.consequence {
            FailedChecksConsequence::Pause => CrowdEnd::Paused,
            FailedChecksConsequence::Exclude => CrowdEnd::FailedChecks,
        })
    }
}

/// The consequence for a crowd rater who failed too many attention items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailedChecksConsequence {
    /// They get no more sources; their ratings count.
    #[default]
    Pause,
    /// They get no more sources, and their ratings leave the figures.
    Exclude,
}

names!(FailedChecksConsequence, "consequence", UnknownFailedChecksConsequence,
    Pause => "pause", Exclude => "exclude");

/// The share of the scale by which two scores of the same output may differ.
const REPEATED_TOLERANCE: f64 = 0.4;

/// Whether an answer about a quality-control item shows that its rater did not pay attention; `None` where it says
/// nothing about that.
///
/// An output with scrambled words fails unless it scored below the output that it was made from, lost the comparison with
/// it, or had words marked. An output that is shown twice fails where its scores differ by more than 40 % of the scale;
/// attentive raters, too, choose another one of two outputs that are about as good, and mark other words. What a copy of
/// the source should get depends on the guidelines, so that no answer about it fails.
#[must_use]
pub fn fails_check(
    purpose: OutputPurpose,
    outcome: CheckOutcome,
    scale: RatingScale,
) -> Option<bool> {
    match (purpose, outcome) {
        (OutputPurpose::Scrambled, CheckOutcome::Score(score, original)) => {
            Some(score >= original?)
        }
        (OutputPurpose::Scrambled, CheckOutcome::Comparison(is_expected)) => Some(!is_expected),
        (OutputPurpose::Scrambled, CheckOutcome::Marks { count, .. }) => Some(count == 0),
        (OutputPurpose::Repeated, CheckOutcome::Score(score, original)) => {
            let width = f64::from(scale.high) - f64::from(scale.low);
            Some((score - original?).abs() > REPEATED_TOLERANCE * width)
        }
        (OutputPurpose::Repeated, _) | (OutputPurpose::Main | OutputPurpose::Copy, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_code_and_its_way_back() {
        let mut settings = CrowdSettings {
            codes: CompletionCodes {
                completed: "DONE1".into(),
                screened_out: "OUT2".into(),
                failed_checks: "a b".into(),
                quota_full: String::new(),
            },
            return_link: "https://app.example/complete?cc={code}".into(),
            ..CrowdSettings::default()
        };
        let check = |settings: &CrowdSettings, end, code, address: Option<&str>| {
            assert_eq!(settings.codes.code(end), code, "{end}");
            assert_eq!(settings.return_address(end).as_deref(), address, "{end}");
        };
        let done = "https://app.example/complete?cc=DONE1";
        check(&settings, CrowdEnd::Completed, Some("DONE1"), Some(done));
        let out = "https://app.example/complete?cc=OUT2";
        check(&settings, CrowdEnd::ScreenedOut, Some("OUT2"), Some(out));
        check(&settings, CrowdEnd::Paused, Some("a b"), None);
        check(&settings, CrowdEnd::QuotaFull, None, None);
        check(&settings, CrowdEnd::Withdrawn, None, None);
        // Without a place for the code, the link is for those who did their sources.
        settings.return_link = "https://app.example/done".into();
        let done = Some("https://app.example/done");
        check(&settings, CrowdEnd::Completed, Some("DONE1"), done);
        check(&settings, CrowdEnd::ScreenedOut, Some("OUT2"), None);
        let kept = settings.clone().without_run();
        assert_eq!(kept, CrowdSettings::default());
        assert!(!settings.is_default());
    }

    #[test]
    fn each_end_that_can_happen_needs_a_code() {
        use CrowdEnd::{Completed, FailedChecks, QuotaFull, ScreenedOut};
        let screening = |text| RaterScreening::parse(text).expect("questions");
        let mut settings = CrowdSettings::default();
        let check = |settings: &CrowdSettings, qualifies, expect: &[CrowdEnd]| {
            assert_eq!(
                settings.ends_without_code(qualifies),
                expect,
                "{settings:?}"
            );
        };
        check(&settings, false, &[Completed, QuotaFull]);
        check(&settings, true, &[Completed, ScreenedOut, QuotaFull]);
        settings.screening = screening("Age | young | old");
        check(&settings, false, &[Completed, QuotaFull]);
        settings.screening = screening("Age | + young | old");
        check(&settings, false, &[Completed, ScreenedOut, QuotaFull]);
        settings.failed_checks.from = 2;
        settings.codes.completed = "DONE".into();
        settings.codes.screened_out = "OUT".into();
        check(&settings, false, &[FailedChecks, QuotaFull]);
        settings.codes.failed_checks = "FAILED".into();
        settings.codes.quota_full = "FULL".into();
        check(&settings, true, &[]);
    }

    #[test]
    fn attention_items_fail_by_documented_thresholds() {
        let scale = RatingScale::PERCENT;
        let marks = |count| CheckOutcome::Marks {
            count,
            overlap: Some(0.0),
        };
        for (purpose, outcome, expect) in [
            (
                OutputPurpose::Scrambled,
                CheckOutcome::Score(40.0, Some(60.0)),
                Some(false),
            ),
            (
                OutputPurpose::Scrambled,
                CheckOutcome::Score(60.0, Some(60.0)),
                Some(true),
            ),
            (
                OutputPurpose::Scrambled,
                CheckOutcome::Score(60.0, None),
                None,
            ),
            (
                OutputPurpose::Scrambled,
                CheckOutcome::Comparison(true),
                Some(false),
            ),
            (
                OutputPurpose::Scrambled,
                CheckOutcome::Comparison(false),
                Some(true),
            ),
            (OutputPurpose::Scrambled, marks(1), Some(false)),
            (OutputPurpose::Scrambled, marks(0), Some(true)),
            (
                OutputPurpose::Repeated,
                CheckOutcome::Score(20.0, Some(60.0)),
                Some(false),
            ),
            (
                OutputPurpose::Repeated,
                CheckOutcome::Score(19.0, Some(60.0)),
                Some(true),
            ),
            (
                OutputPurpose::Repeated,
                CheckOutcome::Comparison(false),
                None,
            ),
            (OutputPurpose::Repeated, marks(3), None),
            (
                OutputPurpose::Copy,
                CheckOutcome::Score(0.0, Some(60.0)),
                None,
            ),
            (OutputPurpose::Copy, marks(3), None),
            (
                OutputPurpose::Main,
                CheckOutcome::Score(0.0, Some(60.0)),
                None,
            ),
        ] {
            let failed = fails_check(purpose, outcome, scale);
            assert_eq!(failed, expect, "{purpose} {outcome:?}");
        }
    }

    #[test]
    fn the_rule_applies_from_its_number_of_items() {
        let rule = |from, consequence| FailedChecksRule { from, consequence };
        let (pause, exclude) = (
            FailedChecksConsequence::Pause,
            FailedChecksConsequence::Exclude,
        );
        assert_eq!(rule(0, exclude).end(9), None);
        assert_eq!(rule(2, exclude).end(1), None);
        assert_eq!(rule(2, exclude).end(2), Some(CrowdEnd::FailedChecks));
        assert_eq!(rule(2, pause).end(3), Some(CrowdEnd::Paused));
    }
}
