//! The dataset card: a README whose header the Hugging Face Hub reads.

mod agreement;
mod collection;
mod columns;

use std::io::{self, Write};

use domain::study::RaterKind;
use serde_json::json;

use crate::{
    export::{
        ExportContext, ExportFile, format_timestamp,
        readme::{write_inclusion_rules, write_versions, write_z_scores},
    },
    wording::{count_noun, list_words},
};

/// The size categories of the Hub, each with the number of rows that it stays below.
const SIZES: [(u64, &str); 6] = [
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
];

/// Writes the card, as Markdown with a YAML header.
pub(in crate::export) fn write(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let tables = tables(context);
    let loadable: Vec<_> = tables
        .iter()
        .filter(|(file, _)| has_rows(*file, context))
        .map(|(_, name)| *name)
        .collect();
    write_header(context, &loadable, out)?;

    writeln!(out, "# {}\n", one_line(&context.study.name))?;
    writeln!(
        out,
        "People's judgements of text simplifications, collected with Rank & Rate: the study `{}`, taken out at {} as of \
         its event number {}.\n",
        context.study.slug,
        format_timestamp(context.at_ms),
        context.event,
    )?;

    write_counts(context, out)?;
    if let Some(table) = loadable.first() {
        write_loading(table, out)?;
    }

    write_inclusion_rules(context, out)?;
    writeln!(
        out,
        "- Annotators are numbered and not named; their notes and replies, which may name people, are not part of it. \
         Raters of imported ratings are called as in their files."
    )?;

    collection::write(context, out)?;
    agreement::write(context, out)?;
    if context.summary.ratings > 0 {
        write_z_scores(context, out)?;
    }

    for (file, name) in tables {
        columns::write(file, name, context, out)?;
    }

    write_versions(context, out)?;
    write_license(context, out)
}

/// The tables of the dataset with their names, the most important one first.
fn tables(context: &ExportContext) -> Vec<(ExportFile, &'static str)> {
    let summary = &context.summary;
    let files = context.request.format.files().iter().rev().copied();
    let files = files.filter(|file| context.includes(*file));
    let mut tables: Vec<_> = files
        .filter_map(|file| Some((file, file.table_name()?)))
        .collect();

    // Without ratings, comparisons, spans or answers come first.
    tables.sort_by_key(|(file, _)| match file {
        ExportFile::Ratings => summary.ratings == 0,
        ExportFile::Comparisons | ExportFile::Spans | ExportFile::Answers => false,
        _ => true,
    });

    tables
}

/// Whether a table has rows. `datasets` cannot load empty tables, so the header does not name them.
const fn has_rows(file: ExportFile, context: &ExportContext) -> bool {
    match file {
        ExportFile::Ratings => context.summary.ratings > 0,
        ExportFile::Outputs => context.summary.outputs > 0,
        _ => context.includes(file),
    }
}

/// Writes the header. Values are written as JSON, which is valid YAML whatever the texts contain.
fn write_header(context: &ExportContext, tables: &[&str], out: &mut dyn Write) -> io::Result<()> {
    let options = &context.request.dataset;
    writeln!(out, "---")?;
    writeln!(out, "pretty_name: {}", json!(one_line(&context.study.name)))?;

    if let Some(license) = &options.license {
        match license.identifier() {
            Some(identifier) => writeln!(out, "license: {}", json!(identifier))?,
            None => writeln!(
                out,
                "license: other\nlicense_name: {}",
                json!(license.to_string())
            )?,
        }
    }

    writeln!(out, "language: {}", json!(options.languages.codes()))?;
    writeln!(
        out,
        "task_categories: [text-generation]\ntags: [text-simplification, human-evaluation, rank-and-rate]"
    )?;
    writeln!(out, "size_categories: [{}]", size(context))?;

    for (number, name) in tables.iter().enumerate() {
        if number == 0 {
            writeln!(out, "configs:")?;
        }
        writeln!(out, "- config_name: {name}\n  data_files: {name}.parquet")?;
        if number == 0 {
            writeln!(out, "  default: true")?;
        }
    }

    writeln!(out, "---\n")
}

/// Replaces line breaks in a text, which would end a heading, by spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The size of the largest table that everyone has, as the Hub names it.
fn size(context: &ExportContext) -> &'static str {
    let summary = &context.summary;
    let rows = (summary.ratings + summary.shared)
        .max(summary.outputs)
        .max(summary.comparisons)
        .max(summary.answers);

    let size = SIZES.iter().find(|(most, _)| rows < *most);
    size.map_or("100M<n<1B", |(_, name)| name)
}

fn write_counts(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let summary = &context.summary;
    let copies = match summary.shared {
        0 => String::new(),
        shared => format!(", and {shared} copies of these at identical outputs"),
    };

    writeln!(out, "- {}{copies}", count(summary.ratings, "rating"))?;
    if summary.comparisons > 0 {
        writeln!(out, "- {}", count(summary.comparisons, "comparison"))?;
    }
    if summary.marked_outputs > 0 {
        let judgements = count(summary.marked_outputs, "judgement");
        writeln!(out, "- {judgements} of an output's spans")?;
    }
    if summary.answers > 0 {
        let answers = count(summary.answers, "answer");
        writeln!(out, "- {answers} to questions")?;
    }
    if summary.unjudged > 0 {
        let reasons = count(summary.unjudged, "reason");
        writeln!(out, "- {reasons} why an output could not be judged")?;
    }

    let (sources, systems) = (summary.sources.len(), summary.systems.len());
    writeln!(
        out,
        "- {} of {}\n- {}",
        count(summary.outputs, "output"),
        count_noun(sources, "source"),
        count_noun(systems, "system")
    )?;

    let raters = summary.rater_kinds().into_iter().map(|(kind, number)| {
        let kind = match kind {
            RaterKind::Person => "",
            RaterKind::Imported => " (imported)",
            RaterKind::Simulated => " (simulated: no person)",
            RaterKind::Consensus => " (the consensus of all)",
        };
        format!("{}{kind}", count_noun(number, "rater"))
    });

    let raters: Vec<_> = raters.collect();
    match raters.is_empty() {
        true => Ok(()),
        false => writeln!(out, "- {}", list_words(&raters)),
    }
}

fn count(number: u64, noun: &str) -> String {
    count_noun(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

fn write_loading(table: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "\n```python\nfrom datasets import load_dataset\n\n{table} = load_dataset(FOLDER, \"{table}\", \
         split=\"train\")\n```"
    )
}

fn write_license(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let sentence = match &context.request.dataset.license {
        Some(license) => format!("{license}. Texts keep the rights of their authors."),
        None => "No licence was given: without one, nobody may use or publish the dataset but its authors. Texts keep \
                 the rights of their authors."
            .to_owned(),
    };
    writeln!(out, "\n## Licence\n\n{sentence}")
}
