use app::figures::{StudyAgreement, StudyCorrections};
use domain::{
    edit::{EditKind, corrections::Counts},
    statistics::{
        agreement::{Agreement, Level, agreement},
        standardise::{Deviation, standardise},
    },
    study::Slug,
};
use formats::RatedFile;
use serde_json::{Value, json};

use super::{
    output::print,
    rated::{Place, Rated, warnings},
    study::named,
};
use crate::{database, settings::DataSettings};

/// Krippendorff's alpha (interval) of a study or straight of a SimpEval file.
#[derive(Debug, clap::Args)]
pub(crate) struct AgreementOf {
    #[command(flatten)]
    of: Rated,
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
        let figures = match self.of.place()? {
            Place::File(file) => of_file(self.of.read(file)?),
            Place::Study(study) => of_study(data, study, &self.of).await?,
        };
        print(json, &figures.json(), || figures.table())
    }
}

async fn of_study(data: &DataSettings, slug: &Slug, asked: &Rated) -> anyhow::Result<Figures> {
    let store = database::open(data).await?;
    let study = named(&store, slug).await?;
    let found = StudyAgreement::of(&store, study.id, &asked.dimension, asked.which()).await?;
    Ok(Figures {
        raw: found.raw,
        z: found.z,
        recomputed: None,
        corrections: Some(StudyCorrections::of(&store, study.id).await?),
        warnings: found.warnings,
    })
}

fn of_file(found: RatedFile) -> Figures {
    let warnings = warnings(&found);
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
    Figures {
        raw: agreement(&found.raw, Level::Interval),
        z,
        recomputed: from_file.then_some(recomputed),
        corrections: None,
        warnings,
    }
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
