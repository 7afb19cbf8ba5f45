//! Marked spans: a line for each output and rater, as `rankrate spans` reads them, and the JSON of Thresh.
//!
//! Offsets are Unicode scalar values, as other programs count characters; the store counts bytes.

use std::{
    collections::BTreeMap,
    io::{BufWriter, Write},
};

use domain::{
    ids::OutputId,
    span::Span,
    span_marks::{SpanMark, taxonomy::SpanTaxonomy},
    study::SystemKind,
};
use formats::write_line;
use serde::Serialize;
use store::export::{ExportedMarks, ExportedOutput};
use utoipa::ToSchema;

use super::{ExportContext, ExportFailure, OutputPages, format_timestamp};

/// A stretch of a text: its first character, and the one after its last.
pub(super) type CharacterRange = (usize, usize);

#[derive(Serialize, ToSchema)]
pub(super) struct SpanLine<'a> {
    source_id: &'a str,
    source: &'a str,
    output_id: OutputId,
    output: &'a str,
    system: &'a str,
    kind: SystemKind,
    rater: &'a str,
    /// The name of the rater's group, where they are in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    group: Option<&'a str>,
    marks: Vec<SpanMarkLine<'a>>,
    shared: bool,
    recorded_at: String,
}

/// A mark, with its places in characters: of each stretch the first one and the one after the last.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpanMarkLine<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    level: Option<&'a str>,
    value: Option<f64>,
    #[schema(value_type = Vec<Vec<usize>>)]
    source: Vec<CharacterRange>,
    #[schema(value_type = Vec<Vec<usize>>)]
    output: Vec<CharacterRange>,
    source_words: Vec<&'a str>,
    output_words: Vec<&'a str>,
}

/// Writes one line per output and rater.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut out = BufWriter::new(out);
    let taxonomy = taxonomy(context);
    let mut lines = 0;

    pages.for_each_output(|output, _| {
        for of in &output.marks {
            lines += 1;
            write_line(&mut out, &span_line(context, &taxonomy, output, of))?;
        }
        Ok(())
    })?;

    pages.marked_outputs += lines;
    Ok(out.flush()?)
}

/// The types and levels of the study; empty if its protocol no longer marks spans.
pub(super) fn taxonomy(context: &ExportContext) -> SpanTaxonomy {
    let step = context.study.settings.protocol.mark_spans_step();
    step.map(|step| step.taxonomy.clone()).unwrap_or_default()
}

fn span_line<'a>(
    context: &'a ExportContext,
    taxonomy: &SpanTaxonomy,
    output: &'a ExportedOutput,
    of: &'a ExportedMarks,
) -> SpanLine<'a> {
    SpanLine {
        source_id: &output.source.key,
        source: &output.source.text,
        output_id: output.output,
        output: &output.text,
        system: &output.system,
        kind: output.kind,
        rater: context.summary.label(of.rater),
        group: context.summary.group(context.summary.label(of.rater)),
        marks: span_marks(taxonomy, output, of),
        shared: of.shared,
        recorded_at: format_timestamp(of.recorded_at),
    }
}

/// A rater's marks of an output, with the levels of the study's types.
#[must_use]
pub fn span_marks<'a>(
    taxonomy: &SpanTaxonomy,
    output: &'a ExportedOutput,
    of: &'a ExportedMarks,
) -> Vec<SpanMarkLine<'a>> {
    let (source, text) = (&output.source.text[..], &output.text[..]);

    let line = |mark: &'a SpanMark| {
        let level = mark.level.as_deref();
        let known = level.and_then(|name| taxonomy.find_level(name));
        SpanMarkLine {
            kind: &mark.kind,
            level,
            value: known.map(|level| level.value),
            source: character_ranges(source, &mark.source),
            output: character_ranges(text, &mark.output),
            source_words: words(source, &mark.source),
            output_words: words(text, &mark.output),
        }
    };

    of.marks.iter().map(line).collect()
}

/// The marked stretches of a text.
pub(super) fn words<'a>(text: &'a str, spans: &[Span]) -> Vec<&'a str> {
    spans.iter().filter_map(|span| span.slice(text)).collect()
}

/// The ranges of marked stretches, in characters of the text.
pub(super) fn character_ranges(text: &str, spans: &[Span]) -> Vec<CharacterRange> {
    let count = |end: usize| text.get(..end).map_or(0, |before| before.chars().count());
    let range = |span: &Span| (count(span.start), count(span.end));
    spans.iter().map(range).collect()
}

#[derive(Serialize, ToSchema)]
pub(super) struct ThreshEntry<'a> {
    source: &'a str,
    target: &'a str,
    metadata: ThreshMetadata<'a>,
    edits: Vec<ThreshEdit<'a>>,
}

#[derive(Serialize, ToSchema)]
struct ThreshMetadata<'a> {
    annotator: &'a str,
    system: &'a str,
    source_id: &'a str,
    output_id: OutputId,
}

#[derive(Serialize, ToSchema)]
struct ThreshEdit<'a> {
    /// From 1 within its category.
    id: usize,
    category: &'a str,
    #[schema(value_type = Vec<Vec<usize>>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    input_idx: Vec<CharacterRange>,
    #[schema(value_type = Vec<Vec<usize>>)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    output_idx: Vec<CharacterRange>,
    annotation: BTreeMap<&'static str, &'a str>,
}

/// Writes one array with an object per output and rater, in the format that Thresh reads and in which SALSA was
/// published: Heineman, Dou, Maddela and Xu (2023).
pub(super) fn write_thresh(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let mut out = BufWriter::new(out);
    let mut entries = 0;

    out.write_all(b"[")?;
    pages.for_each_output(|output, _| {
        for of in &output.marks {
            out.write_all(if entries == 0 { b"\n" } else { b",\n" })?;
            let entry = thresh_entry(context, output, of);
            serde_json::to_writer(&mut out, &entry).map_err(std::io::Error::from)?;
            entries += 1;
        }
        Ok(())
    })?;

    out.write_all(b"\n]\n")?;
    pages.marked_outputs += entries;
    Ok(out.flush()?)
}

fn thresh_entry<'a>(
    context: &'a ExportContext,
    output: &'a ExportedOutput,
    of: &'a ExportedMarks,
) -> ThreshEntry<'a> {
    let mut numbers = BTreeMap::<&str, usize>::new();

    let edit = |mark: &'a SpanMark| {
        let number = numbers.entry(&mark.kind).or_default();
        *number += 1;
        ThreshEdit {
            id: *number,
            category: &mark.kind,
            input_idx: character_ranges(&output.source.text, &mark.source),
            output_idx: character_ranges(&output.text, &mark.output),
            annotation: mark
                .level
                .iter()
                .map(|level| ("level", level.as_str()))
                .collect(),
        }
    };

    ThreshEntry {
        source: &output.source.text,
        target: &output.text,
        edits: of.marks.iter().map(edit).collect(),
        metadata: ThreshMetadata {
            annotator: context.summary.label(of.rater),
            system: &output.system,
            source_id: &output.source.key,
            output_id: output.output,
        },
    }
}
