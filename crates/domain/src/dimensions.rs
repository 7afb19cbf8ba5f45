//! The effect of an import on the dimensions of a study.

use std::collections::BTreeMap;

use crate::{
    score::RatingScale,
    study::{Dimension, StudySettings},
};

/// The maximum number of dimensions of a study.
pub const MOST_DIMENSIONS: usize = 8;

/// The longest name of a dimension, in characters.
pub const LONGEST_NAME: usize = 40;

/// A summary of a file's ratings on one dimension, from a first pass over the file.
#[derive(Debug, Clone, PartialEq)]
pub struct RatedRange {
    /// The dimension, as [`dimension_name`] gives it.
    pub name: String,
    /// The scale stated by the format, the file or the user; `None` if there is none.
    pub stated: Option<RatingScale>,
    /// The lowest rating.
    pub low: f64,
    /// The highest rating.
    pub high: f64,
    /// The number of ratings.
    pub ratings: u64,
}

/// The dimensions of a study before an import.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StudyDimensions {
    /// The dimensions in its settings.
    pub of_settings: Vec<Dimension>,
    /// The dimensions with ratings, in its settings or not.
    pub rated: Vec<Dimension>,
    /// Whether no source has been assigned yet.
    pub unassigned: bool,
}

impl StudyDimensions {
    /// The dimensions of a newly created study.
    #[must_use]
    pub fn new(settings: &StudySettings) -> Self {
        Self {
            of_settings: settings.dimensions.clone(),
            rated: vec![],
            unassigned: true,
        }
    }
}

/// The dimensions of a study after an import.
#[derive(Debug, Clone, PartialEq)]
pub struct DimensionPlan {
    /// The study's dimensions afterwards.
    pub dimensions: Vec<Dimension>,
    /// The dimensions that the import creates, in the order of the file.
    pub created: Vec<Dimension>,
    /// The scale of each dimension of the file.
    pub scales: BTreeMap<String, RatingScale>,
}

/// The reason why a file's dimensions do not fit a study.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DimensionClash {
    /// The study and the file use different scales for it.
    #[error(
        "“{name}” is rated from {study} in this study and from {file} in the file: give the \
         dimension of the file another name, or state its scale where that was taken wrongly"
    )]
    Scales {
        /// The dimension.
        name: String,
        /// The study's scale.
        study: RatingScale,
        /// The file's scale.
        file: RatingScale,
    },
    /// The name is not valid for a dimension.
    #[error(
        "“{0}” cannot be the name of a dimension: use one line of at most {LONGEST_NAME} characters"
    )]
    Name(String),
    /// The study would have too many dimensions.
    #[error(
        "the study would have {0} dimensions, and {MOST_DIMENSIONS} is the most: map fewer columns as \
         ratings, or check which column names the dimension"
    )]
    TooMany(usize),
}

/// The name of a dimension as studies keep it: trimmed and in lower case.
#[must_use]
pub fn dimension_name(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Adds the dimensions of a file to those of a study. They replace the default dimension of a new study
/// as long as it has no ratings and no source has been assigned; an existing dimension keeps its scale.
///
/// # Errors
/// [`DimensionClash`] if the study uses another scale for one of them, or cannot add it.
pub fn plan_dimensions(
    of_study: &StudyDimensions,
    of_file: &[RatedRange],
) -> Result<DimensionPlan, DimensionClash> {
    let default = Dimension::default();
    let untouched = of_study.unassigned
        && of_study.of_settings == [default.clone()]
        && find_named(&of_study.rated, &default.name).is_none();
    let mut dimensions = match untouched && !of_file.is_empty() {
        true => vec![],
        false => of_study.of_settings.clone(),
    };

    let (mut created, mut scales) = (vec![], BTreeMap::new());
    for range in of_file {
        let name = &range.name;
        if name.is_empty() || name.chars().count() > LONGEST_NAME || name.contains(char::is_control)
        {
            return Err(DimensionClash::Name(name.chars().take(80).collect()));
        }

        let existing = find_named(&dimensions, name);
        let existing_or_rated = existing
            .clone()
            .or_else(|| find_named(&of_study.rated, name));
        let scale = range.scale(existing_or_rated.as_ref().map(|dimension| dimension.scale));

        if let Some(clash) = existing_or_rated.filter(|dimension| dimension.scale != scale) {
            return Err(DimensionClash::Scales {
                name: name.clone(),
                study: clash.scale,
                file: scale,
            });
        }

        scales.insert(name.clone(), scale);
        if existing.is_none() {
            let new = Dimension::new(name, scale);
            dimensions.push(new.clone());
            if !of_study.of_settings.contains(&new) {
                created.push(new);
            }
        }
    }

    if dimensions.len() > MOST_DIMENSIONS && !created.is_empty() {
        return Err(DimensionClash::TooMany(dimensions.len()));
    }

    Ok(DimensionPlan {
        dimensions,
        created,
        scales,
    })
}

/// The dimension of that name.
fn find_named(dimensions: &[Dimension], name: &str) -> Option<Dimension> {
    let mut dimensions = dimensions.iter();
    dimensions.find(|dimension| dimension.name == name).cloned()
}

impl RatedRange {
    /// Whether the scale taken for the ratings may be the wrong one: none is stated, it is at most 10 wide, and all
    /// ratings stay below its top. On a longer scale hardly any rating reaches the top anyway.
    #[must_use]
    pub fn has_doubtful_scale(&self, taken: RatingScale) -> bool {
        self.stated.is_none()
            && taken.high - taken.low <= 10
            && self.high.ceil() < f64::from(taken.high)
    }

    /// The stated scale, else the study's if it holds all ratings, else a usual one.
    fn scale(&self, of_study: Option<RatingScale>) -> RatingScale {
        let (low, high) = (self.low, self.high);
        let of_study = of_study.filter(|scale| scale.contains(low) && scale.contains(high));
        let inferred = || RatingScale::infer(&self.name, low, high);
        self.stated.or(of_study).unwrap_or_else(inferred)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIVE: RatingScale = RatingScale { low: 1, high: 5 };

    fn dimension(name: &str, scale: RatingScale) -> Dimension {
        Dimension::new(name, scale)
    }

    fn range(name: &str, stated: Option<RatingScale>, low: f64, high: f64) -> RatedRange {
        RatedRange {
            name: name.into(),
            stated,
            low,
            high,
            ratings: 9,
        }
    }

    fn new_study() -> StudyDimensions {
        StudyDimensions::new(&StudySettings::default())
    }

    #[test]
    fn an_untouched_default_makes_room_and_everything_else_stays() {
        let file = [
            range("fluency", None, 1.0, 5.0),
            range("simplicity", None, -2.0, 1.5),
        ];
        let expect = [
            dimension("fluency", FIVE),
            dimension("simplicity", RatingScale::LIKERT),
        ];
        let plan = plan_dimensions(&new_study(), &file).unwrap();
        assert_eq!(
            (&plan.dimensions, &plan.created[..]),
            (&expect.to_vec(), &expect[..])
        );
        assert_eq!(plan.scales["simplicity"], RatingScale::LIKERT);

        let overall = || vec![Dimension::default()];
        for touched in [
            StudyDimensions {
                rated: overall(),
                ..new_study()
            },
            StudyDimensions {
                unassigned: false,
                ..new_study()
            },
        ] {
            let plan = plan_dimensions(&touched, &file).unwrap();
            assert_eq!(plan.dimensions, [&overall()[..], &expect].concat());
            assert_eq!(plan.created, expect);
        }
        assert_eq!(
            plan_dimensions(&new_study(), &[]).unwrap().dimensions,
            overall()
        );
    }

    #[test]
    fn the_default_dimension_of_a_file_is_the_studys_own() {
        let overall = [range("overall", Some(RatingScale::PERCENT), 0.0, 100.0)];
        let plan = plan_dimensions(&new_study(), &overall).unwrap();
        assert_eq!(plan.dimensions, [Dimension::default()]);
        assert_eq!(plan.created, []);
        // With a scale of its own it replaces an unused one.
        let likert = [range("overall", None, 1.0, 5.0)];
        let plan = plan_dimensions(&new_study(), &likert).unwrap();
        assert_eq!(plan.dimensions, [dimension("overall", FIVE)]);
        assert_eq!(plan.created, plan.dimensions);
    }

    #[test]
    fn twice_is_once_and_the_studys_scale_is_taken_where_it_fits() {
        let study = StudyDimensions {
            of_settings: vec![dimension("fluency", RatingScale::PERCENT)],
            rated: vec![
                dimension("fluency", RatingScale::PERCENT),
                dimension("meaning", FIVE),
            ],
            unassigned: true,
        };
        let file = [
            range("fluency", None, 2.0, 4.5),
            range("meaning", None, 1.0, 2.0),
        ];
        let plan = plan_dimensions(&study, &file).unwrap();
        assert_eq!(plan.scales["fluency"], RatingScale::PERCENT);
        assert_eq!(plan.created, [dimension("meaning", FIVE)]);
    }

    #[test]
    fn what_does_not_fit_is_refused_with_a_sentence() {
        let study = StudyDimensions {
            of_settings: vec![dimension("fluency", FIVE)],
            ..new_study()
        };
        let check = |file: &[RatedRange], expect: &str| {
            let message = plan_dimensions(&study, file).unwrap_err().to_string();
            assert!(message.starts_with(expect), "{message}");
        };
        check(
            &[range("fluency", Some(RatingScale::PERCENT), 0.0, 90.0)],
            "“fluency” is rated from 1 to 5 in this study and from 0 to 100 in the file",
        );
        check(
            &[range("fluency", None, 0.0, 90.0)],
            "“fluency” is rated from 1 to 5 in this study and from 0 to 100 in the file",
        );
        check(&[range(&"x".repeat(41), None, 0.0, 9.0)], "“xxx");
        let many: Vec<_> = (0..8)
            .map(|n| range(&format!("d{n}"), None, 0.0, 9.0))
            .collect();
        check(&many, "the study would have 9 dimensions");
    }
}
