//! References of a file, matched to the sources of a study by text.

use domain::ids::SourceId;
use formats::{BadRow, FatalReadError, NearestText, OpenedFile, ReferenceReport, SourceReferences};
use serde::{Deserialize, Serialize};
use store::SourceEntry;

/// The most sources and texts that a summary lists; the rest are only counted.
const MAX_LISTED: usize = 200;

/// The references of a file.
#[derive(Debug, Clone)]
pub struct FileReferences {
    /// The references by source text.
    pub references: SourceReferences,
    /// The number of the file's rows.
    pub rows: u64,
    /// The rows that cannot be used.
    pub bad_rows: Vec<BadRow>,
}

/// The result of matching references to the sources of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReferenceSummary {
    /// The number of different sources of the study.
    pub sources: usize,
    /// The number of these whose text is in the file, ignoring case and white space.
    pub exact: usize,
    /// The number of these whose text is in the file once tokenisation, quotes, dashes and Unicode form are
    /// ignored as well.
    pub normalised: usize,
    /// The number of these that got the references of a text that was accepted for them.
    pub accepted: usize,
    /// The number of these without references from this file or an earlier one.
    pub without: usize,
    /// The first sources without references.
    pub first_without: Vec<SourceWithoutReferences>,
    /// The number of rows of the file that belong to no source.
    #[serde(default)]
    pub unused_rows: u64,
    /// The number of different texts in these rows.
    pub unused: usize,
    /// The first texts that belong to no source.
    pub first_unused: Vec<UnusedReferenceText>,
}

/// A source without references.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SourceWithoutReferences {
    /// Its id; `None` for a source that is in no study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name in the imported files; may be empty.
    pub name: String,
    /// The beginning of its text.
    pub text: String,
    /// The most similar text of the file.
    pub nearest: Option<SimilarText>,
}

/// A text that is similar to a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SimilarText {
    /// Its line in the file.
    pub line: u64,
    /// The beginning of the text.
    pub text: String,
    /// The similarity of the two texts, from 0 to 1.
    pub similarity: f64,
}

/// A text of a file that belongs to no source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UnusedReferenceText {
    /// Its line in the file.
    pub line: u64,
    /// The beginning of the text.
    pub text: String,
}

impl FileReferences {
    /// Reads all rows. Blocks.
    ///
    /// # Errors
    /// [`FatalReadError`] if the file cannot be read to its end.
    pub fn read(opened: OpenedFile<'_>) -> Result<Self, FatalReadError> {
        let (references, rows, bad_rows) = SourceReferences::from_valid_rows(opened.rows)?;
        Ok(Self {
            references,
            rows,
            bad_rows,
        })
    }

    /// Matches the references to the sources of a study. Sources that already have references are not listed as lacking
    /// them.
    #[must_use]
    pub fn summary(&self, sources: &[SourceEntry]) -> ReferenceSummary {
        let texts: Vec<&str> = sources.iter().map(|source| &*source.text).collect();
        let mut report = self.references.report(&texts);
        report
            .unmatched
            .retain(|source| sources[source.index].references == 0);

        ReferenceSummary::new(&report, |index| {
            let source = &sources[index];
            (Some(source.id.to_string()), source.key.clone())
        })
    }

    /// Uses the texts on these lines for the sources for which they were accepted.
    pub fn accept(&mut self, sources: &[SourceEntry], accepted: &[(SourceId, u64)]) {
        for (id, line) in accepted {
            if let Some(source) = sources.iter().find(|source| source.id == *id) {
                self.references.accept(&source.text, *line);
            }
        }
    }

    /// Uses the most similar text for each source without references if the similarity is at least `min_similarity`,
    /// from 0 to 1.
    pub fn accept_similar(&mut self, sources: &[SourceEntry], min_similarity: f64) {
        let without = sources.iter().filter(|source| source.references == 0);
        let without: Vec<&str> = without.map(|source| &*source.text).collect();
        self.references.accept_similar(&without, min_similarity);
    }
}

impl ReferenceSummary {
    /// Summarises a report. `names` returns the id and the name of the source at an index.
    #[must_use]
    pub fn new(
        report: &ReferenceReport,
        names: impl Fn(usize) -> (Option<String>, String),
    ) -> Self {
        let without = report.unmatched.iter().take(MAX_LISTED).map(|source| {
            let (id, name) = names(source.index);
            SourceWithoutReferences {
                id,
                name,
                text: beginning(&source.text),
                nearest: source.nearest.as_ref().map(similar_text),
            }
        });

        let unused = report
            .unused
            .iter()
            .take(MAX_LISTED)
            .map(|text| UnusedReferenceText {
                line: text.line,
                text: beginning(&text.text),
            });

        Self {
            sources: report.sources,
            exact: report.exact,
            normalised: report.normalised,
            accepted: report.accepted,
            without: report.unmatched.len(),
            first_without: without.collect(),
            unused_rows: report.unused.iter().map(|text| text.rows).sum(),
            unused: report.unused.len(),
            first_unused: unused.collect(),
        }
    }

    /// The result as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let with = self.exact + self.normalised + self.accepted;
        let mut sentence = format!(
            "{with} of {} sources get references from this file: {} by the same text, {} by one that \
             differs in tokenisation, quotes or dashes alone",
            self.sources, self.exact, self.normalised
        );

        if self.accepted > 0 {
            sentence += &format!(", {} by one that was accepted", self.accepted);
        }
        sentence + "."
    }
}

fn similar_text(nearest: &NearestText) -> SimilarText {
    SimilarText {
        line: nearest.line,
        text: beginning(&nearest.text),
        similarity: nearest.similarity,
    }
}

/// The beginning of a text, with an ellipsis for the rest.
fn beginning(text: &str) -> String {
    const MAX_LETTERS: usize = 160;
    let mut beginning: String = text.chars().take(MAX_LETTERS).collect();

    if beginning.len() < text.len() {
        beginning.push('…');
    }
    beginning
}
