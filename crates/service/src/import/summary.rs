//! What an import would bring, to be shown before it begins.

use std::collections::BTreeMap;

use domain::{
    dimensions::{StudyDimensions, plan_dimensions},
    study::{Dimension, SystemKind},
    system_kind::guess_kind,
};
use formats::FileSurvey;
use serde::Serialize;

/// The system of outputs of which the file does not say who wrote them.
pub const UNNAMED: &str = "unnamed";

/// What an import would bring.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportSummary {
    /// Rows of the file, bad ones included.
    pub rows: u64,
    /// Rows that would be left out, as far as they can be told by themselves.
    pub bad: u64,
    /// Whether the whole file was looked at.
    pub complete: bool,
    /// What its ratings are on, in the order of the file.
    pub dimensions: Vec<DimensionSummary>,
    /// Why the dimensions do not fit the study; the import would be refused.
    pub refused: Option<String>,
    /// Numbers without a rater, which enter no figure.
    pub without_rater: u64,
    /// Who wrote its outputs, in the order of the file.
    pub systems: Vec<SystemSummary>,
}

/// A dimension of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DimensionSummary {
    /// With its scale; where the import would be refused, the one that is stated or nothing.
    #[serde(flatten)]
    pub dimension: Dimension,
    /// How many ratings there are.
    pub ratings: u64,
    /// Whether the study would get it, or gets it on this scale.
    pub created: bool,
}

/// A system of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SystemSummary {
    /// Its name.
    pub name: String,
    /// What it is, or will be.
    pub kind: SystemKind,
    /// Who says so.
    pub from: SystemKindOrigin,
    /// Whether the file or a person says something else of a system that the study has.
    pub contradicted: bool,
}

/// Who says what a system is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SystemKindOrigin {
    /// The study has it already, and it stays what it is.
    Study,
    /// A column of the file.
    Column,
    /// The person who imports.
    Person,
    /// Nobody: its name suggests it.
    Guess,
}

impl ImportSummary {
    /// What the file would bring to a study with these dimensions and systems. `stated` are the kinds
    /// that a person chose.
    #[must_use]
    pub fn new(
        found: &FileSurvey,
        there: &StudyDimensions,
        systems: &BTreeMap<String, SystemKind>,
        stated: &[(String, SystemKind)],
    ) -> Self {
        let plan = plan_dimensions(there, &found.dimensions);
        let dimensions = found.dimensions.iter().map(|range| {
            let planned = plan.as_ref().ok();
            let scale = planned.and_then(|plan| plan.scales.get(&range.name).copied());
            let created = |of: &Dimension| of.name == range.name;
            DimensionSummary {
                dimension: Dimension {
                    name: range.name.clone(),
                    scale: scale.or(range.stated).unwrap_or_default(),
                },
                ratings: range.ratings,
                created: planned.is_some_and(|plan| plan.created.iter().any(created)),
            }
        });
        Self {
            rows: found.rows,
            bad: found.bad_rows,
            complete: found.complete,
            dimensions: dimensions.collect(),
            refused: plan.as_ref().err().map(|clash| format!("{clash}.")),
            without_rater: found.without_rater,
            systems: resolve_kinds(found, stated, |name| systems.get(name).copied()),
        }
    }
}

/// Settles what each system of a file is: one that the study has stays what it is, a column comes before
/// what a person states, and a guess by the name comes last.
#[must_use]
pub fn resolve_kinds(
    found: &FileSurvey,
    stated: &[(String, SystemKind)],
    there: impl Fn(&str) -> Option<SystemKind>,
) -> Vec<SystemSummary> {
    let settle = |system: &formats::SurveyedSystem| {
        let name = system.name.as_deref().unwrap_or(UNNAMED);
        let by_person = stated.iter().rfind(|(of, _)| of == name).map(|it| it.1);
        let known = there(name);
        let (kind, from) = match (known, system.kind, by_person) {
            (Some(kind), ..) => (kind, SystemKindOrigin::Study),
            (None, Some(kind), _) => (kind, SystemKindOrigin::Column),
            (None, None, Some(kind)) => (kind, SystemKindOrigin::Person),
            (None, None, None) => (guess_kind(name), SystemKindOrigin::Guess),
        };
        let said = system.kind.or(by_person);
        SystemSummary {
            name: name.to_owned(),
            kind,
            from,
            contradicted: said.is_some_and(|said| said != kind),
        }
    };
    found.systems.iter().map(settle).collect()
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
        let found = FileSurvey {
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
        let there = |name: &str| (name == "there").then_some(Baseline);
        let settled = resolve_kinds(&found, &stated, there);
        let settled = settled
            .iter()
            .map(|it| (&it.name[..], it.kind, it.from, it.contradicted));
        assert!(settled.eq([
            ("there", Baseline, SystemKindOrigin::Study, true),
            ("column", Human, SystemKindOrigin::Column, false),
            ("person", Human, SystemKindOrigin::Person, false),
            ("copy", Baseline, SystemKindOrigin::Guess, false),
            (UNNAMED, Machine, SystemKindOrigin::Guess, false),
        ]));
    }
}
