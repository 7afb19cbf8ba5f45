//! Answers to questions, one per row.

use std::io::Write;

use domain::questions::{AskedQuestion, QuestionAbout, QuestionAnswer};
use formats::CsvWriter;
use store::question_answers::AnswerRecord;

use super::{
    ExportContext, ExportFailure, OutputPages, groups,
    table_cell::{
        ColumnKind::{Text, Time, Truth},
        TableCell, TableColumn,
    },
};

/// Writes one row for each answer; an answer about an output has a row for each system that wrote the output.
pub(super) fn write(
    context: &ExportContext,
    pages: &mut OutputPages,
    out: &mut dyn Write,
) -> Result<(), ExportFailure> {
    let columns = columns().into_iter().chain(groups::column(context));
    let header = columns.map(|column| column.name);
    let mut writer = CsvWriter::new(out, header, context.request.cells)?;

    for_each_row(context, pages, |row| {
        Ok(writer.write(row.iter().map(TableCell::as_text))?)
    })?;

    pages.formula_cells += writer.formula_cells();
    writer.finish()?.flush()?;
    Ok(())
}

/// Calls `take` with the cells of each row: those of [`columns`], and the rater's group in studies that have groups.
pub(super) fn for_each_row(
    context: &ExportContext,
    pages: &mut OutputPages,
    mut take: impl FnMut(Vec<TableCell<'_>>) -> Result<(), ExportFailure>,
) -> Result<(), ExportFailure> {
    let study = pages.runtime.block_on(pages.export.answers())?;

    for record in &study.answers {
        let written = WrittenAnswer::new(context, record);
        pages.answers += 1;
        let Some(output) = record.output else {
            let mut row = cells(record, &written, None);
            row.extend(groups::cell(context, &record.rater));
            take(row)?;
            continue;
        };

        for judged in study.outputs.iter().filter(|own| own.judged_as == output) {
            let place = (
                judged.output.to_string(),
                &*judged.system,
                judged.output != output,
            );

            let mut row = cells(record, &written, Some((&*place.0, place.1, place.2)));
            row.extend(groups::cell(context, &record.rater));
            take(row)?;
        }
    }
    Ok(())
}

/// The columns of an answer.
pub(super) fn columns() -> Vec<TableColumn> {
    let required = |name| TableColumn::required(name, Text);
    let optional = |name| TableColumn::optional(name, Text);
    vec![
        required("source_id"),
        optional("output_id"),
        optional("system"),
        required("rater"),
        required("about"),
        required("question"),
        optional("wording"),
        optional("options"),
        required("answer"),
        TableColumn::required("shared", Truth),
        TableColumn::required("recorded_at", Time),
    ]
}

/// An answer in words.
struct WrittenAnswer<'a> {
    wording: Option<&'a str>,
    /// The keys of the options, separated by spaces; `None` for a text.
    options: Option<String>,
    /// The wordings of the options, or the text.
    answer: String,
}

impl<'a> WrittenAnswer<'a> {
    fn new(context: &'a ExportContext, record: &AnswerRecord) -> Self {
        let step = context.study.settings.protocol.answer_step();
        let question = step.and_then(|step| step.find(&record.question));
        let chosen = record.answer.options();
        Self {
            wording: question.map(|question| question.text.as_str()),
            options: (!chosen.is_empty()).then(|| chosen.join(" ")),
            answer: answer_text(question, &record.answer),
        }
    }
}

/// The labels of the chosen options, or the text. An option that is no longer offered is written as its key.
pub(super) fn answer_text(question: Option<&AskedQuestion>, answer: &QuestionAnswer) -> String {
    if let QuestionAnswer::Text(text) = answer {
        return text.clone();
    }

    let label = |key: &String| {
        let mut options = question.map_or(&[][..], AskedQuestion::options).iter();
        let option = options.find(|option| option.key == *key);
        option.map_or_else(|| key.clone(), |option| option.label.clone())
    };

    let labels: Vec<_> = answer.options().iter().map(label).collect();
    labels.join("; ")
}

/// The cells of an answer. `place` is the output, its system, and whether it was judged as another output with the
/// same text.
fn cells<'a>(
    record: &'a AnswerRecord,
    written: &'a WrittenAnswer<'a>,
    place: Option<(&'a str, &'a str, bool)>,
) -> Vec<TableCell<'a>> {
    let about = match record.output {
        Some(_) => QuestionAbout::Output,
        None => QuestionAbout::Source,
    };

    let optional = |text: Option<&'a str>| TableCell::text_or_missing(text);
    vec![
        TableCell::text(&record.source_key),
        optional(place.map(|(output, ..)| output)),
        optional(place.map(|(_, system, _)| system)),
        TableCell::text(&record.rater),
        TableCell::text(about.name()),
        TableCell::text(&record.question),
        optional(written.wording),
        optional(written.options.as_deref()),
        TableCell::text(&written.answer),
        TableCell::Truth(place.is_some_and(|(.., shared)| shared)),
        TableCell::Time(record.recorded_at),
    ]
}
