//! The formats of an export, and the files of each.

/// The formats. Commands and URLs use their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// CSV, one column per rater; imported values are written verbatim.
    SimpevalPast,
    /// CSV with slots of ratings, and a second file with the rater of each.
    Simpeval2022,
    /// All data, one JSON object per output.
    Jsonl,
    /// CSV, one row per rating, of every dimension: for statistics programs.
    Tidy,
    /// CSV, one row per comparison of outputs.
    Comparisons,
    /// CSV, one row per answer to a question.
    Answers,
    /// CSV, one row per simplification that an annotator wrote.
    Written,
    /// One JSON object per output and rater who marked spans in it.
    Spans,
    /// The same as one JSON array, in the format of Thresh.
    Thresh,
    /// CSV, one row per output and dimension that a lead decided on.
    Gold,
    /// CSV, one column per metric, and a second file with their signatures.
    MetricScores,
    /// Word alignments from corrected edits, for training an aligner: columns separated by tabs, as in
    /// MultiMWA, one line per output and annotator.
    Alignments,
    /// A folder with Parquet files and a dataset card, for `datasets.load_dataset` and the Hugging Face Hub.
    Dataset,
}

impl ExportFormat {
    /// All formats, in the order in which they are offered.
    pub const ALL: [Self; 13] = [
        Self::SimpevalPast,
        Self::Simpeval2022,
        Self::Jsonl,
        Self::Tidy,
        Self::Comparisons,
        Self::Answers,
        Self::Written,
        Self::Spans,
        Self::Thresh,
        Self::Gold,
        Self::MetricScores,
        Self::Alignments,
        Self::Dataset,
    ];

    /// The format with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// A sentence on its contents.
    pub const fn description(self) -> &'static str {
        match self {
            Self::SimpevalPast => {
                "CSV, one column a rater; what `import` read comes out to the letter"
            }
            Self::Simpeval2022 => {
                "CSV with slots of ratings, and a second file that names who is behind each"
            }
            Self::Jsonl => "Everything, one JSON object an output",
            Self::Tidy => "CSV, one row a rating, of every dimension: for statistics programs",
            Self::Comparisons => {
                "CSV, one row a comparison of two outputs, or of the best and the worst of several"
            }
            Self::Answers => "CSV, one row an answer to a question about an output or a source",
            Self::Written => {
                "CSV, one row a simplification that an annotator wrote, with its length, grade level and word rank"
            }
            Self::Spans => {
                "Marked spans, one JSON object an output and annotator, with characters and words"
            }
            Self::Thresh => {
                "Marked spans as one JSON file, in the shape that Thresh reads and SALSA has"
            }
            Self::Gold => "CSV, one row an output and dimension with a final value",
            Self::MetricScores => {
                "CSV, one column a metric, and a second file with their signatures"
            }
            Self::Alignments => {
                "Word alignments as corrected edits show them, to train an aligner with: columns \
                 separated by tabs, as in MultiMWA, one line an output and annotator"
            }
            Self::Dataset => {
                "A folder of Parquet files with a dataset card, as `datasets.load_dataset` and the Hugging Face \
                 Hub read it"
            }
        }
    }

    /// The name in commands and URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SimpevalPast => "simpeval-past",
            Self::Simpeval2022 => "simpeval-2022",
            Self::Jsonl => "jsonl",
            Self::Tidy => "tidy",
            Self::Comparisons => "comparisons",
            Self::Answers => "answers",
            Self::Written => "written",
            Self::Spans => "spans",
            Self::Thresh => "thresh",
            Self::Gold => "gold",
            Self::MetricScores => "metric-scores",
            Self::Alignments => "alignments",
            Self::Dataset => "dataset",
        }
    }

    /// Whether an export is a folder of files with fixed names rather than a table and the files that go with it.
    pub const fn is_folder(self) -> bool {
        matches!(self, Self::Dataset)
    }

    /// The extension of the table's file name.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::SimpevalPast
            | Self::Simpeval2022
            | Self::Tidy
            | Self::Comparisons
            | Self::Answers
            | Self::Written
            | Self::Gold
            | Self::MetricScores => ".csv",
            Self::Jsonl | Self::Spans => ".jsonl",
            Self::Thresh => ".json",
            Self::Alignments => ".tsv",
            Self::Dataset => "",
        }
    }

    /// The files of an export, in the order in which they are written. Some are included only if they have contents:
    /// see [`ExportContext::includes`](super::ExportContext::includes).
    pub const fn files(self) -> &'static [ExportFile] {
        match self {
            Self::SimpevalPast | Self::Jsonl | Self::Tidy => {
                &[ExportFile::Readme, ExportFile::Unjudged, ExportFile::Table]
            }
            Self::Simpeval2022 => &[
                ExportFile::Readme,
                ExportFile::Unjudged,
                ExportFile::Raters,
                ExportFile::Table,
            ],
            Self::Comparisons
            | Self::Answers
            | Self::Written
            | Self::Spans
            | Self::Thresh
            | Self::Gold
            | Self::Alignments => &[ExportFile::Readme, ExportFile::Table],
            Self::MetricScores => &[
                ExportFile::Readme,
                ExportFile::Signatures,
                ExportFile::Table,
            ],
            Self::Dataset => &[
                ExportFile::Readme,
                ExportFile::Unjudged,
                ExportFile::Answers,
                ExportFile::Spans,
                ExportFile::Comparisons,
                ExportFile::Outputs,
                ExportFile::Ratings,
            ],
        }
    }
}

/// One file of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFile {
    /// The outputs with their ratings.
    Table,
    /// The rater of each rating in the table.
    Raters,
    /// The metric of each column in the table.
    Signatures,
    /// The outputs that raters could not judge, with the reasons.
    Unjudged,
    /// Rules, versions and the meaning of columns.
    Readme,
    /// The ratings of a dataset folder.
    Ratings,
    /// The outputs of a dataset folder, with their sources and the scores of metrics.
    Outputs,
    /// The comparisons of a dataset folder.
    Comparisons,
    /// The marked spans of a dataset folder.
    Spans,
    /// The answers to questions of a dataset folder.
    Answers,
}

impl ExportFile {
    /// The file's name. Outside of folders it begins with `stem`; the table's has the format's extension. In a
    /// folder, names are fixed.
    pub fn file_name(self, stem: &str, format: ExportFormat) -> String {
        if format.is_folder() {
            return match self.table_name() {
                Some(table) => format!("{table}.parquet"),
                None => "README.md".to_owned(),
            };
        }

        let ending = match self {
            Self::Raters => ".raters.csv",
            Self::Signatures => ".signatures.csv",
            Self::Unjudged => ".unjudged.csv",
            Self::Readme => ".README.md",
            Self::Table
            | Self::Ratings
            | Self::Outputs
            | Self::Comparisons
            | Self::Spans
            | Self::Answers => format.extension(),
        };

        format!("{stem}{ending}")
    }

    /// The name of a table in a dataset folder.
    pub(super) const fn table_name(self) -> Option<&'static str> {
        match self {
            Self::Ratings => Some("ratings"),
            Self::Outputs => Some("outputs"),
            Self::Comparisons => Some("comparisons"),
            Self::Spans => Some("spans"),
            Self::Answers => Some("answers"),
            Self::Unjudged => Some("unjudged"),
            Self::Table | Self::Raters | Self::Signatures | Self::Readme => None,
        }
    }
}
