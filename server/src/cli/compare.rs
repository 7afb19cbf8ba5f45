use anyhow::Context as _;
use app::figures::systems::{Compared, SystemScores};
use domain::{
    statistics::systems::{Comparison, TESTS},
    study::Dimension,
};
use serde_json::{Value, json};

use super::{
    output::print,
    rated::{Place, Rated},
    study::named,
    systems::{of_file, of_study},
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
pub(crate) struct Compare {
    /// The one system, by its name.
    #[arg(value_name = "A")]
    a: String,
    /// The other.
    #[arg(value_name = "B")]
    b: String,
    #[command(flatten)]
    of: Rated,
}

impl Compare {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        match self.of.place()? {
            Place::File(path) => {
                let (dimension, file) = self.of.read(path)?;
                show(json, (&self.a, &self.b), &dimension, &of_file(file).into())
            }
            Place::Study(slug) => {
                let store = database::open(data).await?;
                let study = named(&store, slug).await?;
                let (dimension, scores) = of_study(&store, &study, &self.of).await?;
                show(json, (&self.a, &self.b), &dimension, &scores)
            }
        }
    }
}

fn show(
    json: bool,
    (name_a, name_b): (&str, &str),
    dimension: &Dimension,
    judged: &SystemScores,
) -> anyhow::Result<()> {
    let (a, b) = (find(judged, name_a)?, find(judged, name_b)?);
    anyhow::ensure!(a != b, "name two different systems");
    let found = judged.compare(a, b, None);
    let value = json!({
        "a": name_a,
        "b": name_b,
        "dimension": dimension,
        "tests": TESTS,
        "z": figures(&found.z),
        "raw": figures(&found.raw),
        "warnings": judged.warnings,
    });
    print(json, &value, || {
        let mut text = format!("{}, from {}\n", dimension.name, dimension.scale);
        text += &lines((name_a, name_b), &found);
        for warning in &judged.warnings {
            text += &format!("! {warning}\n");
        }
        text
    })
}

fn lines((a, b): (&str, &str), found: &Compared) -> String {
    let mut text = format!("A = {a}, B = {b}\n");
    text += &format!("{:<32}{:<26}points\n", "", "z-scores");
    let mut line = |name: &str, show: fn(&Comparison) -> String| {
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
        shown(of.t.map(|t| format!("{:.4} to {:.4}", t.interval.0, t.interval.1)))
    });
    line("paired t", |of| {
        shown(of.t.map(|t| format!("{:.3}, df {}", t.t, t.df)))
    });
    line("  p, two-sided", |of| shown(of.t.map(|t| p(t.p))));
    line("Wilcoxon W+, W-", |of| {
        shown(of.wilcoxon.map(|w| format!("{}, {}", w.w_plus, w.w_minus)))
    });
    line("  p, two-sided", |of| shown(of.wilcoxon.map(|w| p(w.p))));
    line("rank-biserial correlation", |of| {
        shown(of.wilcoxon.map(|w| format!("{:.4}", w.rank_biserial)))
    });
    text
}

fn find(judged: &SystemScores, name: &str) -> anyhow::Result<usize> {
    let found = judged.systems.iter().position(|system| system.name == name);
    found.with_context(|| {
        let names: Vec<_> = judged.systems.iter().map(|it| &it.name[..]).collect();
        format!(
            "no system is called “{name}”; there are: {}",
            names.join(", ")
        )
    })
}

fn figures(of: &Comparison) -> Value {
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

fn shown(of: Result<String, domain::statistics::Undefined>) -> String {
    of.unwrap_or_else(|_| "undefined".to_owned())
}

fn p(value: f64) -> String {
    if value < 0.0001 {
        format!("{value:.2e}")
    } else {
        format!("{value:.4}")
    }
}
