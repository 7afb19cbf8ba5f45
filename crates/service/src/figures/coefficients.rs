//! Coefficients of agreement next to α. Page, command, API and Python show the list that [`coefficients`] returns, so
//! that a further one is added here alone, with its computation in `domain`.

use domain::{
    score::RatingScale,
    statistics::{
        RatingTable, UndefinedReason,
        agreement::{GwetAgreement, KappaWeights, MeasurementLevel, mean_pairwise_kappa},
        bootstrap::{BootstrapInterval, ResamplingOptions},
    },
};

/// A coefficient of agreement.
#[derive(Debug, Clone, PartialEq)]
pub struct AgreementCoefficient {
    /// The key under which JSON has it.
    pub key: &'static str,
    /// The heading of its figure.
    pub title: &'static str,
    /// Its name in a line of text.
    pub label: &'static str,
    /// A sentence on its meaning.
    pub note: &'static str,
    /// Its value; 1 is full agreement, and 0 what chance gives.
    pub value: Result<f64, UndefinedReason>,
    /// The percentile interval, if the coefficient has one and resamples were asked for.
    pub interval: Option<Result<BootstrapInterval, UndefinedReason>>,
}

/// The coefficients of ratings at a level of measurement, on a scale whose whole numbers are the categories. `source`
/// returns a unit's cluster, which resamples draw whole.
pub fn coefficients<R, U, S: Ord>(
    ratings: &RatingTable<R, U>,
    scale: RatingScale,
    level: MeasurementLevel,
    source: impl Fn(&U) -> S,
    resampling: Option<ResamplingOptions>,
) -> Vec<AgreementCoefficient> {
    let categories: Vec<f64> = (scale.low..=scale.high).map(f64::from).collect();

    match level {
        MeasurementLevel::Nominal => {
            let ac1 = GwetAgreement::new(ratings, &categories, KappaWeights::Unweighted, source);
            let (value, interval) = gwet_figures(ac1, resampling);
            vec![AgreementCoefficient {
                key: "ac1",
                title: "AC1",
                label: "AC1",
                note: "Gwet's AC1: as α, but it stays high if nearly all are in one category.",
                value,
                interval,
            }]
        }
        MeasurementLevel::Ordinal => {
            let ac2 = GwetAgreement::new(ratings, &categories, KappaWeights::Quadratic, source);
            let (value, interval) = gwet_figures(ac2, resampling);
            vec![
                AgreementCoefficient {
                    key: "quadratic_kappa",
                    title: "κ, quadratic weights",
                    label: "kappa, quadratic, mean of pairs",
                    note: "Cohen's κ of two raters, where far disagreements count more: the mean over all pairs, \
                           weighted by their common outputs.",
                    value: mean_pairwise_kappa(ratings, scale, KappaWeights::Quadratic),
                    interval: None,
                },
                AgreementCoefficient {
                    key: "ac2",
                    title: "AC2, quadratic weights",
                    label: "AC2, quadratic",
                    note: "Gwet's AC2, where far disagreements count more: it stays high if nearly all chose one level.",
                    value,
                    interval,
                },
            ]
        }
        MeasurementLevel::Interval | MeasurementLevel::Ratio => vec![],
    }
}

/// The value of a coefficient and its interval, if resamples are asked for.
fn gwet_figures(
    agreement: Result<GwetAgreement, UndefinedReason>,
    resampling: Option<ResamplingOptions>,
) -> (
    Result<f64, UndefinedReason>,
    Option<Result<BootstrapInterval, UndefinedReason>>,
) {
    let interval = resampling.map(|resampling| {
        let agreement = agreement.as_ref().map_err(|reason| *reason);
        agreement.and_then(|agreement| agreement.interval(resampling))
    });
    let value = agreement.and_then(|agreement| agreement.coefficient());
    (value, interval)
}
