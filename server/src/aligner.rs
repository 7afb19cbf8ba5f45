//! The best aligner that the installed models allow.

use std::sync::Arc;

use domain::text::align::AlignerGrade;
use learn::{
    aligner::{Aligner, AlignerError, AlignerModel},
    encoder::{Encoder, EncoderError},
};

use service::export::WordAligner;

use crate::settings::EncoderSettings;

/// Why an aligner is missing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MissingAligner {
    /// No model folder is configured, and none lies next to the program.
    #[error(
        "there is no model next to the program: ./run fetches one, or name a folder with --encoder or \
         RANKRATE_ENCODER"
    )]
    NoEncoder,
    #[error(transparent)]
    Encoder(#[from] EncoderError),
    /// The encoder failed to open earlier, with this message.
    #[error("{0}")]
    Known(String),
    #[error(transparent)]
    Network(#[from] AlignerError),
}

/// The encoder that the settings name.
pub(crate) fn open_encoder(settings: &EncoderSettings) -> Result<Encoder, MissingAligner> {
    let settings = settings.settings().ok_or(MissingAligner::NoEncoder)?;
    Ok(Encoder::open(&settings)?)
}

/// Opens an aligner: with the network if one is given, else of the grade, else the best that the installed models
/// allow. The reason comes with it if it is not of the best grade. `encoder` opens the encoder if one is needed.
pub(crate) fn open_aligner(
    grade: Option<AlignerGrade>,
    network: Option<AlignerModel>,
    encoder: impl FnOnce() -> Result<Encoder, MissingAligner>,
) -> Result<(Aligner, Option<MissingAligner>), MissingAligner> {
    if let Some(network) = network {
        let encoder = match network.card().encoder {
            Some(_) => Some(encoder()?),
            None => None,
        };
        return Ok((Aligner::new(network, encoder)?, None));
    }

    let best = || -> Result<Aligner, MissingAligner> { Ok(Aligner::with_encoder(encoder()?)?) };

    match grade {
        Some(AlignerGrade::String) => Ok((Aligner::strings(), None)),
        Some(AlignerGrade::Grid) => Ok((Aligner::grid(), None)),
        Some(AlignerGrade::Encoder) => Ok((best()?, None)),
        None => Ok(best().map_or_else(
            |missing| (Aligner::grid(), Some(missing)),
            |aligner| (aligner, None),
        )),
    }
}

/// The aligner of a server, with its own network or the shipped one. If the encoder is missing, or is not the one that
/// the network expects, an aligner of the grid grade, with the reason.
pub(crate) fn open_server_aligner(
    network: Option<AlignerModel>,
    encoder: impl FnOnce() -> Result<Encoder, MissingAligner>,
) -> (Aligner, Option<MissingAligner>) {
    open_aligner(None, network, encoder).unwrap_or_else(|missing| (Aligner::grid(), Some(missing)))
}

/// The aligner in the form that exports call: for one pair of texts at a time.
pub(crate) fn word_aligner(aligner: Arc<Aligner>) -> WordAligner {
    WordAligner {
        grade: aligner.grade(),
        version: aligner.version(),
        align: Arc::new(move |source, output, style| {
            let mut alignments = aligner.align(&[(source, output)], style)?;
            Ok(alignments.pop().expect("one pair, one alignment"))
        }),
    }
}
