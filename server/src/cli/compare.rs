use anyhow::Context as _;
use domain::{
    statistics::{
        UndefinedReason,
        significance::{MannWhitneyTest, PairedTTest, WelchTest, WilcoxonTest},
        systems::{PairedComparison, TEST_DESCRIPTION, UnpairedComparison, WinTieLoss},
        tau_like::TieThreshold,
    },
    study::Dimension,
};
use serde::Serialize;
use service::figures::systems::{SystemComparison, SystemScores, UnpairedSystemComparison};
use utoipa::ToSchema;

use super::{
    output::{CommandOutput, warning_lines},
    ratings::{RatingsArgs, RatingsPlace},
    study::find_study,
    systems::{CategoryUse, add_shared_ratings, from_rated_file, read_study},
};
use crate::{database, reports::value_and_reason, settings::DataSettings};

/// Whether one system is better than another, tested on the sources that both have.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "rankrate compare [OPTIONS] <A> <B> <FILE|--study <STUDY>>",
    after_help = "\
A system's score of a source is the mean over its rated outputs of the mean over their raters, in \
z-scores and in points of the scale; differences are A - B. Tests are two-sided and paired by source: \
Student's t with its 95 % interval, and Wilcoxon's signed ranks with zero differences dropped, exact \
to 50 pairs without ties and zeros and to 25 other differences with some, else by the normal approximation with tie correction and without \
continuity correction. A tie is an equal score; with --ties also one within the threshold, in an extra \
line that changes no test. No correction for many comparisons is made here; the \
page of a study's systems makes Holm's."
)]
pub(crate) struct CompareArgs {
    /// The one system, by its name.
    #[arg(value_name = "A")]
    a: String,
    /// The other.
    #[arg(value_name = "B")]
    b: String,
    /// Also tests that take both as independent samples, over all sources that each has: Welch's t and
    /// Mann-Whitney's U, exact to 50 sources in all, else by the normal approximation with corrections for ties and
    /// continuity. For systems that were rated on different sources.
    #[arg(long)]
    unpaired: bool,
    /// Also the share of sources on which A is better, equal and worse, where mean ratings that differ by no
    /// more than this are equal: points such as 5, or a share of the scale such as 5%.
    #[arg(long, value_name = "POINTS|SHARE")]
    ties: Option<TieThreshold>,
    #[command(flatten)]
    ratings: RatingsArgs,
}

/// The comparison for programs.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CompareJson<'a> {
    /// A system.
    a: &'a str,
    /// Another.
    b: &'a str,
    /// The dimension that was rated.
    dimension: &'a Dimension,
    /// How they are tested.
    tests: &'static str,
    /// On z-scores.
    z: PairedJson,
    /// On the ratings as given, in points of the scale.
    raw: PairedJson,
    /// How often each is better, with `--ties`.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcomes: Option<OutcomesJson>,
    /// Sentences on what limits the figures.
    warnings: &'a [String],
}

/// How often either system is better by more than a threshold.
#[derive(Debug, Serialize, ToSchema)]
struct OutcomesJson {
    /// The threshold as it was given.
    ties: String,
    /// The threshold in points of the scale.
    points: f64,
    /// Sources on which a is better.
    better: usize,
    /// Sources on which they are equal.
    equal: usize,
    /// Sources on which a is worse.
    worse: usize,
    /// The shares of better, equal and worse; `None` if no source has outputs of both systems.
    #[schema(value_type = Option<Vec<f64>>)]
    shares: Option<[f64; 3]>,
}

impl OutcomesJson {
    fn new(ties: TieThreshold, dimension: &Dimension, counts: WinTieLoss) -> Self {
        let WinTieLoss {
            wins,
            ties: equal,
            losses,
        } = counts;

        let all = counts.total();
        let share = |count: usize| count as f64 / all as f64;
        Self {
            ties: ties.to_string(),
            points: ties.points(dimension.scale),
            better: wins,
            equal,
            worse: losses,
            shares: (all > 0).then(|| [wins, equal, losses].map(share)),
        }
    }

    /// The line of outcomes by the threshold, which follows that of equal scores.
    fn line(&self) -> String {
        let name = format!("  by more than {} points", self.points);
        let counts = [self.better, self.equal, self.worse];
        let shown = match self.shares {
            None => "no source".to_owned(),
            Some(shares) => {
                let shown = counts.iter().zip(shares);
                let shown = shown.map(|(count, share)| format!("{count} ({:.1} %)", 100.0 * share));
                shown.collect::<Vec<_>>().join(", ")
            }
        };
        format!("{name:<58}{shown}\n")
    }
}

#[derive(Debug, Serialize, ToSchema)]
struct PairedJson {
    /// The number of sources that both have.
    sources: usize,
    /// Sources on which a is better.
    wins: usize,
    /// Sources on which they are equal.
    ties: usize,
    /// Sources on which a is worse.
    losses: usize,
    /// The mean difference, a - b; null without a common source.
    difference: Option<f64>,
    /// The paired t-test.
    t: Option<PairedTTest>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    t_undefined: Option<String>,
    /// Wilcoxon's signed ranks.
    wilcoxon: Option<WilcoxonTest>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    wilcoxon_undefined: Option<String>,
    /// Tests of all outputs as independent samples, with `--unpaired`.
    #[serde(skip_serializing_if = "Option::is_none")]
    unpaired: Option<UnpairedJson>,
}

#[derive(Debug, Serialize, ToSchema)]
struct UnpairedJson {
    /// The number of a's sources.
    sources_a: usize,
    /// The number of b's sources.
    sources_b: usize,
    /// Welch's t-test.
    welch: Option<WelchTest>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    welch_undefined: Option<String>,
    /// The Mann-Whitney U test.
    mann_whitney: Option<MannWhitneyTest>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    mann_whitney_undefined: Option<String>,
}

impl PairedJson {
    fn new(paired: &PairedComparison, unpaired: Option<&UnpairedComparison>) -> Self {
        let (t, t_undefined) = value_and_reason(paired.t);
        let (wilcoxon, wilcoxon_undefined) = value_and_reason(paired.wilcoxon);

        Self {
            sources: paired.sources,
            wins: paired.counts.wins,
            ties: paired.counts.ties,
            losses: paired.counts.losses,
            // The mean over no source is not a number.
            difference: (paired.sources > 0).then_some(paired.difference),
            t,
            t_undefined,
            wilcoxon,
            wilcoxon_undefined,
            unpaired: unpaired.map(Into::into),
        }
    }
}

impl From<&UnpairedComparison> for UnpairedJson {
    fn from(comparison: &UnpairedComparison) -> Self {
        let (welch, welch_undefined) = value_and_reason(comparison.welch);
        let (mann_whitney, mann_whitney_undefined) = value_and_reason(comparison.mann_whitney);
        Self {
            sources_a: comparison.sources_a,
            sources_b: comparison.sources_b,
            welch,
            welch_undefined,
            mann_whitney,
            mann_whitney_undefined,
        }
    }
}

impl CompareArgs {
    pub(crate) async fn run(
        self,
        output: CommandOutput,
        data: &DataSettings,
    ) -> anyhow::Result<()> {
        match self.ratings.place()? {
            RatingsPlace::File(path) => {
                let (dimension, mut file) = self.ratings.read(path)?;
                add_shared_ratings(&mut file)?;
                let scores = from_rated_file(file, CategoryUse::Unneeded).into();
                print_comparison(output, &self, &dimension, &scores)
            }
            RatingsPlace::Study(slug) => {
                let store = database::open_to_read(data).await?;
                let study = find_study(&store, slug).await?;
                let (dimension, scores) = read_study(&store, &study, &self.ratings, None).await?;
                print_comparison(output, &self, &dimension, &scores)
            }
        }
    }
}

fn print_comparison(
    mut output: CommandOutput,
    args: &CompareArgs,
    dimension: &Dimension,
    scores: &SystemScores,
) -> anyhow::Result<()> {
    let (a, b) = (find_system(scores, &args.a)?, find_system(scores, &args.b)?);
    anyhow::ensure!(a != b, "name two different systems");

    let paired = scores.compare(a, b, None);
    let unpaired = args.unpaired.then(|| scores.compare_unpaired(a, b, None));
    let outcomes = args.ties.map(|ties| {
        let counts = scores.count_outcomes(a, b, ties.points(dimension.scale));
        OutcomesJson::new(ties, dimension, counts)
    });

    let report = CompareJson {
        a: &args.a,
        b: &args.b,
        dimension,
        tests: TEST_DESCRIPTION,
        z: PairedJson::new(&paired.z, unpaired.as_ref().map(|unpaired| &unpaired.z)),
        raw: PairedJson::new(&paired.raw, unpaired.as_ref().map(|unpaired| &unpaired.raw)),
        outcomes,
        warnings: &scores.warnings,
    };

    output.print(&report, || {
        let mut text = format!("{}, from {}\n", dimension.name, dimension.scale);
        text += &comparison_lines((&args.a, &args.b), &paired, report.outcomes.as_ref());
        if let Some(unpaired) = &unpaired {
            text += &unpaired_lines(unpaired);
        }
        text + &warning_lines(&scores.warnings)
    })
}

fn comparison_lines(
    (a, b): (&str, &str),
    comparison: &SystemComparison,
    outcomes: Option<&OutcomesJson>,
) -> String {
    let mut text = format!("A = {a}, B = {b}\n");
    text += &format!("{:<32}{:<26}points\n", "", "z-scores");

    let line = |name: &str, show: fn(&PairedComparison) -> String| {
        let (z, raw) = (show(&comparison.z), show(&comparison.raw));
        format!("{name:<32}{z:<26}{raw}\n")
    };
    text += &line("sources with both", |paired| paired.sources.to_string());
    text += &line("A better, equal, B better", |paired| {
        let counts = paired.counts;
        format!("{}, {}, {}", counts.wins, counts.ties, counts.losses)
    });
    text += &outcomes.map(OutcomesJson::line).unwrap_or_default();

    let mut line = |name, show| text += &line(name, show);
    line("mean difference, A - B", |paired| match paired.sources {
        0 => "none".to_owned(),
        _ => format!("{:.4}", paired.difference),
    });
    line("95 % interval", |paired| {
        or_undefined(
            paired
                .t
                .map(|t| format!("{:.4} to {:.4}", t.interval.0, t.interval.1)),
        )
    });

    line("paired t", |paired| {
        or_undefined(paired.t.map(|t| format!("{:.3}, df {}", t.t, t.df)))
    });
    line("  p, two-sided", |paired| {
        or_undefined(paired.t.map(|t| format_p(t.p)))
    });

    line("Wilcoxon W+, W-", |paired| {
        or_undefined(
            paired
                .wilcoxon
                .map(|w| format!("{}, {}", w.w_plus, w.w_minus)),
        )
    });
    line("  p, two-sided", |paired| {
        or_undefined(paired.wilcoxon.map(|w| format_p(w.p)))
    });
    line("rank-biserial correlation", |paired| {
        or_undefined(paired.wilcoxon.map(|w| format!("{:.4}", w.rank_biserial)))
    });
    text
}

/// The lines of tests of independent samples, in the same columns.
fn unpaired_lines(comparison: &UnpairedSystemComparison) -> String {
    let mut text = String::new();
    let mut line = |name: &str, show: fn(&UnpairedComparison) -> String| {
        text += &format!(
            "{name:<32}{:<26}{}\n",
            show(&comparison.z),
            show(&comparison.raw)
        );
    };

    line("sources of A, of B", |unpaired| {
        format!("{}, {}", unpaired.sources_a, unpaired.sources_b)
    });
    line("Welch's t", |unpaired| {
        or_undefined(
            unpaired
                .welch
                .map(|t| format!("{:.3}, df {:.1}", t.t, t.df)),
        )
    });
    line("  p, two-sided", |unpaired| {
        or_undefined(unpaired.welch.map(|t| format_p(t.p)))
    });

    line("Mann-Whitney U of A", |unpaired| {
        or_undefined(unpaired.mann_whitney.map(|u| u.u_a.to_string()))
    });
    line("  p, two-sided", |unpaired| {
        or_undefined(unpaired.mann_whitney.map(|u| format_p(u.p)))
    });
    text
}

fn find_system(scores: &SystemScores, name: &str) -> anyhow::Result<usize> {
    let systems = &scores.systems;
    let index = systems.iter().position(|system| system.name == name);
    index.with_context(|| {
        let names: Vec<_> = systems.iter().map(|system| &system.name[..]).collect();
        format!(
            "no system is called “{name}”; there are: {}",
            names.join(", ")
        )
    })
}

fn or_undefined(figure: Result<String, UndefinedReason>) -> String {
    figure.unwrap_or_else(|_| "undefined".to_owned())
}

/// A p-value with four decimals, or in scientific notation where these would be 0.
pub(super) fn format_p(value: f64) -> String {
    if value < f64::MIN_POSITIVE {
        // Too small for a number.
        "0".to_owned()
    } else if value < 0.0001 {
        format!("{value:.2e}")
    } else {
        format!("{value:.4}")
    }
}
