use std::{
    fs::File,
    io::BufReader,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use app::figures::{StudyAgreement, StudyCorrections, Which};
use domain::{
    edit::{EditKind, corrections::Counts},
    statistics::{
        agreement::{Agreement, Level, agreement},
        standardise::{Deviation, standardise},
    },
    study::Slug,
};
use formats::simpeval::Raters;
use serde_json::{Value, json};

use super::{output::print, study::named};
use crate::{database, settings::DataSettings};

/// Krippendorff's alpha (interval) of a study or straight of a SimpEval file.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("of").required(true).args(["file", "study"]))]
pub(crate) struct AgreementOf {
    /// A SimpEval file, past or 2022; no database is touched.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// A study, by its short name.
    #[arg(long, value_name = "STUDY")]
    study: Option<Slug>,
    /// The file that names who is behind each rating (original_id,system,slot,rater).
    #[arg(long, value_name = "FILE", requires = "file")]
    raters: Option<PathBuf>,
    /// The dimension of a study's ratings.
    #[arg(long, value_name = "NAME", default_value = domain::study::OVERALL, requires = "study")]
    dimension: String,
    /// Counts sources in work, too, and not only those handed in.
    #[arg(long, requires = "study")]
    in_work: bool,
}

/// What is printed.
struct Figures {
    raw: Agreement,
    z: Agreement,
    /// Of a file that carries z-scores: those computed anew from its raw ratings.
    recomputed: Option<Agreement>,
    /// Of a study: what annotators corrected of the automatic edits.
    corrections: Option<StudyCorrections>,
    warnings: Vec<String>,
}

impl AgreementOf {
    pub(crate) async fn run(self, json: bool, data: &DataSettings) -> anyhow::Result<()> {
        let figures = match (&self.file, &self.study) {
            (Some(file), _) => of_file(file, self.raters.as_deref())?,
            (None, Some(study)) => self.of_study(data, study).await?,
            (None, None) => anyhow::bail!("name a FILE, or a study with --study"),
        };
        print(json, &figures.json(), || figures.table())
    }

    async fn of_study(&self, data: &DataSettings, slug: &Slug) -> anyhow::Result<Figures> {
        let which = if self.in_work {
            Which::WithInWork
        } else {
            Which::HandedIn
        };
        let store = database::open(data).await?;
        let study = named(&store, slug).await?;
        let found = StudyAgreement::of(&store, study.id, &self.dimension, which).await?;
        Ok(Figures {
            raw: found.raw,
            z: found.z,
            recomputed: None,
            corrections: Some(StudyCorrections::of(&store, study.id).await?),
            warnings: found.warnings,
        })
    }
}

fn of_file(path: &Path, raters: Option<&Path>) -> anyhow::Result<Figures> {
    let raters = raters.map(read_raters).transpose()?;
    let input = open(path)?;
    let found = formats::read_ratings(input, raters)
        .with_context(|| format!("{} was not read", path.display()))?;
    let mut warnings: Vec<_> = found.warnings.iter().map(ToString::to_string).collect();
    warnings.extend(found.bad_rows.iter().map(|bad| format!("Left out: {bad}.")));
    let recomputed = agreement(
        &standardise(&found.raw, Deviation::Population).z,
        Level::Interval,
    );
    let from_file = !found.z.is_empty();
    let z = if from_file {
        agreement(&found.z, Level::Interval)
    } else {
        recomputed
    };
    Ok(Figures {
        raw: agreement(&found.raw, Level::Interval),
        z,
        recomputed: from_file.then_some(recomputed),
        corrections: None,
        warnings,
    })
}

/// Reads a file of raters.
pub(super) fn read_raters(path: &Path) -> anyhow::Result<Raters> {
    Raters::read(open(path)?).with_context(|| format!("{} was not read", path.display()))
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    let file = File::open(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    Ok(BufReader::new(file))
}

impl Figures {
    fn json(&self) -> Value {
        let mut all = json!({
            "raw": alpha(&self.raw),
            "z": alpha(&self.z),
            "raters": self.raw.raters,
            "units": self.raw.units,
            "pairable_units": self.raw.pairable_units,
            "warnings": self.warnings,
        });
        if let Some(recomputed) = &self.recomputed {
            all["z_recomputed"] = alpha(recomputed);
        }
        if let Some(found) = &self.corrections {
            all["corrections"] = corrections(found);
        }
        all
    }

    fn table(&self) -> String {
        let shown = |of: &Agreement| match &of.alpha {
            Ok(alpha) => format!("{alpha:.4}"),
            Err(reason) => format!("undefined: {reason}"),
        };
        let recomputed = self.recomputed.as_ref().map(shown);
        let lines = [
            ("alpha, raw ratings", Some(shown(&self.raw))),
            ("alpha, z-scores", Some(shown(&self.z))),
            ("alpha, z-scores computed anew", recomputed),
            ("raters", Some(self.raw.raters.to_string())),
            ("units (outputs)", Some(self.raw.units.to_string())),
            (
                "units with two ratings or more",
                Some(self.raw.pairable_units.to_string()),
            ),
        ];
        let mut text = String::new();
        for (name, value) in lines {
            if let Some(value) = value {
                text += &format!("{name:<32}{value}\n");
            }
        }
        if let Some(found) = self.corrections.as_ref().filter(|it| it.outputs > 0) {
            let (outputs, corrected) = (found.outputs, found.corrected);
            text += &format!(
                "{:<32}{corrected} of {outputs}\n",
                "outputs with corrected edits"
            );
            for kind in EditKind::ALL {
                let name = format!("correction rate, {}", kind.title().to_lowercase());
                let rate = match found.by_kind.of_kind(kind).rate() {
                    Ok(rate) => format!("{rate:.4}"),
                    Err(reason) => format!("undefined: {reason}"),
                };
                text += &format!("{name:<32}{rate}\n");
            }
        }
        for warning in &self.warnings {
            text += &format!("! {warning}\n");
        }
        text
    }
}

fn corrections(of: &StudyCorrections) -> Value {
    let mut all = json!({
        "outputs": of.outputs,
        "corrected": of.corrected,
        "aligner": of.versions,
    });
    for kind in EditKind::ALL {
        let counts = of.by_kind.of_kind(kind);
        let Counts {
            stood,
            changed,
            taken_away,
            added,
        } = counts;
        let mut row = json!({
            "automatic": counts.automatic(),
            "stood": stood,
            "changed": changed,
            "taken_away": taken_away,
            "added": added,
            "rate": counts.rate().ok(),
        });
        if let Err(reason) = counts.rate() {
            row["undefined"] = json!(reason.to_string());
        }
        all[kind.title().to_lowercase()] = row;
    }
    all
}

fn alpha(of: &Agreement) -> Value {
    match &of.alpha {
        Ok(alpha) => json!({ "alpha": alpha }),
        Err(reason) => json!({ "alpha": null, "undefined": reason.to_string() }),
    }
}
