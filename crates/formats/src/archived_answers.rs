//! Answers about an output, other than ratings, in a study that was exported as JSONL.

use std::collections::BTreeMap;

use domain::{category::Category, edit::Edit, metrics::ScoreDirection, study::AssignmentState};
use serde::{
    Deserialize,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Error, value::RawValue};

use crate::input::NUL;

/// The answers about an output apart from its ratings. Raters' answers come with the rater's name first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArchivedAnswers {
    /// The answers of the algorithms.
    pub automatic: Option<ArchivedAutomatic>,
    /// The categories that raters gave.
    pub categories: Vec<(String, Category)>,
    /// The edits as raters corrected them.
    pub edits: Vec<(String, Vec<Edit>)>,
    /// The raters who submitted the output and could judge it. Those without edits of their own accepted the
    /// automatic ones.
    pub reviewers: Vec<String>,
    /// The remarks of raters.
    pub notes: Vec<(String, String)>,
    /// The output's scores by metric, without those that are undefined.
    pub metric_scores: BTreeMap<String, f64>,
    /// The directions of metrics whose names do not imply one.
    pub metric_directions: BTreeMap<String, ScoreDirection>,
}

/// The category and the edits of an output as the algorithms gave them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ArchivedAutomatic {
    /// The category.
    pub category: Category,
    /// The reason, in words for people.
    pub reason: String,
    /// The version of the rule, with its threshold.
    pub category_version: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// The version of the aligner.
    pub edits_version: String,
}

/// The keys that identify a line of an exported study.
const KEYS: [&str; 3] = ["event", "output_id", "automatic"];

/// The part of an exported study's line that is neither text nor rating.
#[derive(Debug, Default)]
pub(crate) struct ArchivedLine {
    pub(crate) answers: Option<ArchivedAnswers>,
    /// Scores without a rater, from the file that the study was imported from.
    pub(crate) scores: Vec<ArchivedScore>,
    /// The other cells of that file.
    pub(crate) columns: BTreeMap<String, String>,
}

/// A score without a rater, as that file wrote it.
#[derive(Debug, Deserialize)]
pub(crate) struct ArchivedScore {
    pub(crate) column: String,
    pub(crate) value: String,
    #[serde(default)]
    pub(crate) z: Option<String>,
}

/// A rater's answer.
#[derive(Deserialize)]
struct ByRater<T> {
    rater: String,
    #[serde(flatten)]
    answer: T,
}

#[derive(Deserialize)]
struct GivenCategory {
    category: Category,
}

#[derive(Deserialize)]
struct GivenEdits {
    edits: Vec<Edit>,
}

#[derive(Deserialize)]
struct GivenNote {
    note: String,
}

#[derive(Deserialize)]
struct DoneWork {
    state: AssignmentState,
}

/// An answer of which only the rater matters.
#[derive(Deserialize)]
struct AnyAnswer {}

/// A key whose value lacks the shape that exported studies have, and the error.
type WrongKey = (&'static str, Error);

impl ArchivedLine {
    /// Takes the answers, scores and cells out of the keys; `None` where the line is not from an exported study.
    pub(crate) fn take(keys: &mut BTreeMap<String, &RawValue>) -> Result<Option<Self>, WrongKey> {
        if !KEYS.iter().all(|key| keys.contains_key(*key)) {
            return Ok(None);
        }

        let reviewers = reviewers(
            parse(keys.get("work"), "work")?,
            &parse::<Vec<_>>(keys.get("unjudged"), "unjudged")?,
        );

        let categories: Vec<ByRater<GivenCategory>> = take(keys, "categories")?;
        let edits: Vec<ByRater<GivenEdits>> = take(keys, "edits")?;
        let notes: Vec<ByRater<GivenNote>> = take(keys, "notes")?;
        let scores: BTreeMap<String, Option<f64>> = take(keys, "metric_scores")?;
        let scores = scores.into_iter();

        let answers = ArchivedAnswers {
            automatic: take(keys, "automatic")?,
            categories: by_rater(categories, |answer| answer.category),
            edits: by_rater(edits, |answer| answer.edits),
            reviewers,
            notes: by_rater(notes, |answer| answer.note),
            metric_scores: scores
                .filter_map(|(name, score)| Some((name, score?)))
                .collect(),
            metric_directions: take(keys, "metric_directions")?,
        };

        Ok(Some(Self {
            answers: Some(answers),
            scores: take(keys, "scores")?,
            columns: take(keys, "columns")?,
        }))
    }
}

/// Takes the value of a key; the default where the line lacks it.
fn take<T: Default + DeserializeOwned>(
    keys: &mut BTreeMap<String, &RawValue>,
    key: &'static str,
) -> Result<T, WrongKey> {
    parse(keys.remove(key).as_ref(), key)
}

fn parse<T: Default + DeserializeOwned>(
    json: Option<&&RawValue>,
    key: &'static str,
) -> Result<T, WrongKey> {
    match json {
        None => Ok(T::default()),
        // Exported ids and texts never contain NUL.
        Some(json) if json.get().contains("\\u0000") => Err((key, Error::custom(NUL))),
        Some(json) => serde_json::from_str(json.get()).map_err(|error| (key, error)),
    }
}

fn by_rater<T, U>(answers: Vec<ByRater<T>>, answer: impl Fn(T) -> U) -> Vec<(String, U)> {
    let answers = answers.into_iter();
    answers
        .map(|given| (given.rater, answer(given.answer)))
        .collect()
}

/// The raters who submitted the output and could judge it.
fn reviewers(work: Vec<ByRater<DoneWork>>, unjudged: &[ByRater<AnyAnswer>]) -> Vec<String> {
    let submitted = work.into_iter().filter(|work| {
        work.answer.state == AssignmentState::HandedIn
            && unjudged.iter().all(|other| other.rater != work.rater)
    });
    submitted.map(|work| work.rater).collect()
}
