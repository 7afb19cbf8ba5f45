use std::path::PathBuf;

use domain::text::align::{
    evaluate::{AlignmentEvaluation, AlignmentTally},
    gold::GoldPair,
    pharaoh,
};
use learn::aligner::Aligner;

use super::{AlignerArgs, StyleName, pairs::read_gold_pairs};
use crate::{
    cli::{input_args::TextArgs, output::CommandOutput},
    settings::EncoderSettings,
};

/// Measures an aligner on alignments made by people.
#[derive(Debug, clap::Args)]
pub(super) struct AlignEvalArgs {
    /// Files in the shape of MultiMWA.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The style of those alignments.
    #[arg(long, value_enum, default_value = "word")]
    style: StyleName,
    /// Count only their sure links as right, and not the possible ones.
    #[arg(long)]
    sure: bool,
    #[command(flatten)]
    by: AlignerArgs,
    #[command(flatten)]
    text: TextArgs,
}

impl AlignEvalArgs {
    pub(super) fn run(
        self,
        mut output: CommandOutput,
        encoder: &EncoderSettings,
    ) -> anyhow::Result<()> {
        let aligner = self.by.open(encoder)?;
        let mut pairs = Vec::new();
        for file in &self.files {
            pairs.extend(read_gold_pairs(file, &self.text)?);
        }
        let evaluation = evaluate(&aligner, &pairs, self.style, self.sure)?;
        output.print(&evaluation, || table(&evaluation))
    }
}

/// Measures an aligner on gold pairs. With `sure`, possible links do not count as right.
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
    for (pair, alignment) in pairs.iter().zip(aligner.align(&texts, style.into())?) {
        let gold = if sure {
            pair.sure.clone()
        } else {
            pair.all_links()
        };
        tally.add(pair, &pharaoh::link_set(&alignment.links), &gold);
    }
    Ok(tally.evaluation())
}

fn table(evaluation: &AlignmentEvaluation) -> String {
    let lines = [
        ("precision", evaluation.precision),
        ("recall", evaluation.recall),
        ("F1", evaluation.f1),
        ("exact", evaluation.exact),
        (
            "F1, links between differing words",
            evaluation.non_identical_f1,
        ),
        ("F1, edits", evaluation.edits_f1),
    ];

    let mut text = String::new();
    for (name, value) in lines {
        text += &format!("{name:<36}{value:.4}\n");
    }
    text + &format!("{:<36}{}\n", "pairs", evaluation.pairs)
}
