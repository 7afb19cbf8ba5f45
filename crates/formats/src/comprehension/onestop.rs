//! OneStopQA: thirty articles at three levels, with three questions a paragraph.

use domain::{
    comprehension::{EvidenceSpans, MaterialName, NonBlankText, Question},
    span::Span,
};
use serde::Deserialize;

use super::{
    ComprehensionBuilder, ComprehensionFile, ComprehensionFormat,
    assemble::{self, MAX_QUESTIONS},
};
use crate::error::{BadRow, FatalReadError, clip};

#[derive(Deserialize)]
struct OneStopFile {
    data: Vec<OneStopArticle>,
}

#[derive(Deserialize)]
struct OneStopArticle {
    title: String,
    paragraphs: Vec<OneStopParagraph>,
}

#[derive(Deserialize)]
struct OneStopParagraph {
    #[serde(rename = "Adv")]
    advanced: Option<OneStopLevel>,
    #[serde(rename = "Int")]
    intermediate: Option<OneStopLevel>,
    #[serde(rename = "Ele")]
    elementary: Option<OneStopLevel>,
    qas: Vec<OneStopQuestion>,
}

#[derive(Deserialize)]
struct OneStopLevel {
    context: String,
    /// For each question, the first and last word of each span, counted from 0.
    #[serde(default)]
    a_spans: Vec<Vec<usize>>,
    #[serde(default)]
    d_spans: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct OneStopQuestion {
    question: String,
    answers: Vec<String>,
}

/// Reads the file where it is OneStopQA's: one JSON object with a list `data`.
///
/// A passage is named after the numbers of article and paragraph, both from 1, such as `3_p2`.
pub(super) fn read(bytes: &[u8]) -> Result<Option<ComprehensionFile>, FatalReadError> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Ok(None);
    }
    let Ok(file) = serde_json::from_slice::<OneStopFile>(text) else {
        return Ok(None);
    };

    let mut builder = ComprehensionBuilder::default();
    for (article, place) in file.data.into_iter().zip(1..) {
        for (paragraph, number) in article.paragraphs.into_iter().zip(1..) {
            let name = format!("{place}_p{number}");
            let read = add_paragraph(&mut builder, &name, &article.title, paragraph);
            if let Err(reason) = read {
                let title = clip(&article.title);
                let reason = format!("paragraph {name} (“{title}”): {reason}");
                return Err(FatalReadError::Row(BadRow::new(1, None, reason)));
            }
        }
    }
    Ok(Some(builder.finish(ComprehensionFormat::OneStopQa)))
}

fn add_paragraph(
    builder: &mut ComprehensionBuilder,
    name: &str,
    title: &str,
    paragraph: OneStopParagraph,
) -> Result<(), String> {
    let questions = paragraph.qas.len();
    if questions > MAX_QUESTIONS {
        return Err(format!(
            "{questions} questions are more than the {MAX_QUESTIONS} that a passage may have"
        ));
    }

    let name: MaterialName = parse_name(name)?;
    let passage = builder.passage_mut(&name, title);
    for (written, number) in paragraph.qas.iter().zip(1..) {
        let question = Question::new(&written.question, &written.answers);
        let question = question.map_err(|error| format!("question {number}: {error}"))?;
        assemble::add_question(passage, &parse_name(&format!("q{number}"))?, question)?;
    }

    let levels = [
        ("Advanced", paragraph.advanced),
        ("Intermediate", paragraph.intermediate),
        ("Elementary", paragraph.elementary),
    ];
    for (condition, level) in levels {
        let Some(level) = level else { continue };
        let condition = parse_name(condition)?;
        let words = word_places(&level.context);
        for number in 0..questions {
            let spans = EvidenceSpans {
                critical: word_spans(&words, level.a_spans.get(number)),
                distractor: word_spans(&words, level.d_spans.get(number)),
            };
            let question = parse_name(&format!("q{}", number + 1))?;
            assemble::add_spans(passage, &condition, &question, spans);
        }
        let text = NonBlankText::try_from(level.context).map_err(|error| error.to_string())?;
        assemble::add_text(passage, &condition, text)?;
    }
    Ok(())
}

fn parse_name(name: &str) -> Result<MaterialName, String> {
    name.parse()
        .map_err(|error: domain::comprehension::MaterialError| error.to_string())
}

/// The places of a text's words.
fn word_places(text: &str) -> Vec<Span> {
    let start = text.as_ptr().addr();
    let place = |word: &str| {
        let at = word.as_ptr().addr() - start;
        Span::new(at, at + word.len())
    };
    text.split_whitespace().map(place).collect()
}

/// Turns spans of words into spans of the text; those beyond its end are left out.
fn word_spans(places: &[Span], words: Option<&Vec<usize>>) -> Vec<Span> {
    let (pairs, _) = words.map(Vec::as_slice).unwrap_or_default().as_chunks();
    let span = |&[first, last]: &[usize; 2]| {
        let (first, last) = (places.get(first)?, places.get(last)?);
        (first.start < last.end).then(|| Span::new(first.start, last.end))
    };
    pairs.iter().filter_map(span).collect()
}
