//! Groups of raters in a study, such as experts and target readers.

use std::{collections::HashSet, ops::RangeInclusive};

use serde::{Deserialize, Serialize};

use crate::names::names;

/// A quality that all raters of a group share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RaterAttribute {
    /// The language of the texts is their first one.
    NativeSpeaker,
    /// They are experts, such as teachers, translators or editors.
    Expert,
    /// The simplified texts are written for people like them.
    TargetReader,
}

names!(RaterAttribute, "attribute of raters", UnknownRaterAttribute,
    NativeSpeaker => "native-speaker", Expert => "expert", TargetReader => "target-reader");

impl RaterAttribute {
    /// The words for raters who have it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::NativeSpeaker => "native speakers",
            Self::Expert => "experts",
            Self::TargetReader => "target readers",
        }
    }
}

/// A group of raters. A rater is in one group or in none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(utoipa::ToSchema))]
pub struct RaterGroup {
    /// The short text by which members, links and assignments name the group. It stays when the group is renamed.
    pub id: String,
    /// The name that leads see.
    pub name: String,
    /// The qualities of its raters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<RaterAttribute>,
    /// The names of the dimensions that its raters rate; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dimensions: Vec<String>,
    /// The number of its raters for each source, in addition to the study's; absent where its raters count among
    /// these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap: Option<u32>,
}

impl RaterGroup {
    /// The most groups of a study.
    pub const MOST: usize = 10;
    /// The longest name and id, in characters.
    pub const LONGEST_NAME: usize = 40;
    /// The numbers of raters that a group may have for each source.
    pub const OVERLAP: RangeInclusive<u32> = 1..=100;

    /// An id for a group of that name, different from all of `others`.
    #[must_use]
    pub fn suggest_id<'a>(name: &str, others: impl Iterator<Item = &'a str> + Clone) -> String {
        let lower = name.to_lowercase();
        let words = lower
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());

        let mut stem = words.collect::<Vec<_>>().join("-");
        stem.truncate(30);
        let stem = match stem.trim_end_matches('-') {
            "" => "group",
            stem => stem,
        };

        let ids = std::iter::once(stem.to_owned())
            .chain((2..).map(|number: u32| format!("{stem}-{number}")));
        let mut free = ids.filter(|id| !others.clone().any(|other| other == id));
        free.next().expect("numbers do not run out")
    }

    /// Checks the groups of a study with those dimensions.
    ///
    /// # Errors
    /// [`RaterGroupFault`] says which group is wrong.
    pub fn check_all(groups: &[Self], dimensions: &[&str]) -> Result<(), RaterGroupFault> {
        if groups.len() > Self::MOST {
            return Err(RaterGroupFault::TooMany(groups.len()));
        }

        let (mut ids, mut names) = (HashSet::new(), HashSet::new());
        for group in groups {
            group.check(dimensions)?;
            if !ids.insert(&group.id) {
                return Err(RaterGroupFault::SameId(group.id.clone()));
            }
            if !names.insert(group.name.to_lowercase()) {
                return Err(RaterGroupFault::SameName(group.name.clone()));
            }
        }
        Ok(())
    }

    fn check(&self, dimensions: &[&str]) -> Result<(), RaterGroupFault> {
        let is_line = !self.name.is_empty()
            && self.name.trim() == self.name
            && self.name.chars().count() <= Self::LONGEST_NAME
            && !self.name.contains(char::is_control);
        if !is_line {
            let name = self.name.chars().take(80).collect();
            return Err(RaterGroupFault::Name(name));
        }

        let is_id = (1..=Self::LONGEST_NAME).contains(&self.id.len())
            && self
                .id
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !is_id {
            let id = self.id.chars().take(80).collect();
            return Err(RaterGroupFault::Id(id));
        }

        for (at, name) in self.dimensions.iter().enumerate() {
            if !dimensions.contains(&name.as_str()) {
                return Err(RaterGroupFault::Dimension {
                    group: self.name.clone(),
                    dimension: name.chars().take(80).collect(),
                });
            }
            if self.dimensions[..at].contains(name) {
                return Err(RaterGroupFault::SameDimension {
                    group: self.name.clone(),
                    dimension: name.clone(),
                });
            }
        }

        match self.overlap {
            Some(number) if !Self::OVERLAP.contains(&number) => Err(RaterGroupFault::Overlap {
                group: self.name.clone(),
                number,
            }),
            _ => Ok(()),
        }
    }
}

/// The reason why a study cannot have its groups of raters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RaterGroupFault {
    /// There are too many.
    #[error("there are {0} groups, and {most} is the most: take some out", most = RaterGroup::MOST)]
    TooMany(usize),
    /// A name is empty, too long, or not one line without space around it.
    #[error(
        "“{0}” cannot be the name of a group: use one line of 1 to {most} characters without space around it",
        most = RaterGroup::LONGEST_NAME
    )]
    Name(String),
    /// An id has other characters.
    #[error("“{0}” cannot be the id of a group: use 1 to {most} of a–z, 0–9 and -", most = RaterGroup::LONGEST_NAME)]
    Id(String),
    /// Two groups have one name.
    #[error("two groups are called “{0}”: rename one")]
    SameName(String),
    /// Two groups have one id.
    #[error("two groups have the id “{0}”: change one")]
    SameId(String),
    /// The study has no such dimension.
    #[error(
        "the group “{group}” rates “{dimension}”, which is not a dimension of the study: choose others for the group first"
    )]
    Dimension {
        /// The group's name.
        group: String,
        /// The dimension's name.
        dimension: String,
    },
    /// A group names a dimension twice.
    #[error("the group “{group}” names “{dimension}” twice: take one out")]
    SameDimension {
        /// The group's name.
        group: String,
        /// The dimension's name.
        dimension: String,
    },
    /// A number of raters is out of range.
    #[error(
        "{number} raters of the group “{group}” for each source is not a number from {least} to {most}",
        least = RaterGroup::OVERLAP.start(),
        most = RaterGroup::OVERLAP.end()
    )]
    Overlap {
        /// The group's name.
        group: String,
        /// The number.
        number: u32,
    },
    /// The study and its groups together want no rater.
    #[error(
        "each source would get no rater: give the study or one of its groups a number of raters above 0"
    )]
    NoRaters,
}
