//! A summary of what an import would add, which is shown before it begins.

use std::collections::BTreeMap;

use domain::{
    dimensions::{StudyDimensions, plan_dimensions},
    study::{Dimension, SystemKind},
    system_kind::guess_kind,
};
use formats::FileSurvey;
use serde::Serialize;

/// The name of the system of outputs whose system the file does not name.
pub const UNNAMED: &str = "unnamed";

/// A summary of what an import would add.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportSummary {
    /// The number of rows, bad ones included.
    pub rows: u64,
    /// The number of rows that would be left out, as far as this follows from the rows alone.
    pub bad: u64,
    /// Whether the whole file was read.
    pub complete: bool,
    /// The dimensions of its ratings, in the order of the file.
    pub dimensions: Vec<DimensionSummary>,
    /// Why the dimensions do not fit the study, for which the import would be refused.
    pub refused: Option<String>,
    /// The number of scores without a rater, which enter no figure.
    pub without_rater: u64,
    /// The systems that wrote its outputs, in the order of the file.
    pub systems: Vec<SystemSummary>,
}

/// A dimension of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DimensionSummary {
    /// The dimension with its scale; where the import would be refused, the stated scale or the default.
    #[serde(flatten)]
    pub dimension: Dimension,
    /// The number of ratings on it.
    pub ratings: u64,
    /// Whether the import would create it, or change its scale.
    pub created: bool,
}

/// A system of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SystemSummary {
    /// Its name.
    pub name: String,
    /// Its kind after the import.
    pub kind: SystemKind,
    /// The origin of that kind.
    pub from: SystemKindOrigin,
    /// Whether the file or the user states another kind for a system that the study has.
    pub contradicted: bool,
}

/// The origin of a system's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SystemKindOrigin {
    /// The study has the system, which keeps its kind.
    Study,
    /// A column of the file.
    Column,
    /// The user who imports the file.
    Person,
    /// A guess by the name.
    Guess,
}

impl ImportSummary {
    /// Summarises what the file would add to a study with these dimensions and systems. `stated` are the
    /// kinds that the user chose.
    #[must_use]
    pub fn new(
        survey: &FileSurvey,
        study_dimensions: &StudyDimensions,
        systems: &BTreeMap<String, SystemKind>,
        stated: &[(String, SystemKind)],
    ) -> Self {
        let plan = plan_dimensions(study_dimensions, &survey.dimensions);
        let dimensions = survey.dimensions.iter().map(|range| {
            let planned = plan.as_ref().ok();
            let scale = planned.and_then(|plan| plan.scales.get(&range.name).copied());
            let is_same = |created: &Dimension| created.name == range.name;
            DimensionSummary {
                dimension: Dimension {
                    name: range.name.clone(),
                    scale: scale.or(range.stated).unwrap_or_default(),
                },
                ratings: range.ratings,
                created: planned.is_some_and(|plan| plan.created.iter().any(is_same)),
            }
        });
        Self {
            rows: survey.rows,
            bad: survey.bad_rows,
            complete: survey.complete,
            dimensions: dimensions.collect(),
            refused: plan.as_ref().err().map(|clash| format!("{clash}.")),
            without_rater: survey.without_rater,
            systems: resolve_kinds(survey, stated, |name| systems.get(name).copied()),
        }
    }
}

/// Resolves the kind of each system of a file. A system that the study has keeps its kind; otherwise a column
/// takes precedence over what the user states, and a guess by the name comes last.
#[must_use]
pub fn resolve_kinds(
    survey: &FileSurvey,
    stated: &[(String, SystemKind)],
    stored_kind: impl Fn(&str) -> Option<SystemKind>,
) -> Vec<SystemSummary> {
    let resolve = |system: &formats::SurveyedSystem| {
        let name = system.name.as_deref().unwrap_or(UNNAMED);
        let by_person = stated.iter().rfind(|(system, _)| system == name);
        let by_person = by_person.map(|(_, kind)| *kind);
        let (kind, from) = match (stored_kind(name), system.kind, by_person) {
            (Some(kind), ..) => (kind, SystemKindOrigin::Study),
            (None, Some(kind), _) => (kind, SystemKindOrigin::Column),
            (None, None, Some(kind)) => (kind, SystemKindOrigin::Person),
            (None, None, None) => (guess_kind(name), SystemKindOrigin::Guess),
        };
        let stated = system.kind.or(by_person);
        SystemSummary {
            name: name.to_owned(),
            kind,
            from,
            contradicted: stated.is_some_and(|stated| stated != kind),
        }
    };
    survey.systems.iter().map(resolve).collect()
}

#[cfg(test)]
mod tests {
    use formats::SurveyedSystem;

    use super::*;

    #[test]
    fn the_study_comes_before_a_column_a_column_before_a_person_and_a_guess_is_last() {
        use SystemKind::{Baseline, Human, Machine};
        let system = |name: &str, kind| SurveyedSystem {
            name: Some(name.into()),
            kind,
        };
        let survey = FileSurvey {
            systems: vec![
                system("there", Some(Human)),
                system("column", Some(Human)),
                system("person", None),
                system("copy", None),
                SurveyedSystem {
                    name: None,
                    kind: None,
                },
            ],
            ..FileSurvey::default()
        };
        let stated = [("column", Machine), ("person", Human), ("there", Human)];
        let stated = stated.map(|(name, kind)| (name.to_owned(), kind));
        let stored_kind = |name: &str| (name == "there").then_some(Baseline);
        let systems = resolve_kinds(&survey, &stated, stored_kind);
        let systems = systems.iter().map(|summary| {
            (
                &summary.name[..],
                summary.kind,
                summary.from,
                summary.contradicted,
            )
        });
        assert!(systems.eq([
            ("there", Baseline, SystemKindOrigin::Study, true),
            ("column", Human, SystemKindOrigin::Column, false),
            ("person", Human, SystemKindOrigin::Person, false),
            ("copy", Baseline, SystemKindOrigin::Guess, false),
            (UNNAMED, Machine, SystemKindOrigin::Guess, false),
        ]));
    }
}
