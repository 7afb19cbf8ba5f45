//! The best aligner that there are means for.

use domain::text::align::Grade;
use learn::{
    aligner::{Aligner, AlignerError, Model},
    encoder::{Encoder, EncoderError},
};

use crate::settings::EncoderSettings;

/// Why there is no aligner of the grade asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Missing {
    /// Nobody said where the model is.
    #[error(
        "no model is beside the program: ./run fetches one, or name a folder with --encoder or \
         RANKRATE_ENCODER"
    )]
    Unnamed,
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    #[error(transparent)]
    Network(#[from] AlignerError),
}

/// The encoder that the settings name.
pub(crate) fn encoder(settings: &EncoderSettings) -> Result<Encoder, Missing> {
    let settings = settings.settings().ok_or(Missing::Unnamed)?;
    Ok(Encoder::open(&settings)?)
}

/// The aligner of a grade, or the best that there are means for where none is asked for; then also
/// why it is not of the best grade.
pub(crate) fn aligner(
    grade: Option<Grade>,
    network: Option<Model>,
    settings: &EncoderSettings,
) -> Result<(Aligner, Option<Missing>), Missing> {
    if let Some(network) = network {
        let encoder = match network.card().encoder {
            Some(_) => Some(encoder(settings)?),
            None => None,
        };
        return Ok((Aligner::new(network, encoder)?, None));
    }
    let best = || -> Result<Aligner, Missing> { Ok(Aligner::with_encoder(encoder(settings)?)?) };
    match grade {
        Some(Grade::String) => Ok((Aligner::strings(), None)),
        Some(Grade::Grid) => Ok((Aligner::grid(), None)),
        Some(Grade::Encoder) => Ok((best()?, None)),
        None => Ok(best().map_or_else(
            |missing| (Aligner::grid(), Some(missing)),
            |aligner| (aligner, None),
        )),
    }
}

/// The aligner of a server, with a network of its own or the one that is shipped. Without the means
/// for it, the grid grade with the reason.
pub(crate) fn for_server(
    network: Option<Model>,
    settings: &EncoderSettings,
) -> (Aligner, Option<Missing>) {
    aligner(None, network, settings).unwrap_or_else(|missing| (Aligner::grid(), Some(missing)))
}
