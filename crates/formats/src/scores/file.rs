//! A file of scores read whole, for outputs that are in memory.

use std::collections::{HashMap, HashSet};

use super::{OutputIdentifier, ScoreRow, open_scores};
use crate::{
    agreement::RatedOutput,
    error::{BadRow, FatalReadError, ReadError},
    input::FileInput,
    sheet_notes::SheetNote,
    source_key::{exact_key, loose_key},
    visible_form,
};

/// All rows of a file of scores.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreFile {
    /// The metrics in the order of the file.
    pub metrics: Vec<String>,
    /// The rows that are left out.
    pub bad_rows: Vec<BadRow>,
    /// Remarks on the sheet of a workbook.
    pub notes: Vec<SheetNote>,
    rows: Vec<ScoreRow>,
}

/// Scores matched to their outputs.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchedScores {
    /// By metric, in the order of [`ScoreFile::metrics`]: one score per output, in the order of the
    /// outputs, `None` where there is none.
    pub scores: Vec<Vec<Option<f64>>>,
    /// The lines of rows that belong to no output.
    pub unmatched: Vec<u64>,
    /// The lines of rows with a different score for an output that already has one by the same metric: the first
    /// counts.
    pub repeated: Vec<u64>,
}

impl ScoreFile {
    /// Reads a file to its end.
    ///
    /// # Errors
    /// As [`open_scores`], and where the file cannot be read to its end.
    pub fn read<'r>(input: impl Into<FileInput<'r>>) -> Result<Self, FatalReadError> {
        let opened = open_scores(input)?;
        let mut file = Self {
            metrics: opened.names.iter().map(ToString::to_string).collect(),
            bad_rows: Vec::new(),
            notes: opened.input.sheet_notes,
            rows: Vec::new(),
        };

        for item in opened.rows {
            match item {
                Ok(row) => file.rows.push(row),
                Err(ReadError::Row(bad)) => file.bad_rows.push(bad),
                Err(ReadError::Fatal(fault)) => return Err(fault),
            }
        }

        let mut names: HashSet<_> = opened.names.into_iter().collect();
        for (name, _) in file.rows.iter().flat_map(|row| &row.scores) {
            if names.insert(name.clone()) {
                file.metrics.push(name.to_string());
            }
        }
        Ok(file)
    }

    /// Matches each score to the outputs that its row identifies. For a source these are the outputs
    /// with the row's text and system, as far as the row has them; without a system, all outputs
    /// with the text.
    #[must_use]
    pub fn match_outputs(&self, outputs: &[&RatedOutput]) -> MatchedScores {
        let index = OutputIndex::new(outputs);
        let places: HashMap<&str, usize> = (0..)
            .zip(&self.metrics)
            .map(|(place, name)| (name.as_str(), place))
            .collect();

        let mut scores = vec![vec![None; outputs.len()]; self.metrics.len()];
        let (mut unmatched, mut repeated) = (Vec::new(), Vec::new());
        for row in &self.rows {
            let matches = index.find(&row.output);
            if matches.is_empty() {
                unmatched.push(row.line);
            }

            let mut is_repeated = false;
            for (name, score) in &row.scores {
                let column = &mut scores[places[&**name]];
                for output in &matches {
                    let first = *column[*output].get_or_insert(*score);
                    is_repeated |= first.total_cmp(score).is_ne();
                }
            }
            if is_repeated {
                repeated.push(row.line);
            }
        }

        MatchedScores {
            scores,
            unmatched,
            repeated,
        }
    }
}

/// The places of outputs by everything that a row may call them.
struct OutputIndex<'a> {
    outputs: &'a [&'a RatedOutput],
    by_id: HashMap<&'a str, Vec<usize>>,
    by_source_name: HashMap<String, Vec<usize>>,
    by_source: HashMap<String, Vec<usize>>,
    /// By a source's text, regardless of tokenisation, quotes, dashes and Unicode form.
    by_loose_source: HashMap<String, Vec<usize>>,
}

impl<'a> OutputIndex<'a> {
    fn new(outputs: &'a [&'a RatedOutput]) -> Self {
        let mut index = Self {
            outputs,
            by_id: HashMap::new(),
            by_source_name: HashMap::new(),
            by_source: HashMap::new(),
            by_loose_source: HashMap::new(),
        };

        for (place, output) in outputs.iter().enumerate() {
            if let Some(id) = &output.id {
                index.by_id.entry(id).or_default().push(place);
            }

            let (name, text) = (exact_key(&output.source), exact_key(&output.source_text));
            if name != text {
                let by_text = index.by_source.entry(text).or_default();
                by_text.push(place);
            }
            let loose = loose_key(&output.source_text);
            index.by_loose_source.entry(loose).or_default().push(place);
            let by_name = index.by_source_name.entry(name.clone()).or_default();
            by_name.push(place);
            index.by_source.entry(name).or_default().push(place);
        }
        index
    }

    /// The outputs with that id, else those of the source that have the row's text and system.
    fn find(&self, wanted: &OutputIdentifier) -> Vec<usize> {
        let id = wanted.output_id.as_deref();
        if let Some(places) = id.and_then(|id| self.by_id.get(id)) {
            return places.clone();
        }

        let same = |field: &Option<String>, text: &str| {
            let field = field.as_deref();
            field.is_none_or(|field| visible_form(field) == visible_form(text))
        };
        let fits = |place: &usize| {
            let output = self.outputs[*place];
            same(&wanted.output, &output.text) && same(&wanted.system, &output.system)
        };

        // A row with an unknown id and nothing else about its output identifies none.
        if wanted.output.is_none() && wanted.system.is_none() {
            return Vec::new();
        }

        let by_name = wanted.source_id.as_deref().map(exact_key);
        let by_text = wanted.source.as_deref().map(exact_key);
        let by_loose_text = wanted.source.as_deref().map(loose_key);
        let candidates = [
            by_name.and_then(|name| self.by_source_name.get(&name)),
            by_text.and_then(|text| self.by_source.get(&text)),
            by_loose_text.and_then(|text| self.by_loose_source.get(&text)),
        ];

        let matches = candidates.into_iter().flatten().map(|places| {
            let matches = places.iter().copied().filter(fits);
            matches.collect::<Vec<_>>()
        });
        let mut matches = matches.filter(|matches| !matches.is_empty());
        matches.next().unwrap_or_default()
    }
}
