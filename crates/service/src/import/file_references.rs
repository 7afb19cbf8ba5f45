use domain::ids::SourceId;
use formats::{BadRow, FatalReadError, NearestText, OpenedFile, ReferenceReport, SourceReferences};
use serde::{Deserialize, Serialize};
use store::SourceEntry;

/// How many sources and texts a summary lists; the rest is counted.
const LISTED: usize = 200;

/// References of a file beside the sources of a study.
#[derive(Debug, Clone)]
pub struct FileReferences {
    /// By source.
    pub references: SourceReferences,
    /// How many rows the file has.
    pub rows: u64,
    /// Those that cannot be taken.
    pub bad_rows: Vec<BadRow>,
}

/// How references were found for the sources of a study.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReferenceSummary {
    /// How many different sources the study has.
    pub sources: usize,
    /// How many of them are in the file, but for case and white space.
    pub exact: usize,
    /// How many are in it but for tokenisation, quotes, dashes and Unicode form.
    pub normalised: usize,
    /// How many got the references of a text that was accepted for them.
    pub accepted: usize,
    /// How many have no reference, from this file or another.
    pub without: usize,
    /// The first of them.
    pub first_without: Vec<SourceWithoutReferences>,
    /// How many rows of the file belong to no source.
    #[serde(default)]
    pub unused_rows: u64,
    /// How many different texts these have.
    pub unused: usize,
    /// The first of them.
    pub first_unused: Vec<UnusedReferenceText>,
}

/// A source without references.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourceWithoutReferences {
    /// Its id; none of a source that is in no study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name in the files it came from, where it has one.
    pub name: String,
    /// How its text begins.
    pub text: String,
    /// The text of the file that is most like it.
    pub nearest: Option<SimilarText>,
}

/// A text that is like a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimilarText {
    /// The line on which it stands.
    pub line: u64,
    /// How it begins.
    pub text: String,
    /// How much of both is the same, from 0 to 1.
    pub similarity: f64,
}

/// A text of a file that belongs to no source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedReferenceText {
    /// The line on which it stands.
    pub line: u64,
    /// How it begins.
    pub text: String,
}

impl FileReferences {
    /// Reads all rows; it blocks.
    ///
    /// # Errors
    /// [`Fatal`] where the file cannot be read to its end.
    pub fn read(opened: OpenedFile<'_>) -> Result<Self, FatalReadError> {
        let (references, rows, bad_rows) = SourceReferences::from_valid_rows(opened.rows)?;
        Ok(Self {
            references,
            rows,
            bad_rows,
        })
    }

    /// How they fit the sources of a study; those that have references already lack nothing.
    #[must_use]
    pub fn summary(&self, sources: &[SourceEntry]) -> ReferenceSummary {
        let texts: Vec<&str> = sources.iter().map(|source| &*source.text).collect();
        let mut report = self.references.report(&texts);
        report
            .unmatched
            .retain(|source| sources[source.index].references == 0);
        ReferenceSummary::new(&report, |place| {
            let of = &sources[place];
            (Some(of.id.to_string()), of.key.clone())
        })
    }

    /// Takes the texts that were accepted for sources which have none.
    pub fn accept(&mut self, sources: &[SourceEntry], accepted: &[(SourceId, u64)]) {
        for (id, line) in accepted {
            if let Some(source) = sources.iter().find(|source| source.id == *id) {
                self.references.accept(&source.text, *line);
            }
        }
    }

    /// Takes what is offered for sources without references and is as similar as this, from 0 to 1.
    pub fn accept_similar(&mut self, sources: &[SourceEntry], least: f64) {
        let bare = sources.iter().filter(|source| source.references == 0);
        let bare: Vec<&str> = bare.map(|source| &*source.text).collect();
        self.references.accept_similar(&bare, least);
    }
}

impl ReferenceSummary {
    /// What a report says, with the id and the name of the source at each place.
    #[must_use]
    pub fn new(
        report: &ReferenceReport,
        names: impl Fn(usize) -> (Option<String>, String),
    ) -> Self {
        let without = report.unmatched.iter().take(LISTED).map(|source| {
            let (id, name) = names(source.index);
            SourceWithoutReferences {
                id,
                name,
                text: beginning(&source.text),
                nearest: source.nearest.as_ref().map(nearest),
            }
        });
        let unused = report
            .unused
            .iter()
            .take(LISTED)
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

    /// How references were found, in a sentence.
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

fn nearest(of: &NearestText) -> SimilarText {
    SimilarText {
        line: of.line,
        text: beginning(&of.text),
        similarity: of.similarity,
    }
}

/// How a text begins; an ellipsis stands for the rest.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 160;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
