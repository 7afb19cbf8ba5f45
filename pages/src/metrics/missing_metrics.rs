use leptos::prelude::*;
use store::metrics::MetricOrigin;

use app::links::StudyPage;
use service::{
    figures::metrics::{MetricEntry, MissingMetric, StudyMetrics},
    metrics::UnscoredMetric,
    wording::count_noun,
};

/// The metrics that are missing from panels, or count only some outputs, with the reasons.
#[derive(Debug, Clone, Default)]
pub(super) struct MissingMetricReasons {
    /// The labels of metrics without a score of any rated output.
    pub(super) labels: Vec<String>,
    /// A sentence for each metric that lacks something, with what to do.
    sentences: Vec<String>,
    /// Whether importing references would help.
    references: bool,
}

impl MissingMetricReasons {
    /// Collects what is missing, given whether a source has references and what scoring left out.
    pub(super) fn from_figures(
        figures: &StudyMetrics,
        has_references: bool,
        left: &[UnscoredMetric],
    ) -> Self {
        let none = |missing: &MissingMetric| {
            let why = left
                .iter()
                .find(|unscored| unscored.metric == missing.metric.name);
            let why = match (why, missing.metric.origin) {
                (Some(unscored), _) => format!("it cannot be computed here: {}", unscored.why),
                (None, _) if missing.metric.uses_references && !has_references => {
                    "the study has no references: import some".to_owned()
                }
                (None, _) if missing.metric.uses_references => {
                    "its scores are not computed yet, or no source of a rated output has references: \
                     import them"
                        .to_owned()
                }
                (None, MetricOrigin::Imported) => {
                    "its file had no score of a rated output: import one that has".to_owned()
                }
                (None, MetricOrigin::Computed | MetricOrigin::Learned) => {
                    "its scores are not computed yet: score the outputs above".to_owned()
                }
            };
            format!(
                "{} is not shown because no rated output has a score ({why}).",
                missing.label
            )
        };

        let some = |entry: &MetricEntry| {
            let why = if entry.metric.uses_references {
                ", for want of references: import some"
            } else {
                ""
            };
            let outputs = count_noun(entry.unscored, "rated output");
            format!("{} leaves out {outputs} without a score{why}.", entry.label)
        };

        let partly = || figures.entries.iter().filter(|entry| entry.unscored > 0);
        let by_references = partly().any(|entry| entry.metric.uses_references)
            || figures
                .missing
                .iter()
                .any(|missing| missing.metric.uses_references);

        Self {
            labels: figures
                .missing
                .iter()
                .map(|missing| missing.label.clone())
                .collect(),
            sentences: figures
                .missing
                .iter()
                .map(none)
                .chain(partly().map(some))
                .collect(),
            references: by_references,
        }
    }

    /// The end of a panel's note: the chosen metrics that are missing from it.
    pub(super) fn note(&self) -> String {
        match &self.labels[..] {
            [] => String::new(),
            labels => format!(
                " Not shown, because they have no scores: {}; see above for what they need.",
                labels.join(", ")
            ),
        }
    }
}

/// Says why metrics are missing and where to get what they need.
#[component]
pub(super) fn MissingMetricsNotice(slug: String, lacks: MissingMetricReasons) -> impl IntoView {
    let import = lacks.references.then(|| {
        let address = StudyPage::Import.address(&slug);
        view! {
            <p><a class="button" href=address>"Import references"</a></p>
        }
    });
    let sentences = lacks.sentences.into_iter();
    let sentences: Vec<_> = sentences
        .map(|sentence| view! { <p class="caution">{sentence}</p> })
        .collect();
    (!sentences.is_empty()).then(|| view! { {sentences} {import} })
}

/// A sentence on the sources that are left out of a metric's figures.
pub(super) fn learned_from_note(label: &str, sources: usize) -> String {
    let (left_out, them) = match sources {
        1 => ("is left out", "it"),
        _ => ("are left out", "them"),
    };
    let sources = count_noun(sources, "source");
    format!("{label}: {sources} {left_out} because the model was trained on {them}.")
}

#[cfg(test)]
mod tests {
    use domain::{ids::MetricId, metrics::ScoreDirection};
    use store::metrics::StudyMetric;
    use uuid::Uuid;

    use super::*;

    fn missing(name: &str, uses_references: bool, origin: MetricOrigin) -> MissingMetric {
        MissingMetric {
            metric: StudyMetric {
                id: MetricId(Uuid::nil()),
                name: name.to_owned(),
                signature: String::new(),
                origin,
                direction: ScoreDirection::HigherIsBetter,
                uses_references,
                trained_on: vec![],
                model: None,
                created_at: 0,
                event: 0,
            },
            label: name.to_owned(),
        }
    }

    #[test]
    fn one_source_is_left_out_and_several_are() {
        for (sources, sentence) in [
            (
                1,
                "lens: 1 source is left out because the model was trained on it.",
            ),
            (
                2,
                "lens: 2 sources are left out because the model was trained on them.",
            ),
        ] {
            assert_eq!(learned_from_note("lens", sources), sentence);
        }
    }

    #[test]
    fn each_metric_without_scores_says_what_to_do() {
        let figures = StudyMetrics {
            rated: 4,
            references: 0,
            systems: 2,
            entries: vec![],
            missing: vec![
                missing("sari", true, MetricOrigin::Computed),
                missing("lens", false, MetricOrigin::Imported),
                missing("similarity", false, MetricOrigin::Computed),
            ],
            human_ceiling: None,
            dimensions: vec![],
        };
        let left = [UnscoredMetric {
            metric: "similarity".to_owned(),
            why: "there is no encoder".to_owned(),
        }];
        let lacks = MissingMetricReasons::from_figures(&figures, false, &left);
        assert!(lacks.references);
        for (sentence, expected) in lacks.sentences.iter().zip([
            "(the study has no references: import some).",
            "(its file had no score of a rated output: import one that has).",
            "(it cannot be computed here: there is no encoder).",
        ]) {
            assert!(sentence.ends_with(expected), "{sentence}");
        }
        assert!(lacks.note().contains("sari, lens, similarity"));
        let partly = MissingMetricReasons::from_figures(&figures, true, &[]);
        assert!(partly.sentences[0].contains("no source of a rated output has references"));
        assert_eq!(MissingMetricReasons::default().note(), "");
    }
}
