//! Studies, their roles and their settings.

use std::{borrow::Cow, fmt, ops::RangeInclusive, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    crowd::{CrowdEnd, CrowdSettings},
    names::names,
    protocol::StudyProtocol,
    rater_groups::{RaterGroup, RaterGroupFault},
    score::RatingScale,
    score_input::ScoreInput,
    text::categorise::ThresholdRule,
};

pub use crate::{
    protocol::{UnknownWorkLayout, WorkLayout},
    purpose::{OutputPurpose, SourcePurpose, UnknownOutputPurpose, UnknownSourcePurpose},
    retention::{RetentionPeriod, UnknownRetentionPeriod},
    source_order::{SourceOrder, UnknownSourceOrder},
};

/// A person's role in one study. An administrator may do everything in every study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sets the study up, invites, assigns, adjudicates, exports.
    Lead,
    /// Reads panels, exports pseudonymously, scores and trains.
    Researcher,
    /// Rates outputs.
    Annotator,
}

names!(Role, "role", UnknownRole, Lead => "lead", Researcher => "researcher", Annotator => "annotator");

/// The kind of author of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum SystemKind {
    /// A program.
    Machine,
    /// A person.
    Human,
    /// A trivial procedure, for comparison.
    Baseline,
}

names!(SystemKind, "kind of system", UnknownSystemKind, Machine => "machine", Human => "human", Baseline => "baseline");

/// The kind of a rater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RaterKind {
    /// A member of the study.
    Person,
    /// A column or a worker of an imported file.
    Imported,
    /// A program that simulates an annotator, for the demonstration.
    Simulated,
    /// The raters of each source together, where they agreed. No row of a rater is of this kind.
    Consensus,
}

names!(RaterKind, "kind of rater", UnknownRaterKind,
    Person => "person", Imported => "imported", Simulated => "simulated",
    Consensus => "consensus");

/// The state of an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AssignmentState {
    /// The annotator has it; the lease may have run out.
    Open,
    /// Its answers count.
    HandedIn,
    /// The annotator skipped it, with a reason.
    Skipped,
    /// It was withdrawn: by its expired lease, by the lead or by the annotator's withdrawal.
    Released,
}

names!(AssignmentState, "state of an assignment", UnknownAssignmentState,
    Open => "open", HandedIn => "handed-in", Skipped => "skipped", Released => "released");

/// The rule of step 1, which places an output in a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum CategoryRule {
    /// Token ratio under the threshold, or a sub-multiset of the source's words; copies excepted.
    Tuned,
    /// Character ratio under the threshold, or a subsequence of the source; copies excepted.
    Paper,
}

names!(CategoryRule, "category rule", UnknownCategoryRule, Tuned => "tuned", Paper => "paper");

impl CategoryRule {
    /// The rule's default threshold.
    #[must_use]
    pub const fn default_threshold(self) -> f64 {
        match self {
            Self::Tuned => 0.7,
            Self::Paper => 0.5,
        }
    }
}

/// A dimension on which outputs are rated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct Dimension {
    /// Its name: `overall`, `fluency`, `adequacy`, `simplicity` …
    pub name: String,
    /// The numbers a rating may take.
    pub scale: RatingScale,
    /// How annotators give a rating.
    #[serde(default, skip_serializing_if = "ScoreInput::is_default")]
    pub input: ScoreInput,
}

impl Dimension {
    /// A dimension that is rated with a slider.
    #[must_use]
    pub fn new(name: impl Into<String>, scale: RatingScale) -> Self {
        Self {
            name: name.into(),
            scale,
            input: ScoreInput::default(),
        }
    }

    /// A score as annotators see it: the label of its level in quotes, else the number.
    #[must_use]
    pub fn score_label(&self, score: i32) -> String {
        let level = usize::try_from(score - self.scale.low).ok();
        let labels = self.input.levels().zip(level);
        let label = labels.and_then(|(labels, level)| labels.get(level));
        label.map_or_else(|| score.to_string(), |label| format!("“{label}”"))
    }
}

impl Default for Dimension {
    fn default() -> Self {
        Self::new(OVERALL, RatingScale::PERCENT)
    }
}

/// The dimension of ratings without a named one.
pub const OVERALL: &str = "overall";

/// The condition for admitting an annotator to the sources of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case", tag = "by")]
pub enum QualificationRule {
    /// No condition.
    None,
    /// If the mean distance of the ratings to the expected ones is at most `tolerance`, and at
    /// least the share `categories` (0 to 1) of the categories, and of the answers to questions and marked outputs, is as
    /// expected; otherwise the lead decides.
    Answers {
        /// In points of the scale.
        tolerance: f64,
        /// A fraction, 0 to 1.
        categories: f64,
    },
    /// The lead's approval.
    Lead,
}

/// The frequency of quality-control items among the outputs of sources, and of attention items among the sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct QualityControl {
    /// One source in this many gets an unchanged copy; 0: none.
    pub copy_every: u32,
    /// One source in this many gets an output with scrambled words; 0: none.
    pub scrambled_every: u32,
    /// One source in this many gets one of its outputs a second time; 0: none.
    pub repeated_every: u32,
    /// A rater gets one attention item for this many sources; 0: none.
    pub attention_every: u32,
}

impl QualityControl {
    /// The numbers of sources of which one may get an item; 0: none does.
    pub const EVERY: RangeInclusive<u32> = 0..=1_000;
    /// The items that a new study gets where its lead wants any.
    pub const SUGGESTED: Self = Self {
        copy_every: 10,
        scrambled_every: 10,
        repeated_every: 10,
        attention_every: 10,
    };
}

/// The settings of a study, without its texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct StudySettings {
    /// The number of raters for each source, without those of groups that have a number of their own.
    pub overlap: u32,
    /// The rule of step 1.
    pub category_rule: CategoryRule,
    /// The rule's threshold, 0 to 1.
    pub category_threshold: f64,
    /// The dimensions on which outputs are rated; the first determines the ranking.
    pub dimensions: Vec<Dimension>,
    /// The steps in which annotators judge a source.
    pub protocol: StudyProtocol,
    /// How annotators go through a source.
    pub layout: WorkLayout,
    /// Whether annotators may say that they cannot judge an output. Studies from before the setting: no.
    #[serde(default)]
    pub accepts_unjudged: bool,
    /// Whether annotators who submitted the same source may agree on a consensus. Leads always may.
    pub annotators_agree: bool,
    /// The rule for which of the sources that need raters equally comes first.
    #[serde(skip_serializing_if = "SourceOrder::is_default")]
    pub source_order: SourceOrder,
    /// How long an inactive annotator keeps a source, in hours.
    pub lease_hours: u32,
    /// The condition for admitting annotators.
    pub qualification: QualificationRule,
    /// Quality-control items.
    pub quality_control: QualityControl,
    /// The number of new ratings after which the learned metric is retrained automatically; 0: never.
    pub retrain_every: u32,
    /// How long personal data is kept.
    pub retention: RetentionPeriod,
    /// People who rate by a link, without an account.
    #[serde(skip_serializing_if = "CrowdSettings::is_default")]
    pub crowd: CrowdSettings,
    /// Groups of raters, with dimensions and numbers of raters of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<RaterGroup>,
}

/// The numbers of raters that sources are to get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedRaters {
    /// The study's number, without groups that have one of their own.
    overlap: u32,
    /// The groups that have a number of their own, by their ids.
    groups: Vec<(String, u32)>,
}

impl WantedRaters {
    /// The number for a source in all. It may have one of its own in place of the study's.
    #[must_use]
    pub fn for_source(&self, own_overlap: Option<u32>) -> u32 {
        self.by_pool(own_overlap).sum()
    }

    /// The numbers for a source by the pools of its raters: first those of groups with a number of their own, then all
    /// others.
    pub fn by_pool(&self, own_overlap: Option<u32>) -> impl Iterator<Item = u32> {
        let groups = self.groups.iter().map(|(_, number)| *number);
        groups.chain([own_overlap.unwrap_or(self.overlap)])
    }

    /// The pool that raters of a group belong to, counted from 0.
    #[must_use]
    pub fn pool(&self, group: Option<&str>) -> usize {
        let mut groups = self.groups.iter();
        let own = groups.position(|(id, _)| Some(id.as_str()) == group);
        own.unwrap_or(self.groups.len())
    }

    /// The number of wanted raters that a source already has, where it has `raters` in all; `in_groups` lists the
    /// group of each one who is in a group. Raters beyond the number of their pool do not count, because they cannot
    /// replace those of another pool.
    pub fn count_filled<'a>(
        &self,
        own_overlap: Option<u32>,
        raters: u32,
        in_groups: impl IntoIterator<Item = &'a str>,
    ) -> u32 {
        let mut counts = vec![0; self.groups.len() + 1];
        for group in in_groups {
            counts[self.pool(Some(group))] += 1;
        }

        let grouped: u32 = counts.iter().sum();
        counts[self.groups.len()] += raters.saturating_sub(grouped);

        let pools = self.by_pool(own_overlap).zip(counts);
        pools.map(|(wanted, count)| wanted.min(count)).sum()
    }
}

/// The numbers in a study whose groups have none of their own.
impl From<u32> for WantedRaters {
    fn from(overlap: u32) -> Self {
        Self {
            overlap,
            groups: vec![],
        }
    }
}

impl StudySettings {
    /// The numbers of raters that a source may get. Where a group has a number of its own, 0 is one as well.
    pub const OVERLAP: RangeInclusive<u32> = 1..=100;
    /// The hours for which an inactive annotator may keep a source.
    pub const LEASE_HOURS: RangeInclusive<u32> = 1..=8_760;
    /// The numbers of new ratings after which the learned metric may be retrained.
    pub const RETRAIN_EVERY: RangeInclusive<u32> = 0..=1_000_000;

    /// The numbers of raters that a source may get in addition to those of groups with a number of their own.
    #[must_use]
    pub fn overlap_range(&self) -> RangeInclusive<u32> {
        match self.counted_groups().next() {
            Some(_) => 0..=*Self::OVERLAP.end(),
            None => Self::OVERLAP,
        }
    }

    /// The group of that id; `None` where there is none.
    #[must_use]
    pub fn group(&self, id: Option<&str>) -> Option<&RaterGroup> {
        let id = id?;
        self.groups.iter().find(|group| group.id == id)
    }

    /// The ways in which a crowd rater's work can end that have no completion code.
    #[must_use]
    pub fn ends_without_code(&self) -> Vec<CrowdEnd> {
        let by_answers = matches!(self.qualification, QualificationRule::Answers { .. });
        self.crowd.ends_without_code(by_answers)
    }

    /// The groups that have a number of raters of their own, with that number.
    pub fn counted_groups(&self) -> impl Iterator<Item = (&RaterGroup, u32)> {
        let groups = self.groups.iter();
        groups.filter_map(|group| Some((group, group.overlap?)))
    }

    /// The numbers of raters that sources are to get.
    #[must_use]
    pub fn wanted_raters(&self) -> WantedRaters {
        WantedRaters {
            overlap: self.overlap,
            groups: self
                .counted_groups()
                .map(|(group, number)| (group.id.clone(), number))
                .collect(),
        }
    }

    /// The number of raters that each source is to get in all, without a number of its own.
    #[must_use]
    pub fn raters_each(&self) -> u32 {
        self.wanted_raters().for_source(None)
    }

    /// The dimensions that raters of the group rate, in the study's order; all of the study for raters without a
    /// group. Never empty.
    #[must_use]
    pub fn dimensions_for(&self, group: Option<&str>) -> Cow<'_, [Dimension]> {
        let Some(group) = self.group(group) else {
            return Cow::Borrowed(&self.dimensions);
        };

        let own_dimensions: Vec<_> = self
            .dimensions
            .iter()
            .filter(|dimension| group.dimensions.contains(&dimension.name))
            .cloned()
            .collect();
        match own_dimensions.is_empty() {
            true => Cow::Borrowed(&self.dimensions),
            false => Cow::Owned(own_dimensions),
        }
    }

    /// Whether raters of the group rate the first dimension of the study, which is that of expected scores.
    #[must_use]
    pub fn rates_first(&self, group: Option<&str>) -> bool {
        let own = self.dimensions_for(group);
        own.first().map(|own| &own.name) == self.dimensions.first().map(|first| &first.name)
    }

    /// Removes from the groups the dimensions that the study no longer has.
    pub fn forget_removed_dimensions(&mut self) {
        let dimensions = &self.dimensions;
        for group in &mut self.groups {
            group
                .dimensions
                .retain(|name| dimensions.iter().any(|known| known.name == *name));
        }
    }

    /// The settings for raters of the group: with its dimensions only.
    #[must_use]
    pub fn narrowed_to(mut self, group: Option<&str>) -> Self {
        self.dimensions = self.dimensions_for(group).into_owned();
        self
    }

    /// Checks the groups, and that each source gets a rater.
    ///
    /// # Errors
    /// [`RaterGroupFault`] says what is wrong.
    pub fn check_groups(&self) -> Result<(), RaterGroupFault> {
        let dimensions: Vec<_> = self.dimensions.iter().map(|d| d.name.as_str()).collect();
        RaterGroup::check_all(&self.groups, &dimensions)?;
        match self.raters_each() {
            0 => Err(RaterGroupFault::NoRaters),
            _ => Ok(()),
        }
    }

    /// Whether annotators do all steps of Rank & Rate in one place.
    #[must_use]
    pub fn is_merged(&self) -> bool {
        self.protocol.is_merged(self.layout)
    }

    /// The rule of step 1 with its threshold.
    #[must_use]
    pub const fn rule(&self) -> ThresholdRule {
        let threshold = self.category_threshold;
        match self.category_rule {
            CategoryRule::Tuned => ThresholdRule::Tuned { threshold },
            CategoryRule::Paper => ThresholdRule::Paper { threshold },
        }
    }
}

impl Default for StudySettings {
    fn default() -> Self {
        Self {
            overlap: 3,
            category_rule: CategoryRule::Tuned,
            category_threshold: CategoryRule::Tuned.default_threshold(),
            dimensions: vec![Dimension::default()],
            protocol: StudyProtocol::default(),
            layout: WorkLayout::default(),
            accepts_unjudged: true,
            annotators_agree: false,
            source_order: SourceOrder::AsImported,
            lease_hours: 72,
            qualification: QualificationRule::None,
            quality_control: QualityControl::default(),
            retrain_every: 0,
            retention: RetentionPeriod::Study,
            crowd: CrowdSettings::default(),
            groups: vec![],
        }
    }
}

/// The short name of a study, as in URLs and commands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Slug {
    /// A short name made of a study's name: its letters and digits (`a`–`z`, `0`–`9`) in lower case, a
    /// hyphen for anything between them, at most 40 characters. `None` if it has neither letters nor
    /// digits.
    #[must_use]
    pub fn suggest(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let words = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        let mut slug = words.collect::<Vec<_>>().join("-");
        slug.truncate(40);
        slug.trim_end_matches('-').parse().ok()
    }
}

/// A text that cannot be the short name of a study.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” cannot be a short name: use 1 to 40 of a–z, 0–9 and -, beginning with a letter or digit"
)]
pub struct BadSlug(pub String);

impl FromStr for Slug {
    type Err = BadSlug;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let has_allowed_characters = text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if (1..=40).contains(&text.len()) && !text.starts_with('-') && has_allowed_characters {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadSlug(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_rater_stands_in_for_one_of_another_pool() {
        let group = |id: &str, overlap| RaterGroup {
            id: id.to_owned(),
            overlap,
            ..RaterGroup::default()
        };
        let settings = StudySettings {
            overlap: 2,
            groups: vec![group("experts", Some(1)), group("readers", None)],
            ..StudySettings::default()
        };
        let wanted = settings.wanted_raters();
        assert_eq!(wanted.for_source(None), 3);
        assert_eq!(wanted.by_pool(Some(5)).collect::<Vec<_>>(), [1, 5]);
        let pools = [Some("experts"), Some("readers"), None].map(|group| wanted.pool(group));
        assert_eq!(pools, [0, 1, 1]);
        // Three experts leave two places, and three others leave that of the expert.
        assert_eq!(wanted.count_filled(None, 3, ["experts"; 3]), 1);
        assert_eq!(wanted.count_filled(None, 3, ["readers"]), 2);
        assert_eq!(wanted.count_filled(None, 3, ["experts", "readers"]), 3);
        assert_eq!(wanted.count_filled(Some(5), 9, ["experts"]), 6);
    }

    #[test]
    fn a_short_name_is_made_of_the_name() {
        for (name, expect) in [
            ("River study, part 2", Some("river-study-part-2")),
            ("  --A/B--  ", Some("a-b")),
            ("Größe", Some("gr-e")),
            ("研究", None),
            ("", None),
        ] {
            let suggested = Slug::suggest(name);
            assert_eq!(suggested.as_ref().map(Slug::as_str), expect, "{name}");
        }
    }

    fn with_groups(groups: Vec<RaterGroup>) -> StudySettings {
        let dimension = |name: &str| Dimension::new(name, RatingScale::PERCENT);
        StudySettings {
            dimensions: vec![dimension("fluency"), dimension("adequacy")],
            groups,
            ..StudySettings::default()
        }
    }

    fn group(name: &str, dimensions: &[&str], overlap: Option<u32>) -> RaterGroup {
        RaterGroup {
            id: RaterGroup::suggest_id(name, std::iter::empty()),
            name: name.to_owned(),
            attributes: vec![],
            dimensions: dimensions.iter().map(|name| (*name).to_owned()).collect(),
            overlap,
        }
    }

    #[test]
    fn groups_have_numbers_and_dimensions_of_their_own() {
        let settings = with_groups(vec![
            group("Experts", &["adequacy"], Some(2)),
            group("Readers", &[], None),
        ]);
        settings.check_groups().expect("valid groups");
        assert_eq!(settings.raters_each(), settings.overlap + 2);
        // A source's own number is in place of the study's, not of those of groups.
        assert_eq!(settings.wanted_raters().for_source(Some(10)), 12);
        let names = |group| {
            let dimensions = settings.dimensions_for(group);
            let names: Vec<_> = dimensions.iter().map(|d| d.name.clone()).collect();
            names.join(" ")
        };
        assert_eq!(names(Some("experts")), "adequacy");
        for group in [None, Some("readers"), Some("removed")] {
            assert_eq!(names(group), "fluency adequacy");
        }
        let before = serde_json::to_string(&with_groups(vec![])).expect("JSON");
        assert!(!before.contains("groups"), "{before}");
    }

    #[test]
    fn groups_that_cannot_be_are_refused_with_the_reason() {
        let long = "x".repeat(41);
        for (groups, expect) in [
            (vec![group("", &[], None)], "“” cannot be the name"),
            (
                vec![group(" Experts", &[], None)],
                "without space around it",
            ),
            (vec![group(&long, &[], None)], "1 to 40 characters"),
            (
                vec![RaterGroup {
                    id: "A b".into(),
                    ..group("Experts", &[], None)
                }],
                "“A b” cannot be the id",
            ),
            (
                vec![
                    group("Experts", &[], None),
                    RaterGroup {
                        id: "other".into(),
                        ..group("EXPERTS", &[], None)
                    },
                ],
                "two groups are called “EXPERTS”",
            ),
            (
                vec![
                    group("Experts", &[], None),
                    RaterGroup {
                        id: "experts".into(),
                        ..group("Readers", &[], None)
                    },
                ],
                "two groups have the id “experts”",
            ),
            (
                vec![group("Experts", &["style"], None)],
                "“style”, which is not a dimension",
            ),
            (
                vec![group("Experts", &["fluency", "fluency"], None)],
                "“fluency” twice",
            ),
            (
                vec![group("Experts", &[], Some(0))],
                "0 raters of the group “Experts”",
            ),
            (vec![group("Experts", &[], Some(101))], "from 1 to 100"),
            (
                (0..11)
                    .map(|n| group(&format!("g{n}"), &[], None))
                    .collect(),
                "there are 11 groups",
            ),
        ] {
            let fault = with_groups(groups)
                .check_groups()
                .expect_err(expect)
                .to_string();
            assert!(fault.contains(expect), "{fault}");
        }
        let nobody = StudySettings {
            overlap: 0,
            ..with_groups(vec![group("Readers", &[], None)])
        };
        assert_eq!(nobody.check_groups(), Err(RaterGroupFault::NoRaters));
        let by_groups = StudySettings {
            overlap: 0,
            ..with_groups(vec![group("Readers", &[], Some(1))])
        };
        assert_eq!(by_groups.check_groups(), Ok(()));
    }

    #[test]
    fn studies_from_before_the_setting_have_every_output_judged() {
        assert!(StudySettings::default().accepts_unjudged);
        let before: StudySettings = serde_json::from_str(r#"{"overlap":2}"#).expect("settings");
        assert!(!before.accepts_unjudged);
    }

    proptest! {
        #[test]
        fn a_suggested_id_of_a_group_is_valid_and_new(
            name in "\\PC{0,60}",
            others in proptest::collection::vec("(group|experts|a-b)(-[2-4])?", 0..6),
        ) {
            let id = RaterGroup::suggest_id(&name, others.iter().map(String::as_str));
            prop_assert!(!others.contains(&id));
            let group = RaterGroup { id, name: "Readers".to_owned(), ..RaterGroup::default() };
            prop_assert_eq!(RaterGroup::check_all(&[group], &[]), Ok(()));
        }

        #[test]
        fn a_group_always_rates_something_that_the_study_has(
            chosen in proptest::collection::vec("fluency|adequacy|style", 0..4),
        ) {
            let chosen: Vec<_> = chosen.iter().map(String::as_str).collect();
            let settings = with_groups(vec![group("Readers", &chosen, None)]);
            let rated = settings.dimensions_for(Some("readers"));
            prop_assert!(!rated.is_empty());
            prop_assert!(rated.iter().all(|dimension| settings.dimensions.contains(dimension)));
        }

        #[test]
        fn a_suggested_short_name_is_always_one(name in "\\PC{0,80}") {
            if let Some(slug) = Slug::suggest(&name) {
                prop_assert_eq!(slug.as_str().parse::<Slug>(), Ok(slug.clone()));
            }
        }
    }
}
