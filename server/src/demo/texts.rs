//! The texts of the demonstration, as `texts.json` holds them.

use domain::{
    study::{SourcePurpose, SystemKind},
    work::task::ExpectedAnswer,
};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct DemoTexts {
    pub(super) systems: Vec<DemoSystem>,
    pub(super) sources: Vec<DemoSource>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DemoSystem {
    pub(super) name: String,
    pub(super) kind: SystemKind,
}

#[derive(Debug, Deserialize)]
pub(super) struct DemoSource {
    pub(super) key: String,
    pub(super) purpose: SourcePurpose,
    pub(super) text: String,
    #[serde(default)]
    pub(super) references: Vec<String>,
    pub(super) outputs: Vec<DemoOutput>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DemoOutput {
    pub(super) system: String,
    pub(super) text: String,
    /// The quality, 0 to 100, around which simulated annotators rate it.
    pub(super) quality: Option<i32>,
    pub(super) expected: Option<ExpectedAnswer>,
}

impl DemoTexts {
    pub(super) fn read() -> Self {
        serde_json::from_str(include_str!("texts.json")).expect("the file is part of the program")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::{
        category::Category,
        text::categorise::{ThresholdRule, categorise},
    };

    use super::*;

    #[test]
    fn it_shows_what_a_study_can_hold() {
        let texts = DemoTexts::read();
        let main: Vec<_> = texts
            .sources
            .iter()
            .filter(|source| source.purpose == SourcePurpose::Main)
            .collect();
        assert!(main.len() >= 6, "six sources");
        for source in &main {
            let systems = if source.key == "observatory" { 24 } else { 10 };
            assert_eq!(source.outputs.len(), systems, "systems on {}", source.key);
            assert!(
                source
                    .outputs
                    .iter()
                    .any(|output| output.text == source.text),
                "a copy"
            );
        }

        let categories: BTreeSet<_> = main
            .iter()
            .flat_map(|source| {
                let classify = |output: &DemoOutput| {
                    categorise(&source.text, &output.text, ThresholdRule::TUNED)
                };
                source
                    .outputs
                    .iter()
                    .map(move |output| classify(output).category)
            })
            .collect();
        assert_eq!(categories, Category::ALL.into());

        let qualifies = |source: &&DemoSource| source.purpose == SourcePurpose::Qualification;
        let qualification = texts.sources.iter().find(qualifies).unwrap();
        assert!(
            qualification
                .outputs
                .iter()
                .all(|output| output.expected.is_some())
        );

        let tutorial = |source: &&DemoSource| source.purpose == SourcePurpose::Tutorial;
        let tutorial = texts.sources.iter().find(tutorial).unwrap();
        let misplaced = tutorial.outputs.iter().filter(|output| {
            let expected = output.expected.as_ref().and_then(|answer| answer.category);
            let automatic = categorise(&tutorial.text, &output.text, ThresholdRule::TUNED);
            expected != Some(automatic.category)
        });
        let misplaced: Vec<_> = misplaced.map(|output| &*output.system).collect();
        assert_eq!(misplaced, ["rewriter-3"], "something to correct in step 1");

        let twins = main.iter().filter(|source| {
            let distinct: BTreeSet<_> = source.outputs.iter().map(|output| &output.text).collect();
            distinct.len() < source.outputs.len()
        });
        assert!(twins.count() >= 1, "an identical pair");
    }
}
