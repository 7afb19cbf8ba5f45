//! Scales of ratings that the user states.

use domain::{
    dimensions::dimension_name,
    score::{BadScale, RatingScale},
};
use serde::{Deserialize, Serialize};

/// The scales of ratings that the user states, for files of every format. If none is stated, the
/// format's own scale counts; if the format has none, the ratings decide.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StatedScales {
    /// The scale of each dimension without one of its own.
    #[serde(default, rename = "scale")]
    pub all: Option<RatingScale>,
    /// The scales of single dimensions, by their names in lower case.
    #[serde(default, rename = "scales")]
    pub by_dimension: Vec<(String, RatingScale)>,
}

impl StatedScales {
    /// Reads scales written as `LOW..HIGH`, for all dimensions, or as `DIMENSION=LOW..HIGH`.
    ///
    /// # Errors
    /// [`BadScale`] for the first text that is neither.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, BadScale> {
        let mut scales = Self::default();
        for text in texts {
            match text.as_ref().rsplit_once('=') {
                None => scales.all = Some(text.as_ref().parse()?),
                Some((dimension, scale)) => {
                    let scale = scale.parse()?;
                    let stated = (dimension_name(dimension), scale);
                    scales.by_dimension.push(stated);
                }
            }
        }
        Ok(scales)
    }

    /// The scale that is stated for a dimension.
    #[must_use]
    pub fn scale_for(&self, dimension: &str) -> Option<RatingScale> {
        if self.by_dimension.is_empty() {
            return self.all;
        }

        let name = dimension_name(dimension);
        let mut stated = self.by_dimension.iter();
        // A later statement overrides an earlier one.
        let own_scale = stated.rfind(|(dimension, _)| *dimension == name);
        own_scale.map(|(_, scale)| *scale).or(self.all)
    }
}
