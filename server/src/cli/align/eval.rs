use std::path::PathBuf;

use domain::text::align::{
    evaluate::{AlignmentEvaluation, AlignmentTally},
    gold::GoldPair,
    pharaoh,
};
use learn::aligner::Aligner;

use super::{AlignerArgs, StyleName, pairs::read_gold_pairs};
use crate::{cli::output::print, settings::EncoderSettings};

/// Measures an aligner on alignments made by people.
#[derive(Debug, clap::Args)]
pub(super) struct AlignEvalArgs {
    /// Files in the shape of MultiMWA.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// What those people held for one.
    #[arg(long, value_enum, default_value = "word")]
    style: StyleName,
    /// Take only their sure links for right, and not the possible ones.
    #[arg(long)]
    sure: bool,
    #[command(flatten)]
    by: AlignerArgs,
}

impl AlignEvalArgs {
    pub(super) fn run(self, json: bool, encoder: &EncoderSettings) -> anyhow::Result<()> {
        let aligner = self.by.open(encoder)?;
        let mut pairs = Vec::new();
        for file in &self.files {
            pairs.extend(read_gold_pairs(file)?);
        }
        let found = evaluate(&aligner, &pairs, self.style, self.sure)?;
        print(json, &found, || table(&found))
    }
}

/// How well an aligner does on gold pairs.
pub(super) fn evaluate(
    aligner: &Aligner,
    pairs: &[GoldPair],
    style: StyleName,
    sure: bool,
) -> anyhow::Result<AlignmentEvaluation> {
    let texts: Vec<_> = pairs.iter().map(GoldPair::texts).collect();
    let texts: Vec<_> = texts
        .iter()
        .map(|(source, output)| (source, output))
        .collect();
    let mut tally = AlignmentTally::default();
    for (pair, found) in pairs.iter().zip(aligner.align(&texts, style.into())?) {
        let gold = if sure {
            pair.sure.clone()
        } else {
            pair.all_links()
        };
        tally.add(pair, &pharaoh::link_set(&found.links), &gold);
    }
    Ok(tally.evaluation())
}

fn table(found: &AlignmentEvaluation) -> String {
    let lines = [
        ("precision", found.precision),
        ("recall", found.recall),
        ("F1", found.f1),
        ("exact", found.exact),
        ("F1, links between differing words", found.non_identical_f1),
        ("F1, edits", found.edits_f1),
    ];
    let mut text = String::new();
    for (name, value) in lines {
        text += &format!("{name:<36}{value:.4}\n");
    }
    text + &format!("{:<36}{}\n", "pairs", found.pairs)
}
