//! A summary of what an import would add, for people to see before it begins.

use std::collections::BTreeMap;

use domain::{
    dimensions::{StudyDimensions, plan_dimensions},
    study::{Dimension, SystemKind},
    system_kind::guess_kind,
};
use formats::{BadRow, FileSurvey};
use serde::Serialize;
use store::import::ImportCounts;

use crate::wording::count_noun;

/// The name of the system of outputs whose system the file does not name.
pub const UNNAMED: &str = "unnamed";

/// A summary of what an import would add.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
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
    /// The number of outputs without a word, which are judged like any other.
    pub empty_outputs: u64,
    /// The systems that wrote its outputs, in the order of the file.
    pub systems: Vec<SystemSummary>,
    /// The number of lines that were read.
    pub lines: u64,
    /// The counts of what the good rows hold.
    pub contents: ImportCounts,
    /// The fewest and the most outputs of a source, where the file has outputs.
    pub outputs_per_source: Option<(u64, u64)>,
    /// The counts of what the study does not have yet.
    pub new: ImportCounts,
    /// The first of the rows that would be left out.
    pub bad_rows: Vec<BadRow>,
    /// Remarks on the sheet of a workbook and on the rows, as sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A dimension of a file.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, utoipa::ToSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
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
    /// kinds that the user stated.
    #[must_use]
    pub fn new(
        survey: &FileSurvey,
        study_dimensions: &StudyDimensions,
        systems: &BTreeMap<String, SystemKind>,
        stated: &[(String, SystemKind)],
    ) -> Self {
        let plan = plan_dimensions(study_dimensions, &survey.dimensions);
        let created = plan.as_ref().map_or(&[][..], |plan| &plan.created[..]);
        let sheet_notes = survey.sheet_notes.iter().map(ToString::to_string);
        let notes = sheet_notes.chain(row_notes(survey, created)).collect();

        let dimensions = survey.dimensions.iter().map(|range| {
            let planned = plan.as_ref().ok();
            let scale = planned.and_then(|plan| plan.scales.get(&range.name).copied());
            let is_same = |created: &Dimension| created.name == range.name;
            DimensionSummary {
                dimension: Dimension::new(&range.name, scale.or(range.stated).unwrap_or_default()),
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
            empty_outputs: survey.empty_outputs,
            systems: resolve_kinds(survey, stated, |name| systems.get(name).copied()),
            lines: survey.lines,
            contents: ImportCounts::default(),
            outputs_per_source: None,
            new: ImportCounts::default(),
            bad_rows: vec![],
            notes,
        }
    }

    /// A sentence such as “192 rows → 8 sources, 24 systems, 192 outputs (24 per source), 0 problems.”
    #[must_use]
    pub fn sentence(&self) -> String {
        let ImportCounts {
            sources,
            references,
            contexts,
            systems,
            outputs,
            raters,
            answers,
        } = self.contents;

        let counts = [
            (sources, "source"),
            (references, "reference"),
            (contexts, "context"),
            (systems, "system"),
            (outputs, "output"),
            (raters, "rater"),
            (answers, "rating"),
        ];

        let counts = counts.into_iter().filter(|(count, _)| *count > 0);

        let mut parts: Vec<_> = counts
            .map(|(count, noun)| {
                let words = count_noun(count as usize, noun);
                match self.outputs_per_source.filter(|_| noun == "output") {
                    None => words,
                    Some((fewest, most)) if fewest == most => {
                        format!("{words} ({most} per source)")
                    }
                    Some((fewest, most)) => format!("{words} ({fewest} to {most} per source)"),
                }
            })
            .collect();

        parts.push(count_noun(self.bad as usize, "problem"));
        let rows = count_noun(self.rows as usize, "row");
        format!("{rows} → {}.", parts.join(", "))
    }

    /// A sentence on the outputs without a word; `None` if there are none.
    #[must_use]
    pub fn empty_sentence(&self) -> Option<String> {
        let outputs = count_noun(self.empty_outputs as usize, "output");
        let verb = if self.empty_outputs == 1 { "is" } else { "are" };

        (self.empty_outputs > 0).then(|| {
            format!(
                "{outputs} {verb} empty. Annotators see “(This output is empty.)” and judge it like any other. If \
                 that is not what the system wrote, correct the file first."
            )
        })
    }

    /// A sentence on the part of the file that the study already has; `None` if it has none of it.
    #[must_use]
    pub fn known_sentence(&self) -> Option<String> {
        if self.new == self.contents || self.refused.is_some() {
            return None;
        }

        let new = self.new;
        let counts = [
            (new.sources, "source"),
            (new.references, "reference"),
            (new.contexts, "context"),
            (new.systems, "system"),
            (new.outputs, "output"),
            (new.raters, "rater"),
            (new.answers, "rating"),
        ];

        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<_> = counts
            .map(|(count, noun)| count_noun(count as usize, noun))
            .collect();

        Some(match &words[..] {
            [] => "The study has all of it already.".to_owned(),
            words => format!(
                "New are {}; the study has the rest already.",
                words.join(", ")
            ),
        })
    }
}

/// Sentences on the rows of a file whose import would create these dimensions in a study.
pub(super) fn row_notes(survey: &FileSurvey, created: &[Dimension]) -> Vec<String> {
    let ranges = survey.dimensions.iter();
    let scales = ranges.filter_map(|range| {
        let dimension = created.iter().find(|created| created.name == range.name)?;
        let (name, scale) = (&range.name, dimension.scale);
        range.has_doubtful_scale(scale).then(|| {
            format!(
                "Ratings on {name} go from {} to {}, and the file states no scale, so they are taken as {scale}. If they \
                 are on another scale, state it when you import the file.",
                range.low, range.high
            )
        })
    });

    let remarks = survey.remarks.iter().map(ToString::to_string);
    remarks.chain(scales).collect()
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

    #[test]
    fn a_sentence_counts_what_a_file_holds() {
        let survey = FileSurvey::default();
        let summary = ImportSummary {
            rows: 192,
            contents: ImportCounts {
                sources: 8,
                systems: 24,
                outputs: 192,
                ..ImportCounts::default()
            },
            outputs_per_source: Some((24, 24)),
            ..ImportSummary::new(&survey, &StudyDimensions::default(), &BTreeMap::new(), &[])
        };

        assert_eq!(
            summary.sentence(),
            "192 rows → 8 sources, 24 systems, 192 outputs (24 per source), 0 problems."
        );
        assert_eq!(
            summary.known_sentence().as_deref(),
            Some("The study has all of it already.")
        );

        let partly_known = ImportSummary {
            bad: 1,
            outputs_per_source: Some((1, 24)),
            new: ImportCounts {
                outputs: 1,
                ..ImportCounts::default()
            },
            ..summary
        };

        assert!(
            partly_known
                .sentence()
                .ends_with("192 outputs (1 to 24 per source), 1 problem.")
        );
        assert_eq!(
            partly_known.known_sentence().as_deref(),
            Some("New are 1 output; the study has the rest already.")
        );
    }
}
