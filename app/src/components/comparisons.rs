use domain::study::Dimension;
use service::figures::comparisons::ComparisonFigures;
use store::Study;

use super::{RatingsQuery, ShownFigure, figure_or_notice};
use crate::{error::Refusal, request::refuse, services};

/// The figures of a study that compares outputs, on the dimension that a page shows.
pub struct ShownComparisons {
    /// The newest event that they include.
    pub event: i64,
    /// The dimensions to choose from.
    pub dimensions: Vec<Dimension>,
    /// `None` where nothing is compared on the chosen dimension.
    pub figures: ShownFigure<Option<ComparisonFigures>>,
}

impl ShownComparisons {
    /// Loads the figures; `None` if the study scores outputs, or nothing is compared yet.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn load(study: &Study, query: &RatingsQuery) -> Result<Option<Self>, Refusal> {
        if study.settings.protocol.scores() {
            return Ok(None);
        }

        let services = services();
        let event = services.store.newest_event(study.id).await;
        let event = event.map_err(refuse)?.unwrap_or(0);

        let figures = services
            .comparisons
            .get(&services.store, study.id, query.rating_scope())
            .await;
        let mut dimensions = study.settings.dimensions.clone();
        let figures = match figure_or_notice(figures)? {
            Ok(figures) if figures.is_empty() => return Ok(None),
            Ok(figures) => figures,
            Err(notice) => {
                return Ok(Some(Self {
                    event,
                    dimensions,
                    figures: Err(notice),
                }));
            }
        };
        for of in figures.iter() {
            if dimensions.iter().all(|known| known.name != of.name) {
                dimensions.push(Dimension {
                    name: of.name.clone(),
                    ..Dimension::default()
                });
            }
        }

        let name = query.dimension(&dimensions).name;
        Ok(Some(Self {
            event,
            dimensions,
            figures: Ok(figures.iter().find(|of| of.name == name).cloned()),
        }))
    }
}
