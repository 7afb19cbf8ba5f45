//! What is written of an alignment, a line each.

use std::io::Write;

use clap::ValueEnum;
use domain::{
    edit::Edit,
    span::Span,
    text::{
        align::{Alignment, Grade, grid::Style, pharaoh},
        edits,
        tokenised::Tokenised,
    },
};
use learn::aligner::Aligner;
use serde::Serialize;

use super::pairs::Pair;

/// How many pairs are aligned before they are written.
const AT_ONCE: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Links as word numbers: 0-0 1-2.
    Pharaoh,
    /// A JSON object: the words' places (in bytes), and the links with their likelihood.
    Json,
    /// A JSON object: the edits that the links show, with the places of their words (in bytes).
    Edits,
}

#[derive(Serialize)]
struct Links<'a> {
    source: &'a str,
    output: &'a str,
    source_words: Vec<Span>,
    output_words: Vec<Span>,
    links: Vec<Link>,
    grade: Grade,
    version: u32,
    /// Whether the texts were too long to compare every word with every other.
    banded: bool,
}

#[derive(Serialize)]
struct Link {
    source: usize,
    output: usize,
    probability: f64,
}

#[derive(Serialize)]
struct Edits<'a> {
    source: &'a str,
    output: &'a str,
    edits: Vec<Edit>,
    grade: Grade,
    version: u32,
    banded: bool,
}

pub(super) fn write(
    aligner: &Aligner,
    pairs: &[Pair],
    format: Format,
    mut out: impl Write,
) -> anyhow::Result<()> {
    for some in pairs.chunks(AT_ONCE) {
        let texts: Vec<_> = some
            .iter()
            .map(|(source, output)| (source, output))
            .collect();
        let found = aligner.align(&texts, Style::Word)?;
        for ((source, output), alignment) in some.iter().zip(found) {
            match format {
                Format::Pharaoh => {
                    writeln!(out, "{}", pharaoh::write(&pharaoh::pairs(&alignment.links)))?;
                }
                Format::Json => line(&mut out, &links(source, output, &alignment))?,
                Format::Edits => line(
                    &mut out,
                    &Edits {
                        source: source.text(),
                        output: output.text(),
                        edits: edits::edits(source, output, &alignment),
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

fn line(out: &mut impl Write, value: &impl Serialize) -> anyhow::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(writeln!(out)?)
}

fn links<'a>(source: &'a Tokenised, output: &'a Tokenised, found: &Alignment) -> Links<'a> {
    let words = |text: &Tokenised| text.tokens().iter().map(|token| token.span).collect();
    let link = |link: &domain::text::align::Link| Link {
        source: link.source,
        output: link.output,
        probability: link.confidence,
    };
    Links {
        source: source.text(),
        output: output.text(),
        source_words: words(source),
        output_words: words(output),
        links: found.links.iter().map(link).collect(),
        grade: found.grade,
        version: found.version,
        banded: found.banded,
    }
}
