//! The released answers and the figures that came of them.

use domain::comprehension::{AnswerChoice, AnswerTable, ReaderAnswer};
use serde_json::Value;

/// The released records with the figures that came of them.
pub(crate) fn read_golden() -> Value {
    testdata::golden("rc_eval.json")
}

/// NLTK's stop words, with which the figures were computed.
pub(crate) fn stop_words() -> Vec<String> {
    let text = testdata::golden_text("stopwords.txt");
    text.lines().map(str::to_owned).collect()
}

/// The records in the order of the released file.
pub(crate) fn parse_answers(golden: &Value) -> AnswerTable {
    let records = golden["records"].as_array().unwrap();
    records.iter().map(parse_answer).collect()
}

fn parse_answer(record: &Value) -> ReaderAnswer<'_> {
    let text = |key: &str| -> &str { Value::as_str(&record[key]).unwrap() };
    let index = record["selected_index(4=unanswerable)"].as_u64().unwrap();
    ReaderAnswer {
        condition: text("system"),
        passage: text("passage"),
        question: text("item"),
        participant: None,
        choice: AnswerChoice::from_index(index as usize).unwrap(),
        place: None,
    }
}

/// One answer with what was read, in the order of the records.
pub(crate) struct ReleasedQuestion {
    pub(crate) text: String,
    pub(crate) question: String,
}

/// Texts and questions of the released file, three to a row.
pub(crate) fn read_questions() -> Vec<ReleasedQuestion> {
    let text = testdata::released_text("rc/ats_eval_even_articles.csv");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let (text, questions) = (
        at("paragraph"),
        [1, 2, 3].map(|n| at(&format!("question_{n}"))),
    );
    let rows = reader.records().map(Result::unwrap);
    rows.flat_map(|row| {
        questions.map(|question| ReleasedQuestion {
            text: row[text].to_owned(),
            question: row[question].to_owned(),
        })
    })
    .collect()
}
