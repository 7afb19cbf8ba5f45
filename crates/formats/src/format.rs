//! The formats, and how a file shows which it has.

use std::{fmt, io::Read};

use crate::{
    assessments::{self, ASSESSMENT, ASSET, are_likert},
    columns::Columns,
    fault::Fatal,
    input::{Header, Table},
    mapping::{self, Mapping},
    simpeval::{self, IN_2022, PAST},
};

/// How the rows of a file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// SimpEval, its past shape.
    SimpEvalPast,
    /// SimpEval, its shape of 2022.
    SimpEval2022,
    /// One worker's direct assessment a row, 0 to 100.
    DirectAssessment,
    /// One worker's Likert ratings a row, with the header of direct assessment.
    Likert,
    /// The human ratings of ASSET.
    AssetRatings,
    /// Any other CSV, by mapping.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// Plain text, one sentence a line, one file a writer.
    Text,
}

impl Format {
    /// Whether it is SimpEval, past or 2022: the two with numbered ratings, which a file of raters
    /// can belong to.
    #[must_use]
    pub const fn is_simpeval(self) -> bool {
        matches!(self, Self::SimpEvalPast | Self::SimpEval2022)
    }

    /// For people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SimpEvalPast => "SimpEval (past)",
            Self::SimpEval2022 => "SimpEval 2022",
            Self::DirectAssessment => "direct assessment",
            Self::Likert => "Likert ratings",
            Self::AssetRatings => "ASSET ratings",
            Self::Csv => "CSV",
            Self::Jsonl => "JSONL",
            Self::Text => "plain text, one sentence a line",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What somebody says that a file is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Family {
    /// Nothing: the file shows it.
    #[default]
    Any,
    /// One of SimpEval's: past, 2022, direct assessment or Likert.
    SimpEval,
    /// ASSET's ratings (its texts are several files: [`crate::open_texts`]).
    Asset,
    /// Any CSV, by mapping, whatever its header looks like.
    Csv,
    /// JSONL.
    Jsonl,
}

/// How many rows tell direct assessment from Likert.
const ROWS_THAT_TELL: usize = 50;

/// The format of a CSV file and its columns.
pub(crate) fn columns<R: Read>(
    table: &mut Table<R>,
    family: Family,
    mapping: &Mapping,
) -> Result<(Format, Columns), Fatal> {
    let header = table.header().clone();
    let format = of_header(&header, family);
    let likert = |table: &mut Table<R>| are_likert(&header, table.look_ahead(ROWS_THAT_TELL));
    let (format, mut columns) = match format {
        Format::SimpEvalPast => (format, simpeval::past(&header)?),
        Format::SimpEval2022 => (format, simpeval::in_2022(&header)?),
        Format::DirectAssessment if likert(table) => {
            (Format::Likert, assessments::assessments(&header, true)?)
        }
        Format::DirectAssessment => (format, assessments::assessments(&header, false)?),
        Format::AssetRatings => (format, assessments::asset(&header)?),
        _ => (Format::Csv, mapping::columns(&header, mapping)?),
    };
    columns.scales = mapping.scales.clone();
    Ok((format, columns))
}

/// The format that a header shows; of a family, the member that it comes nearest to.
fn of_header(header: &Header, family: Family) -> Format {
    let all = |names: &[&str]| names.iter().all(|name| header.has(name));
    let any = |names: &[&str]| names.iter().any(|name| header.has(name));
    match family {
        Family::SimpEval if any(&ASSESSMENT) => Format::DirectAssessment,
        Family::SimpEval if any(&["id", "processed_generation"]) => Format::SimpEvalPast,
        Family::SimpEval => Format::SimpEval2022,
        Family::Asset => Format::AssetRatings,
        Family::Csv | Family::Jsonl => Format::Csv,
        Family::Any if all(&PAST) => Format::SimpEvalPast,
        Family::Any if all(&IN_2022) => Format::SimpEval2022,
        Family::Any if all(&ASSESSMENT) => Format::DirectAssessment,
        Family::Any if all(&ASSET) => Format::AssetRatings,
        Family::Any => Format::Csv,
    }
}
