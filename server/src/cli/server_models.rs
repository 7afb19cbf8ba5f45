//! The aligner, the encoder and the resources of metrics that a server opens once.

use learn::aligner::{Aligner, AlignerModel};

use crate::{
    aligner::{MissingAligner, open_server_aligner},
    metrics::MetricResources,
    settings::EncoderSettings,
};

/// The models of a server. Metrics have the encoder even if the aligner does not, because its network knows another one
/// or sees letters only.
pub(super) struct ServerModels {
    pub(super) aligner: Aligner,
    /// The reason why the aligner is not of the best grade.
    pub(super) missing: Option<MissingAligner>,
    /// For jobs and pages.
    pub(super) resources: MetricResources,
    /// For API calls, so that calls and jobs do not wait for each other. The encoder is shared.
    pub(super) call_resources: MetricResources,
}

impl ServerModels {
    /// Opens the encoder of the settings, and the aligner with a network of its own or the shipped one.
    pub(super) fn open(network: Option<AlignerModel>, settings: &EncoderSettings) -> Self {
        let resources = MetricResources::new(settings);
        let (aligner, missing) = open_server_aligner(network, || {
            let encoder = resources.encoder().cloned();
            encoder.map_err(|why| MissingAligner::Known(why.to_owned()))
        });

        let call_resources = match resources.encoder() {
            Ok(encoder) => MetricResources::with_encoder(settings, encoder.clone()),
            Err(_) => MetricResources::new(settings),
        };

        Self {
            aligner,
            missing,
            resources,
            call_resources,
        }
    }

    /// Whether metrics work without an encoder.
    pub(super) fn lack_encoder(&self) -> bool {
        !self.resources.has_encoder()
    }
}

#[cfg(test)]
mod tests {
    use domain::text::align::AlignerGrade;

    use super::{super::train::encoder_tests::EncoderWorkspace, *};
    use crate::learned_metric::testing;

    #[test]
    fn metrics_have_an_encoder_that_the_aligner_does_not_know() {
        let Some(workspace) = EncoderWorkspace::open() else {
            return;
        };
        let (_, settings) = workspace.parts();
        let models = ServerModels::open(None, settings);
        assert_eq!(models.aligner.grade(), AlignerGrade::Grid);
        let why = models.missing.as_ref().map(ToString::to_string);
        let why = why.expect("its network knows another encoder");
        assert!(why.contains("with the encoder bert-2x16-"), "{why}");
        assert!(!models.lack_encoder());
        assert!(models.call_resources.has_encoder());

        // A network that sees letters only does not keep the encoder from metrics.
        let grid = include_bytes!("../../../crates/learn/models/grid.safetensors");
        let grid = AlignerModel::read(grid).expect("a network");
        let models = ServerModels::open(Some(grid), settings);
        assert!(models.missing.is_none() && !models.lack_encoder());
    }

    #[test]
    fn a_server_without_an_encoder_says_so() {
        let Some(settings) = testing::settings_with_words(&["--encoder", "/nowhere"]) else {
            return;
        };
        let models = ServerModels::open(None, &settings);
        let why = models.missing.as_ref().map(ToString::to_string);
        assert!(why.is_some_and(|why| why.contains("/nowhere")));
        assert!(models.lack_encoder() && !models.call_resources.has_encoder());
    }
}
