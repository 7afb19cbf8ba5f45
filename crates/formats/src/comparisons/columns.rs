//! Turns the cells of a row into a comparison.

use std::borrow::Cow;

use domain::{
    comparison::{BestWorstChoice, ComparedPair, ComparisonAnswer, InvalidComparison, PairOutcome},
    dimensions::dimension_name,
    study::OVERALL,
};

use super::{ComparedTexts, ComparisonRow};
use crate::{
    cells::{CellValue, RowCells, check_names},
    error::{BadRow, FatalReadError, clip},
    input::CsvHeader,
    visible_form,
};

const SOURCE: [&str; 5] = [
    "source_id",
    "original_id",
    "sentence_id",
    "source",
    "original",
];
const RATER: [&str; 4] = ["rater", "annotator", "worker_id", "WorkerId"];
const DIMENSION: [&str; 2] = ["dimension", "aspect"];
const OUTCOME: [&str; 3] = ["outcome", "winner", "preference"];
const SYSTEM_PAIRS: [[&str; 2]; 3] = [
    ["system_a", "system_b"],
    ["system_1", "system_2"],
    ["model_a", "model_b"],
];
/// ASSET's columns. The first names the system that it holds outputs of, the second holds the other's name.
const ASSET_PAIR: [&str; 2] = ["asset_simplification", "other_dataset"];
/// The text of the source, and the texts of two systems in the order of their names.
const SOURCE_TEXT: [&str; 2] = ["source", "original"];
const TEXT_PAIRS: [[&str; 2]; 3] = [
    ["output_a", "output_b"],
    ["output_1", "output_2"],
    ["asset_simplification", "other_simplification"],
];
const SYSTEMS: &str = "systems";
const BEST: &str = "best";
const WORST: &str = "worst";

const TIES: [&str; 9] = [
    "tie",
    "tied",
    "equal",
    "same",
    "similar",
    "draw",
    "no preference",
    "tie (bothbad)",
    "=",
];

/// The most systems that one comparison may show.
const MOST_SHOWN: usize = 50;

/// Refuses a header without the columns of comparisons, or with two of the same name.
pub(super) fn check_header(header: &CsvHeader) -> Result<(), FatalReadError> {
    check_names(header)?;

    let has_one = |names: &[&str]| names.iter().any(|name| header.has(name));
    let has_all = |names: &[&str; 2]| names.iter().all(|name| header.has(name));
    let compares_two =
        has_one(&OUTCOME) && (SYSTEM_PAIRS.iter().any(has_all) || has_all(&ASSET_PAIR));
    let shows_several =
        header.has(SYSTEMS) || header.names().iter().filter(|name| is_shown(name)).count() > 1;
    let compares_several = has_all(&[BEST, WORST]) && shows_several;

    if has_one(&SOURCE) && has_one(&RATER) && (compares_two || compares_several) {
        return Ok(());
    }
    Err(header.wrong_header(
        "source, rater, and system_a, system_b, outcome or system_1, system_2, …, best, worst",
        "name the columns like this",
    ))
}

pub(super) fn parse_row(cells: &RowCells) -> Result<ComparisonRow, BadRow> {
    cells.check_status()?;

    let required = |columns: &[&str], missing: &str| {
        let name = cells.first_name(columns);
        name.ok_or_else(|| BadRow::new(cells.line, None, missing))
    };

    let comparison = match has_value(cells, BEST) || has_value(cells, WORST) {
        true => parse_choice(cells).map(ComparisonAnswer::BestWorst),
        false => parse_pair(cells).map(ComparisonAnswer::Pair),
    }?;
    let dimension = cells.first_filled(&DIMENSION);

    Ok(ComparisonRow {
        line: cells.line,
        source: required(
            &SOURCE,
            "does not say which source it is about: fill in source",
        )?,
        rater: required(&RATER, "does not say who compared: fill in rater")?,
        dimension: dimension_name(dimension.as_deref().unwrap_or(OVERALL)),
        texts: match &comparison {
            ComparisonAnswer::Pair(_) => find_texts(cells),
            ComparisonAnswer::BestWorst(_) => None,
        },
        comparison,
    })
}

/// The texts of source and outputs, if the row has all three.
fn find_texts(cells: &RowCells) -> Option<ComparedTexts> {
    let text = |column: &str| {
        let (_, text) = cells.first_filled_column(&[column])?;
        Some(text.trim().to_owned())
    };
    let [a, b] = TEXT_PAIRS
        .into_iter()
        .find_map(|[a, b]| Some([text(a)?, text(b)?]))?;
    let source = SOURCE_TEXT.into_iter().find_map(text)?;
    Some(ComparedTexts { source, a, b })
}

fn has_value(cells: &RowCells, column: &str) -> bool {
    cells.first_filled_column(&[column]).is_some()
}

fn parse_pair(cells: &RowCells) -> Result<ComparedPair<String>, BadRow> {
    let column = |name| cells.first_filled_column(&[name]);
    let named = SYSTEM_PAIRS
        .into_iter()
        .find_map(|[a, b]| column(a).zip(column(b)));
    let asset = || {
        let [own, other] = ASSET_PAIR;
        column(own)?;
        Some((("asset", "asset"), column(other)?))
    };
    let systems = named.or_else(asset);

    let outcome = cells.first_filled_column(&OUTCOME);
    let Some((((column_a, a), (column_b, b)), (outcome_column, outcome))) = systems.zip(outcome)
    else {
        let reason = "compares nothing: fill in system_a, system_b and outcome, or the systems shown, \
                      best and worst";
        return Err(BadRow::new(cells.line, None, reason));
    };

    let (a, b) = (visible_form(a), visible_form(b));
    if a == b {
        let reason = format!("is the same as {column_a}: name two different systems");
        return Err(BadRow::new(cells.line, Some(column_b), reason));
    }

    let outcome = parse_outcome(&visible_form(outcome), (column_a, &a), (column_b, &b))
        .map_err(|reason| BadRow::new(cells.line, Some(outcome_column), reason))?;
    let pair = ComparedPair::new(a.into_owned(), b.into_owned(), outcome);
    Ok(pair.expect("the systems differ"))
}

/// The outcome that a text means, given the column and the name of each system.
fn parse_outcome(text: &str, a: (&str, &str), b: (&str, &str)) -> Result<PairOutcome, String> {
    let word = text.to_lowercase();
    let means = |(column, name): (&str, &str)| {
        let end = column.rsplit('_').next().unwrap_or(column);
        word == name.to_lowercase() || word == column || word == end
    };

    match (means(a), means(b), TIES.contains(&&word[..])) {
        (true, false, false) => Ok(PairOutcome::A),
        (false, true, false) => Ok(PairOutcome::B),
        (false, false, true) => Ok(PairOutcome::Tie),
        (false, false, false) => Err(format!(
            "“{}” is not an outcome: write {}, {} or tie, or the name of the better system",
            clip(text),
            a.0,
            b.0
        )),
        _ => Err(format!(
            "“{}” can mean more than one of both systems and a tie: write {}, {} or tie",
            clip(text),
            a.0,
            b.0
        )),
    }
}

fn parse_choice(cells: &RowCells) -> Result<BestWorstChoice<String>, BadRow> {
    let bad_row =
        |column, reason: &dyn ToString| BadRow::new(cells.line, column, reason.to_string());
    let chosen = |column| {
        let text = cells.first_filled_column(&[column]);
        let missing = || bad_row(Some(column), &"is empty: name one of the systems shown");
        text.map(|(_, text)| visible_form(text).into_owned())
            .ok_or_else(missing)
    };

    let (best, worst) = (chosen(BEST)?, chosen(WORST)?);
    let shown = shown_systems(cells);
    if shown.len() > MOST_SHOWN {
        let reason = format!("shows more than {MOST_SHOWN} systems: split it");
        return Err(bad_row(None, &reason));
    }

    BestWorstChoice::new(shown, &best, &worst).map_err(|fault| {
        let (column, reason) = match fault {
            InvalidComparison::BestNotShown | InvalidComparison::MoreThanTwo => {
                (Some(BEST), fault.to_string())
            }
            InvalidComparison::WorstNotShown | InvalidComparison::BestIsWorst => {
                (Some(WORST), fault.to_string())
            }
            InvalidComparison::TooFewShown => (
                None,
                "shows fewer than two systems: fill in system_1, system_2, … or systems".to_owned(),
            ),
            InvalidComparison::ShownTwice => {
                (None, "shows a system twice: name each once".to_owned())
            }
        };
        bad_row(column, &reason)
    })
}

/// The names of the systems shown, from the list or from the columns that are filled.
fn shown_systems(cells: &RowCells) -> Vec<String> {
    let list = cells.cells.iter().find(|(name, _)| **name == *SYSTEMS);
    let texts: Vec<&str> = match list.map(|(_, value)| value) {
        Some(CellValue::Texts(texts)) => texts.iter().map(String::as_str).collect(),
        Some(CellValue::Text(text)) if !text.trim().is_empty() => text.split('|').collect(),
        _ => {
            let shown = cells.cells.iter().filter(|(name, _)| is_shown(name));
            shown
                .filter_map(|(_, value)| match value {
                    CellValue::Text(text) => Some(&text[..]),
                    CellValue::Texts(_) | CellValue::Other => None,
                })
                .collect()
        }
    };

    let names = texts.into_iter().map(visible_form);
    names
        .filter(|name| !name.is_empty())
        .map(Cow::into_owned)
        .collect()
}

/// Whether a column holds one of the systems shown: `system_` and a number or a letter.
fn is_shown(column: &str) -> bool {
    let end = column.strip_prefix("system_").map(str::as_bytes);
    end.is_some_and(|end| {
        matches!(end, [letter] if letter.is_ascii_lowercase())
            || !end.is_empty() && end.iter().all(u8::is_ascii_digit)
    })
}
