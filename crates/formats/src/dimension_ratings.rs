//! The ratings of any file on one of its dimensions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{score::Scale, statistics::Ratings, study::Dimension};

use crate::{
    agreement::RatedOutput,
    fault::{BadRow, Fatal, Problem},
    read::Rows,
    row::Row,
};

/// The ratings of a file on one dimension. A unit is an output, named by the line on which it comes
/// first.
#[derive(Debug, Clone)]
pub struct DimensionRatings {
    /// What was rated, and the numbers that a rating could be.
    pub dimension: Dimension,
    /// Every dimension of the file, in the order in which they come first.
    pub dimensions: Vec<Dimension>,
    /// The ratings on the dimension as given.
    pub raw: Ratings<String, u64>,
    /// The outputs that carry one, by unit.
    pub outputs: BTreeMap<u64, RatedOutput>,
    /// The rows, and second ratings of an output by one rater, that are left out.
    pub bad_rows: Vec<BadRow>,
}

impl DimensionRatings {
    /// Takes the ratings on `wanted` from the rows of an opened file; without a name, those on the first
    /// dimension that the file has. Rows of one source, system and text are one output. A number of
    /// which the file does not say who gave it counts for its column. Where the file has no rating on
    /// the dimension the table is empty, and [`Self::dimensions`] says what there is.
    ///
    /// # Errors
    /// [`Fatal`] where the file cannot be read to its end.
    pub fn of_rows(rows: Rows<'_>, wanted: Option<&str>) -> Result<Self, Fatal> {
        let mut found = Collected::default();
        for row in rows {
            match row {
                Ok(row) => found.add(row),
                Err(Problem::Row(bad)) => found.bad_rows.push(bad),
                Err(Problem::Fatal(fault)) => return Err(fault),
            }
        }
        let first = found.dimensions.first();
        let known = |name: &str| found.dimensions.iter().find(|it| it.name == name);
        let dimension = match wanted {
            Some(name) => known(name).cloned().unwrap_or_else(|| Dimension {
                name: name.to_owned(),
                scale: Scale::PERCENT,
            }),
            None => first.cloned().unwrap_or_default(),
        };
        let ratings = found.ratings.remove(&dimension.name).unwrap_or_default();
        let outputs = found.outputs.into_iter();
        let units: BTreeSet<u64> = ratings.keys().map(|(_, unit)| *unit).collect();
        let raw = ratings
            .iter()
            .map(|((rater, unit), value)| (rater.clone(), *unit, *value));
        Ok(Self {
            raw: Ratings::new(raw).map_err(Fatal::Ratings)?,
            outputs: outputs.filter(|(line, _)| units.contains(line)).collect(),
            dimension,
            dimensions: found.dimensions,
            bad_rows: found.bad_rows,
        })
    }
}

#[derive(Default)]
struct Collected {
    dimensions: Vec<Dimension>,
    /// By dimension, then by rater and unit.
    ratings: HashMap<String, BTreeMap<(String, u64), f64>>,
    outputs: BTreeMap<u64, RatedOutput>,
    /// The unit of each source, system and text.
    units: HashMap<[String; 3], u64>,
    bad_rows: Vec<BadRow>,
}

impl Collected {
    fn add(&mut self, row: Row) {
        let Some(output) = row.output.filter(|output| !output.ratings.is_empty()) else {
            return;
        };
        let id = row.verbatim.iter().find(|(name, _)| **name == *"id");
        let rated = RatedOutput {
            system: output.system.unwrap_or_default(),
            id: id.map(|(_, id)| id.clone()),
            source: row.source.key.unwrap_or_else(|| row.source.text.clone()),
            category: output.category,
            source_text: row.source.text,
            text: output.text,
        };
        let names = [&rated.source, &rated.system, &rated.text].map(String::clone);
        let unit = *self.units.entry(names).or_insert(row.line);
        self.outputs.entry(unit).or_insert(rated);
        for rating in output.ratings {
            let name = &*rating.dimension;
            if !self.dimensions.iter().any(|known| known.name == name) {
                self.dimensions.push(Dimension {
                    name: name.to_owned(),
                    scale: rating.scale,
                });
            }
            let rater = rating.rater.unwrap_or_else(|| rating.column.to_string());
            let of = self.ratings.entry(name.to_owned()).or_default();
            let key = (rater, unit);
            if of.contains_key(&key) {
                let reason = format!(
                    "“{}” rated this output before: the first rating counts",
                    key.0
                );
                let column = Some(&*rating.column);
                self.bad_rows.push(BadRow::new(row.line, column, reason));
            } else {
                of.insert(key, rating.value.get());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reading, open};

    const LIKERT: &str = "\
WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity,Answer.fluency
1,The vessel sank.,The boat sank.,a,2,5
1,The vessel sank.,Sank boat.,b,-1,1
2,The vessel sank.,The boat sank.,a,1,4
2,The vessel sank.,The boat sank.,a,0,4
";

    #[test]
    fn a_dimension_of_a_likert_file_comes_with_its_scale() {
        let read = |wanted| {
            let rows = open(LIKERT.as_bytes(), Reading::default()).unwrap().rows;
            DimensionRatings::of_rows(rows, wanted).unwrap()
        };
        let simplicity = read(None);
        assert_eq!(
            (&simplicity.dimension.name[..], simplicity.dimension.scale),
            ("simplicity", Scale::LIKERT)
        );
        assert_eq!((simplicity.raw.len(), simplicity.outputs.len()), (3, 2));
        // A worker rated an output twice, on both dimensions.
        assert_eq!(simplicity.bad_rows.len(), 2);
        let fluency = read(Some("fluency"));
        assert_eq!(fluency.dimension.scale, Scale { low: 1, high: 5 });
        let names: Vec<_> = fluency.dimensions.iter().map(|it| &it.name[..]).collect();
        assert_eq!(names, ["simplicity", "fluency"]);
        assert!(read(Some("meaning")).raw.is_empty());
    }
}
