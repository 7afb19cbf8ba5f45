//! Plain text, one sentence per line, one file per writer: `NAME.orig` with `NAME.simp.0` … or one file
//! per system.

use std::{collections::VecDeque, sync::Arc};

use domain::source_context::SourceContext;

use crate::{
    error::{BadRow, FatalReadError, ReadError},
    format::FileFormat,
    input::{FileInput, LineReader, NUL},
    input_options::{InputDescription, LineCount},
    row::{FileOutput, FileRow, FileSource},
    row_iterator::{BoxedRows, until_fatal},
    row_reader::OpenedFile,
    row_remarks::RowRemarks,
    size_limit::reject_large_texts,
};

/// A text file with its name; folders in the name are ignored.
pub struct TextFile<'r> {
    /// The name: `NAME.orig` holds the sources, `NAME.simp.N` human simplifications, and any other file
    /// is named after a system (without `NAME.` before it and `.txt` after it). `.gz` at its end is ignored.
    pub name: String,
    /// Its bytes.
    pub input: FileInput<'r>,
}

/// The use of the human simplifications in `NAME.simp.N`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SimplificationUse {
    /// References to compare with.
    #[default]
    References,
    /// Outputs to rate, each file of a system `simp.N`.
    Outputs,
}

/// Opens text files that belong together. The key of a source is its line number from 0; a row's line counts
/// from 1. Without a file of outputs, each row is a source with its references.
///
/// # Errors
/// [`FatalReadError`] where not exactly one of them is `.orig`, two have the same name, or one
/// is empty or not UTF-8. A file that ends before the others is an error among the rows.
pub fn open_texts<'r>(
    files: Vec<TextFile<'r>>,
    simplifications: SimplificationUse,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let names: Vec<String> = files
        .iter()
        .map(|file| file_name(&file.name).to_owned())
        .collect();

    let mut sources = names.iter().filter_map(|name| name.strip_suffix(ORIG));
    let (Some(stem), None) = (sources.next(), sources.next()) else {
        let names_found = if names.is_empty() {
            "nothing".to_owned()
        } else {
            names.join(", ")
        };
        return Err(FatalReadError::TextFiles(format!(
            "expected one file of sources, NAME{ORIG}, among the texts; found {names_found}; add it or name it so"
        )));
    };

    let (mut input, mut line_count) = (InputDescription::default(), LineCount::default());
    let mut texts = Vec::new();
    for (file, name) in files.into_iter().zip(&names) {
        if texts
            .iter()
            .any(|text: &TextFileLines<'_>| *text.name == **name)
        {
            return Err(FatalReadError::TextFiles(format!(
                "two files are called “{name}”: rename one"
            )));
        }

        let opened = file.input.open();
        let opened = opened.map_err(|fault| fault.in_file(name))?;
        let role = file_role(name, stem, simplifications);
        if role == TextFileRole::Sources {
            (input, line_count) = (opened.description.clone(), opened.lines.clone());
            input.separator = None;
        }
        let lines = opened.into_lines();
        texts.push(TextFileLines {
            role,
            name: name.as_str().into(),
            lines: lines.map_err(|fault| fault.in_file(name))?,
        });
    }

    texts.sort_by_key(|text| text.role != TextFileRole::Sources);
    Ok(OpenedFile {
        format: FileFormat::Text,
        input,
        lines: line_count,
        notes: Vec::new(),
        remarks: RowRemarks::default(),
        rows: reject_large_texts(zip_rows(texts)),
    })
}

const ORIG: &str = ".orig";

/// One of the files; the first holds the sources.
struct TextFileLines<'r> {
    name: Arc<str>,
    role: TextFileRole,
    lines: LineReader<'r>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum TextFileRole {
    Sources,
    References,
    Outputs { system: String },
}

/// The name without folders and without the ending of a compressed file.
pub(crate) fn file_name(name: &str) -> &str {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    name.strip_suffix(".gz").unwrap_or(name)
}

/// Whether a file with this name is plain text with one sentence per line.
#[must_use]
pub fn is_text_file(name: &str) -> bool {
    let name = file_name(name);
    name.ends_with(ORIG) || name.ends_with(".txt") || name.contains(".simp.")
}

fn file_role(name: &str, stem: &str, simplifications: SimplificationUse) -> TextFileRole {
    if name.ends_with(ORIG) {
        return TextFileRole::Sources;
    }

    let own_name = name
        .strip_prefix(stem)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(name);
    let own_name = own_name.strip_suffix(".txt").unwrap_or(own_name);
    let system = if own_name.is_empty() { name } else { own_name };

    let number = system.strip_prefix("simp.").unwrap_or_default();
    let is_human = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    match simplifications {
        SimplificationUse::References if is_human => TextFileRole::References,
        _ => TextFileRole::Outputs {
            system: system.to_owned(),
        },
    }
}

fn zip_rows(mut texts: Vec<TextFileLines<'_>>) -> BoxedRows<'_> {
    let mut ready = VecDeque::new();
    let mut line = 0;
    until_fatal(move || {
        while ready.is_empty() {
            line += 1;
            match next_sentences(line, &mut texts).transpose()? {
                Ok(sentences) => ready.extend(line_rows(line, &texts, &sentences)),
                Err(fault) => return Some(Err(ReadError::Fatal(fault))),
            }
        }
        ready.pop_front()
    })
}

/// The next line of every file; `None` if all have ended.
fn next_sentences(
    line: u64,
    texts: &mut [TextFileLines<'_>],
) -> Result<Option<Vec<String>>, FatalReadError> {
    let mut sentences = Vec::new();
    for text in &mut *texts {
        let next = text
            .lines
            .read_line()
            .map_err(|fault| fault.in_file(&text.name))?;
        sentences.push(next.map(|(_, sentence)| sentence));
    }

    let first_name = |ended: bool| {
        let place = sentences
            .iter()
            .position(|sentence| sentence.is_none() == ended);
        place.map(|place| &*texts[place].name)
    };

    if let (Some(short), Some(long)) = (first_name(true), first_name(false)) {
        return Err(FatalReadError::TextFiles(format!(
            "“{short}” has {} lines, “{long}” has more: line N of each file must belong to one source",
            line - 1
        )));
    }
    Ok(sentences.into_iter().collect())
}

/// The rows of one line. A bad sentence loses its own row; a bad source loses all rows of the line.
fn line_rows(
    line: u64,
    texts: &[TextFileLines<'_>],
    sentences: &[String],
) -> Vec<Result<FileRow, ReadError>> {
    let bad_row = |text: &TextFileLines<'_>, reason: &str| {
        Err(ReadError::Row(BadRow::new(line, Some(&text.name), reason)))
    };
    let mut source = FileSource {
        key: Some((line - 1).to_string()),
        text: String::new(),
        context: SourceContext::default(),
        references: Vec::new(),
    };

    let (mut rows, mut outputs) = (Vec::new(), Vec::new());
    for (text, sentence) in texts.iter().zip(sentences) {
        let is_source = text.role == TextFileRole::Sources;
        let is_blank = sentence.trim().is_empty();
        match &text.role {
            _ if sentence.contains('\0') => rows.push(bad_row(text, NUL)),
            TextFileRole::Sources if is_blank => rows.push(bad_row(text, "is empty: fill it in")),
            TextFileRole::Sources => source.text.clone_from(sentence),
            TextFileRole::References if is_blank => {}
            TextFileRole::References => source.references.push(sentence.clone()),
            TextFileRole::Outputs { system } => outputs.push(FileOutput {
                archived: None,
                text: sentence.clone(),
                system: Some(system.clone()),
                kind: None,
                category: None,
                ratings: Vec::new(),
            }),
        }
        if is_source && !rows.is_empty() {
            return rows;
        }
    }

    let row = |output| FileRow {
        line,
        source: source.clone(),
        output,
        verbatim: Vec::new(),
    };
    let has_outputs = texts
        .iter()
        .any(|text| matches!(text.role, TextFileRole::Outputs { .. }));

    if has_outputs {
        rows.extend(outputs.into_iter().map(|output| Ok(row(Some(output)))));
    } else {
        rows.push(Ok(row(None)));
    }
    rows
}
