use anyhow::Context as _;
use domain::{
    statistics::systems::{PairedComparison, TEST_DESCRIPTION, UnpairedComparison},
    study::Dimension,
};
use serde_json::{Value, json};
use service::figures::systems::{SystemComparison, SystemScores, UnpairedSystemComparison};

use super::{
    output::print,
    ratings::{RatingsArgs, RatingsPlace},
    study::find_study,
    systems::{from_rated_file, read_study},
};
use crate::{database, settings::DataSettings};

/// Whether one system is better than another, tested on the sources that both have.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "rankrate compare [OPTIONS] <A> <B> <FILE|--study <STUDY>>",
    after_help = "\
A system's score of a source is the mean over its rated outputs of the mean over their raters, in \
z-scores and in points of the scale; differences are A - B. Tests are two-sided and paired by source: \
Student's t with its 95 % interval, and Wilcoxon's signed ranks with zero differences dropped, exact \
to 50 pairs without ties and zeros, else by the normal approximation with tie correction and without \
continuity correction. A tie is an equal score. No correction for many comparisons is made here; the \
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
    /// Mann-Whitney's U with continuity correction. For systems that were rated on different sources.
    #[arg(long)]
    unpaired: bool,
    #[command(flatten)]
    ratings: RatingsArgs,
}

impl CompareArgs {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        match self.ratings.place()? {
            RatingsPlace::File(path) => {
                let (dimension, file) = self.ratings.read(path)?;
                print_comparison(json, &self, &dimension, &from_rated_file(file).into())
            }
            RatingsPlace::Study(slug) => {
                let store = database::open(data).await?;
                let study = find_study(&store, slug).await?;
                let (dimension, scores) = read_study(&store, &study, &self.ratings).await?;
                print_comparison(json, &self, &dimension, &scores)
            }
        }
    }

    fn comparison_json(
        &self,
        (dimension, judged): (&Dimension, &SystemScores),
        found: &SystemComparison,
        unpaired: Option<&UnpairedSystemComparison>,
    ) -> Value {
        let mut value = json!({
            "a": self.a,
            "b": self.b,
            "dimension": dimension,
            "tests": TEST_DESCRIPTION,
            "z": paired_json(&found.z),
            "raw": paired_json(&found.raw),
            "warnings": judged.warnings,
        });
        if let Some(unpaired) = unpaired {
            value["z"]["unpaired"] = unpaired_json(&unpaired.z);
            value["raw"]["unpaired"] = unpaired_json(&unpaired.raw);
        }
        value
    }
}

fn print_comparison(
    json: bool,
    asked: &CompareArgs,
    dimension: &Dimension,
    judged: &SystemScores,
) -> anyhow::Result<()> {
    let (a, b) = (
        find_system(judged, &asked.a)?,
        find_system(judged, &asked.b)?,
    );
    anyhow::ensure!(a != b, "name two different systems");
    let found = judged.compare(a, b, None);
    let unpaired = asked.unpaired.then(|| judged.compare_unpaired(a, b, None));
    let value = asked.comparison_json((dimension, judged), &found, unpaired.as_ref());
    print(json, &value, || {
        let mut text = format!("{}, from {}\n", dimension.name, dimension.scale);
        text += &comparison_lines((&asked.a, &asked.b), &found);
        if let Some(unpaired) = &unpaired {
            text += &unpaired_lines(unpaired);
        }
        for warning in &judged.warnings {
            text += &format!("! {warning}\n");
        }
        text
    })
}

fn comparison_lines((a, b): (&str, &str), found: &SystemComparison) -> String {
    let mut text = format!("A = {a}, B = {b}\n");
    text += &format!("{:<32}{:<26}points\n", "", "z-scores");
    let mut line = |name: &str, show: fn(&PairedComparison) -> String| {
        text += &format!("{name:<32}{:<26}{}\n", show(&found.z), show(&found.raw));
    };
    line("sources with both", |of| of.sources.to_string());
    line("A better, equal, B better", |of| {
        let counts = of.counts;
        format!("{}, {}, {}", counts.wins, counts.ties, counts.losses)
    });
    line("mean difference, A - B", |of| match of.sources {
        0 => "none".to_owned(),
        _ => format!("{:.4}", of.difference),
    });
    line("95 % interval", |of| {
        or_undefined(of.t.map(|t| format!("{:.4} to {:.4}", t.interval.0, t.interval.1)))
    });
    line("paired t", |of| {
        or_undefined(of.t.map(|t| format!("{:.3}, df {}", t.t, t.df)))
    });
    line("  p, two-sided", |of| {
        or_undefined(of.t.map(|t| format_p(t.p)))
    });
    line("Wilcoxon W+, W-", |of| {
        or_undefined(of.wilcoxon.map(|w| format!("{}, {}", w.w_plus, w.w_minus)))
    });
    line("  p, two-sided", |of| {
        or_undefined(of.wilcoxon.map(|w| format_p(w.p)))
    });
    line("rank-biserial correlation", |of| {
        or_undefined(of.wilcoxon.map(|w| format!("{:.4}", w.rank_biserial)))
    });
    text
}

fn unpaired_json(of: &UnpairedComparison) -> Value {
    let mut value = json!({
        "sources_a": of.sources_a,
        "sources_b": of.sources_b,
        "welch": of.welch.ok(),
        "mann_whitney": of.mann_whitney.ok(),
    });
    if let Err(reason) = of.welch {
        value["welch_undefined"] = json!(reason.to_string());
    }
    if let Err(reason) = of.mann_whitney {
        value["mann_whitney_undefined"] = json!(reason.to_string());
    }
    value
}

/// The same columns for the tests of independent samples.
fn unpaired_lines(found: &UnpairedSystemComparison) -> String {
    let mut text = String::new();
    let mut line = |name: &str, show: fn(&UnpairedComparison) -> String| {
        text += &format!("{name:<32}{:<26}{}\n", show(&found.z), show(&found.raw));
    };
    line("sources of A, of B", |of| {
        format!("{}, {}", of.sources_a, of.sources_b)
    });
    line("Welch's t", |of| {
        or_undefined(of.welch.map(|t| format!("{:.3}, df {:.1}", t.t, t.df)))
    });
    line("  p, two-sided", |of| {
        or_undefined(of.welch.map(|t| format_p(t.p)))
    });
    line("Mann-Whitney U of A", |of| {
        or_undefined(of.mann_whitney.map(|u| u.u_a.to_string()))
    });
    line("  p, two-sided", |of| {
        or_undefined(of.mann_whitney.map(|u| format_p(u.p)))
    });
    text
}

fn find_system(judged: &SystemScores, name: &str) -> anyhow::Result<usize> {
    let found = judged.systems.iter().position(|system| system.name == name);
    found.with_context(|| {
        let names: Vec<_> = judged.systems.iter().map(|it| &it.name[..]).collect();
        format!(
            "no system is called “{name}”; there are: {}",
            names.join(", ")
        )
    })
}

fn paired_json(of: &PairedComparison) -> Value {
    let defined = of.sources > 0;
    let mut value = json!({
        "sources": of.sources,
        "wins": of.counts.wins,
        "ties": of.counts.ties,
        "losses": of.counts.losses,
        "difference": defined.then_some(of.difference),
        "t": of.t.ok(),
        "wilcoxon": of.wilcoxon.ok(),
    });
    if let Err(reason) = of.t {
        value["t_undefined"] = json!(reason.to_string());
    }
    if let Err(reason) = of.wilcoxon {
        value["wilcoxon_undefined"] = json!(reason.to_string());
    }
    value
}

fn or_undefined(of: Result<String, domain::statistics::UndefinedReason>) -> String {
    of.unwrap_or_else(|_| "undefined".to_owned())
}

fn format_p(value: f64) -> String {
    if value < 0.0001 {
        format!("{value:.2e}")
    } else {
        format!("{value:.4}")
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct CompareCommand {
        #[command(flatten)]
        compare: CompareArgs,
    }

    /// Systems that share no source can be compared as independent samples alone.
    #[test]
    fn systems_of_different_sources_are_compared_unpaired() {
        let mut rows =
            "original_id,original,generation,system,sentence_type,rating_1,rating_2\n".to_owned();
        for (at, (system, points)) in [
            ("A", 90),
            ("A", 80),
            ("A", 85),
            ("B", 20),
            ("B", 30),
            ("B", 10),
        ]
        .into_iter()
        .enumerate()
        {
            let more = points + 3;
            rows += &format!("{at},Text {at}.,T {at}.,{system},Paraphrases,{points},{more}\n");
        }
        let file = formats::read_ratings(rows.as_bytes(), None).expect("ratings");
        let judged = SystemScores::from(from_rated_file(file));
        let command =
            CompareCommand::parse_from(["compare", "A", "B", "ratings.csv", "--unpaired"]);
        let (a, b) = (
            find_system(&judged, "A").expect("there"),
            find_system(&judged, "B").expect("there"),
        );
        let unpaired = judged.compare_unpaired(a, b, None);
        let value = command.compare.comparison_json(
            (&Dimension::default(), &judged),
            &judged.compare(a, b, None),
            Some(&unpaired),
        );
        assert_eq!(value["raw"]["sources"], 0);
        let of = &value["raw"]["unpaired"];
        assert_eq!((&of["sources_a"], &of["sources_b"]), (&json!(3), &json!(3)));
        // Every source of A is above every source of B.
        assert_eq!(of["mann_whitney"]["u_a"], 9.0);
        assert!(of["welch"]["p"].as_f64().is_some_and(|p| p < 0.01));
        assert!(unpaired_lines(&unpaired).contains("Welch's t"));
    }
}
