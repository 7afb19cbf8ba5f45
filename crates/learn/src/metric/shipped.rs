//! The models that are part of the program, one for each encoder that it brings a metric for.

use super::{HybridModel, tensors::HybridModelError};

/// A model that is part of the program: reference-free, trained on `simpeval_past` with the vectors of one
/// encoder. The folder `models` says more.
#[derive(Debug)]
pub struct ShippedModel {
    /// The encoder's name, as its authors write it.
    pub encoder_title: &'static str,
    /// The encoder by kind, shape and hash of its weights, as [`crate::encoder::Encoder::name`] gives it.
    pub encoder: &'static str,
    file: &'static [u8],
}

impl ShippedModel {
    /// All of them; the first is that of the default encoder.
    pub const ALL: [Self; 2] = [
        Self {
            encoder_title: "all-MiniLM-L6-v2",
            encoder: "bert-6x384-53aa51172d14",
            file: include_bytes!("../../models/metric.safetensors"),
        },
        Self {
            encoder_title: "all-mpnet-base-v2",
            encoder: "mpnet-12x768-78c0197b6159",
            file: include_bytes!("../../models/metric-mpnet.safetensors"),
        },
    ];

    /// The model for an encoder, given by its name; `None` for no encoder.
    ///
    /// # Errors
    /// No model is shipped for it.
    pub fn find(encoder: Option<&str>) -> Result<Self, HybridModelError> {
        let mut models = Self::ALL.into_iter();
        let model = models.find(|model| Some(model.encoder) == encoder);
        model.ok_or_else(|| HybridModelError::NotShipped {
            given: encoder.map_or("use without an encoder".to_owned(), |name| {
                format!("the encoder {name}")
            }),
            encoders: Self::list_encoders(),
        })
    }

    /// The model's numbers.
    ///
    /// # Panics
    /// Never: a test reads all of them.
    #[must_use]
    pub fn load(&self) -> HybridModel {
        HybridModel::read(self.file).expect("the shipped metric is whole")
    }

    /// The encoders of all models, for a message.
    fn list_encoders() -> String {
        let names = Self::ALL.map(|model| format!("{} ({})", model.encoder_title, model.encoder));
        names.join(" and ")
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{
        super::{LearnedMetricQuality, ScoreMeaning},
        *,
    };

    /// The file that `testdata/make_metric_golden.py` writes.
    #[derive(Debug, Deserialize)]
    struct GoldenScores {
        metrics: Vec<GoldenMetric>,
    }

    #[derive(Debug, Deserialize)]
    struct GoldenMetric {
        encoder: String,
        outputs: Vec<GoldenOutput>,
    }

    /// An output's features as the real encoder gives them, and what `rankrate score --meaning` said of it.
    #[derive(Debug, Deserialize)]
    struct GoldenOutput {
        features: Vec<f32>,
        score: f64,
        percent: f64,
        interval: (f64, f64),
        out_of_domain: bool,
    }

    #[test]
    fn each_encoder_has_a_metric_that_was_made_with_it() {
        // Pearson's r, hard pairs and degenerate texts in the cross-validation of each: METRIC.md has the figures.
        let least = [[0.68, 0.46, 0.92], [0.79, 0.51, 0.95]];
        for (shipped, least) in ShippedModel::ALL.into_iter().zip(least) {
            let found = ShippedModel::find(Some(shipped.encoder)).expect("one is shipped");
            assert_eq!(found.encoder_title, shipped.encoder_title);
            let model = found.load();
            let card = model.card();
            assert_eq!(card.features.encoder.as_deref(), Some(shipped.encoder));
            assert_eq!(card.features.names.len(), 133);
            assert_eq!(
                (model.name(), model.table().outputs()),
                ("learned-free", 2_139)
            );
            // The same features of the same sources, none of them held out.
            let first = ShippedModel::ALL[0].load();
            assert_eq!(card.features.names, first.card.features.names);
            assert_eq!(card.features.frequencies, first.card.features.frequencies);
            assert_eq!(card.settings, first.card.settings);
            assert_eq!(model.trained_on(), first.trained_on());
            assert_eq!(model.trained_on().len(), 100);
            let calibration = card.calibration.as_ref().expect("calibrated");
            assert_eq!((calibration.outputs, calibration.parts.len()), (2_139, 10));
            check(&card.cross_validated.expect("cross-validated"), least);
        }
    }

    fn check(figures: &LearnedMetricQuality, [r, hard, degenerate]: [f64; 3]) {
        let at_least = |figure: Option<f64>, least: f64| figure.is_some_and(|value| value >= least);
        assert!(at_least(figures.r, r), "{figures:?}");
        assert!(at_least(figures.hard, hard), "{figures:?}");
        assert!(at_least(figures.degenerate, degenerate), "{figures:?}");
    }

    #[test]
    fn an_encoder_without_a_metric_is_refused_with_those_that_have_one() {
        // The weights decide, not the kind and shape.
        for (encoder, given) in [
            (
                Some("mpnet-12x768-0123456789ab"),
                "the encoder mpnet-12x768-0123456789ab",
            ),
            (None, "use without an encoder"),
        ] {
            let error = ShippedModel::find(encoder).expect_err("none is shipped");
            let why = error.to_string();
            for part in [
                given,
                "all-MiniLM-L6-v2 (bert-6x384-53aa51172d14)",
                "all-mpnet-base-v2 (mpnet-12x768-78c0197b6159)",
                "--encoder or RANKRATE_ENCODER",
                "`rankrate train FILE --from none -o METRIC`",
                "--learned-metric METRIC",
            ] {
                assert!(why.contains(part), "{part}: {why}");
            }
        }
    }

    #[test]
    fn features_by_real_encoders_have_their_scores() {
        let golden: GoldenScores =
            serde_json::from_value(testdata::golden("learned_metric.json")).expect("scores");
        assert_eq!(golden.metrics.len(), ShippedModel::ALL.len());
        for metric in golden.metrics {
            let model = ShippedModel::find(Some(&metric.encoder)).expect("one is shipped");
            let model = model.load();
            let (domain, card) = (model.domain(), model.card());
            let calibration = card.calibration.as_ref().expect("calibrated");
            let mut outside = 0;
            for (at, output) in metric.outputs.iter().enumerate() {
                let row = [output.features.as_slice()];
                let score = model.hybrid.score(row);
                let distance = domain.distance(row.into_iter());
                let ScoreMeaning {
                    percent,
                    interval,
                    is_out_of_domain,
                } = calibration.meaning(score, Some(distance));
                let place = format!("{}, output {at}", metric.encoder);
                let error = (score - output.score).abs();
                assert!(error < 1e-6, "{place}: {score} {}", output.score);
                // Percentages are printed with one decimal.
                for (found, printed) in [
                    (percent, output.percent),
                    (interval.0, output.interval.0),
                    (interval.1, output.interval.1),
                ] {
                    assert!(
                        (found - printed).abs() < 0.051,
                        "{place}: {found} {printed}"
                    );
                }
                assert_eq!(is_out_of_domain, Some(output.out_of_domain));
                outside += usize::from(output.out_of_domain);
            }
            assert!(outside > 0 && outside < metric.outputs.len());
        }
    }
}
