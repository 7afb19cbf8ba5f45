//! Alignments as lines of a file.

use std::io::Write;

use clap::ValueEnum;
use domain::{
    edit::Edit,
    span::Span,
    text::{
        align::{AlignerGrade, Alignment, grid::AlignmentStyle, pharaoh},
        edits,
        tokenised_text::TokenisedText,
    },
};
use learn::aligner::Aligner;
use serde::Serialize;
use utoipa::ToSchema;

use super::pairs::TextPair;

/// The number of pairs that are aligned before they are written.
const BATCH_SIZE: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum AlignFormat {
    /// Links as word numbers: 0-0 1-2.
    Pharaoh,
    /// A JSON object: the words' places (in bytes), and the links with their likelihood.
    Json,
    /// A JSON object: the edits that the links show, with the places of their words (in bytes).
    Edits,
}

#[derive(Serialize, ToSchema)]
pub(in crate::cli) struct PairLinks<'a> {
    /// The source.
    source: &'a str,
    /// The output.
    output: &'a str,
    /// Its words, as bytes of the text.
    source_words: Vec<Span>,
    /// Its words, as bytes of the text.
    output_words: Vec<Span>,
    /// The linked words.
    links: Vec<PairLink>,
    /// The kind of aligner.
    grade: AlignerGrade,
    /// Its version.
    version: u32,
    /// Whether the texts were too long to compare every word with every other.
    banded: bool,
}

#[derive(Serialize, ToSchema)]
struct PairLink {
    /// A word of the source, from 0.
    source: usize,
    /// A word of the output, from 0.
    output: usize,
    /// From 0 to 1.
    probability: f64,
}

#[derive(Serialize, ToSchema)]
pub(in crate::cli) struct PairEdits<'a> {
    /// The source.
    source: &'a str,
    /// The output.
    output: &'a str,
    /// The edits between them.
    edits: Vec<Edit>,
    /// The kind of aligner.
    grade: AlignerGrade,
    /// Its version.
    version: u32,
    /// Whether the texts were too long to compare every word with every other.
    banded: bool,
}

pub(super) fn write(
    aligner: &Aligner,
    pairs: &[TextPair],
    format: AlignFormat,
    mut out: impl Write,
) -> anyhow::Result<()> {
    for batch in pairs.chunks(BATCH_SIZE) {
        let texts: Vec<_> = batch
            .iter()
            .map(|(source, output)| (source, output))
            .collect();
        let alignments = aligner.align(&texts, AlignmentStyle::Word)?;

        for ((source, output), alignment) in batch.iter().zip(alignments) {
            match format {
                AlignFormat::Pharaoh => {
                    writeln!(
                        out,
                        "{}",
                        pharaoh::format_links(&pharaoh::link_set(&alignment.links))
                    )?;
                }
                AlignFormat::Json => write_line(&mut out, &pair_links(source, output, &alignment))?,
                AlignFormat::Edits => write_line(
                    &mut out,
                    &PairEdits {
                        source: source.text(),
                        output: output.text(),
                        edits: edits::derive_edits(source, output, &alignment),
                        grade: alignment.grade,
                        version: alignment.version,
                        banded: alignment.banded,
                    },
                )?,
            }
        }
    }
    Ok(out.flush()?)
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(writeln!(out)?)
}

fn pair_links<'a>(
    source: &'a TokenisedText,
    output: &'a TokenisedText,
    alignment: &Alignment,
) -> PairLinks<'a> {
    let words = |text: &TokenisedText| text.tokens().iter().map(|token| token.span).collect();
    let link = |link: &domain::text::align::AlignmentLink| PairLink {
        source: link.source,
        output: link.output,
        probability: link.confidence,
    };

    PairLinks {
        source: source.text(),
        output: output.text(),
        source_words: words(source),
        output_words: words(output),
        links: alignment.links.iter().map(link).collect(),
        grade: alignment.grade,
        version: alignment.version,
        banded: alignment.banded,
    }
}
