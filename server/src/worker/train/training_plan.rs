use domain::metrics::LearnedMetricKind;
use learn::{
    metric::{TrainingSource, fingerprint},
    training::TrainingPlan,
};
use service::training_settings::{ChosenSettings, TrainingSetting};

use crate::tuning_args::TuningArgs;

/// The share of a study's sources that is held out.
const HELD_OUT_SHARE: f64 = 0.2;

/// The random seed of every training.
const SEED: u64 = 1;

/// Plans a training with the chosen settings, which the parser of `rankrate train` reads as its flags.
///
/// # Errors
/// A setting was stored that this version cannot read.
pub(super) fn make_plan(
    kind: LearnedMetricKind,
    settings: &ChosenSettings,
) -> anyhow::Result<TrainingPlan> {
    let mut plan = TrainingPlan::new(kind, SEED, HELD_OUT_SHARE);
    let Some(tuning) = &mut plan.tuning else {
        return Ok(plan);
    };

    // These two do not mean the same as the flags: a share of the sources that remain, and texts rather than a file.
    let flags = settings.entries().filter(|(setting, _)| {
        !matches!(setting, TrainingSetting::HeldOut | TrainingSetting::Split)
    });
    let flags = flags.map(|(setting, value)| (setting.name(), value));
    TuningArgs::from_flags(flags)?.change_plan(tuning)?;

    let share = settings.number(TrainingSetting::HeldOut);
    tuning.validation = share.unwrap_or(tuning.validation);
    tuning.validation_sources = settings.split().map(fingerprint).collect();
    Ok(plan)
}

/// A sentence on the sources by which the best epoch is chosen, if they were named.
pub(super) fn summarise_split(plan: &TrainingPlan, sources: &[TrainingSource]) -> Option<String> {
    let named = &plan.tuning.as_ref()?.validation_sources;
    let is_learned = |source: &&TrainingSource| {
        let name = source.fingerprint();
        named.contains(&name) && !plan.hybrid.holds_out(&name)
    };
    let learned = sources.iter().filter(is_learned).count();

    (!named.is_empty()).then(|| {
        format!(
            "Sources named under “split”: {}; rated and not held out, so that the best epoch is chosen by them: {learned}.",
            named.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use domain::metrics::MetricTrainer;
    use learn::tuning::TuningPlan;

    use super::*;

    fn plan(kind: LearnedMetricKind, written: &[(&str, &str)]) -> TuningPlan {
        let written = written.iter();
        let written = written.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let written: BTreeMap<_, _> = written.collect();
        let settings = ChosenSettings::parse(kind.trainer(), &written).expect("in range");
        let plan = make_plan(kind, &settings).expect("flags");
        plan.tuning.expect("an encoder learns")
    }

    #[test]
    fn every_setting_has_its_place_in_the_plan() {
        for (kind, trainer) in [
            (LearnedMetricKind::Lens, MetricTrainer::Lens),
            (LearnedMetricKind::CrossEncoder, MetricTrainer::CrossEncoder),
        ] {
            let usual = plan(kind, &[]);
            for setting in TrainingSetting::ALL.iter().copied() {
                let other = match setting {
                    TrainingSetting::Pooling => "first",
                    TrainingSetting::LensFeatures => "six",
                    TrainingSetting::Hidden => "64,32",
                    TrainingSetting::Split => "The ferry sank.",
                    TrainingSetting::EncoderLr | TrainingSetting::HeadLr => "0.05",
                    TrainingSetting::Dropout | TrainingSetting::HeldOut => "0.3",
                    TrainingSetting::WeightDecay | TrainingSetting::OrderShare => "0.7",
                    _ => "7",
                };
                if setting.is_for(trainer) {
                    let changed = plan(kind, &[(setting.name(), other)]);
                    assert_ne!(changed, usual, "{}", setting.name());
                }
            }
        }
    }

    /// The form shows these values as defaults, so they must be those of the plan.
    #[test]
    fn usual_values_of_the_form_are_those_of_the_plan() {
        for kind in [LearnedMetricKind::Lens, LearnedMetricKind::CrossEncoder] {
            let usual = TrainingSetting::ALL.iter();
            let usual = usual.filter(|setting| **setting != TrainingSetting::Batch);
            let usual: Vec<_> = usual
                .filter_map(|setting| Some((setting.name(), setting.usual(kind.trainer())?)))
                .collect();
            assert!(usual.len() > 9, "{usual:?}");
            assert_eq!(plan(kind, &usual), plan(kind, &[]));
        }

        let batch = |kind: LearnedMetricKind| {
            let [frozen, tuned] = plan(kind, &[]).sources_a_step;
            match kind {
                LearnedMetricKind::Lens => {
                    format!("{frozen} while the encoder is frozen, then {tuned}")
                }
                _ => tuned.to_string(),
            }
        };

        for kind in [LearnedMetricKind::Lens, LearnedMetricKind::CrossEncoder] {
            let shown = TrainingSetting::Batch.usual(kind.trainer());
            assert_eq!(shown, Some(&batch(kind)[..]));
        }
    }

    #[test]
    fn named_sources_are_counted_where_they_are_learned_from() {
        let source = |number: usize| TrainingSource {
            text: format!("Source {number}."),
            references: Vec::new(),
            outputs: Vec::new(),
        };

        let sources: Vec<_> = (0..20).map(source).collect();
        let named = "Source 1.\nSource 2.\nSource 3.\nSource 4.\nSource 99.";
        let written = BTreeMap::from([("split".to_owned(), named.to_owned())]);
        let settings = ChosenSettings::parse(MetricTrainer::CrossEncoder, &written);
        let settings = settings.expect("a list");

        let plan = make_plan(LearnedMetricKind::CrossEncoder, &settings).expect("flags");
        let is_learned = |source: &&TrainingSource| !plan.hybrid.holds_out(&source.fingerprint());
        let learned = sources[1..5].iter().filter(is_learned).count();

        let sentence = summarise_split(&plan, &sources).expect("some are named");
        assert!(
            sentence.contains("under “split”: 5;") && sentence.ends_with(&format!(": {learned}.")),
            "{sentence}"
        );

        let usual = make_plan(LearnedMetricKind::CrossEncoder, &ChosenSettings::default());
        let usual = usual.expect("no flags");
        assert_eq!(summarise_split(&usual, &sources), None);
    }
}
