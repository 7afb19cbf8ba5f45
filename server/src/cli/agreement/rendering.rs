//! Agreement as a table and as JSON.

use domain::{
    edit::{EditKind, corrections::CorrectionCounts},
    statistics::{UndefinedReason, bootstrap::BootstrapInterval},
    study::Dimension,
};
use serde_json::{Map, Value, json};
use service::live::StudyCorrections;

use super::{AgreementEstimate, AgreementPart, AgreementReport};

impl AgreementReport {
    pub(super) fn json(&self) -> Value {
        let of = &self.all.raw.agreement;
        let mut all = json!({
            "dimension": self.dimension,
            "level": of.level.name(),
            "raw": estimate_json(&self.all.raw),
            "z": estimate_json(&self.all.z),
            "raters": of.raters,
            "units": of.units,
            "pairable_units": of.pairable_units,
            "warnings": self.warnings,
        });
        if let Some(recomputed) = &self.recomputed {
            all["z_recomputed"] = alpha_json(recomputed.alpha);
        }
        if !self.parts.is_empty() {
            let parts = self
                .parts
                .iter()
                .map(|part| (part.name.clone(), part_json(part)));
            all["parts"] = Value::Object(parts.collect::<Map<_, _>>());
        }
        if let Some(mean) = &self.mean {
            all["mean"] = json!({ "raw": alpha_json(mean.raw), "z": alpha_json(mean.z) });
        }
        if let Some(found) = &self.corrections {
            all["corrections"] = corrections_json(found);
        }
        all
    }

    pub(super) fn table(&self) -> String {
        let of = &self.all.raw.agreement;
        let mut text = String::new();
        let mut line = |name: &str, value: String| text += &format!("{name:<32}{value}\n");
        let Dimension { name, scale } = &self.dimension;
        line("dimension", format!("{name}, from {scale}"));
        line("alpha, raw ratings", format_estimate(&self.all.raw));
        line("alpha, z-scores", format_estimate(&self.all.z));
        if let Some(recomputed) = &self.recomputed {
            line(
                "alpha, z-scores computed anew",
                format_alpha(recomputed.alpha),
            );
        }
        for (name, count) in [
            ("raters", of.raters),
            ("units (outputs)", of.units),
            ("units with two ratings or more", of.pairable_units),
        ] {
            line(name, count.to_string());
        }
        for part in &self.parts {
            line(&format!("{}, raw", part.name), format_estimate(&part.raw));
            line(&format!("{}, z", part.name), format_estimate(&part.z));
        }
        if let Some(mean) = &self.mean {
            line("mean over dimensions, raw", format_alpha(mean.raw));
            line("mean over dimensions, z", format_alpha(mean.z));
        }
        if let Some(found) = self.corrections.as_ref().filter(|it| it.outputs > 0) {
            let (outputs, corrected) = (found.outputs, found.corrected);
            text += &format!(
                "{:<32}{corrected} of {outputs}\n",
                "outputs with corrected edits"
            );
            for kind in EditKind::ALL {
                let name = format!("correction rate, {}", kind.title().to_lowercase());
                let rate = match found.by_kind.of_kind(kind).correction_rate() {
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

fn part_json(part: &AgreementPart) -> Value {
    let of = &part.raw.agreement;
    json!({
        "raw": estimate_json(&part.raw),
        "z": estimate_json(&part.z),
        "units": of.units,
        "pairable_units": of.pairable_units,
    })
}

fn estimate_json(of: &AgreementEstimate) -> Value {
    let mut value = alpha_json(of.agreement.alpha);
    match of.interval {
        Some(Ok(BootstrapInterval {
            low,
            high,
            confidence,
            replicates,
            undefined,
        })) => {
            value["interval"] = json!({
                "low": low,
                "high": high,
                "confidence": confidence,
                "replicates": replicates,
                "undefined": undefined,
            });
        }
        Some(Err(reason)) => value["interval"] = json!({ "undefined": reason.to_string() }),
        None => {}
    }
    value
}

fn alpha_json(of: Result<f64, UndefinedReason>) -> Value {
    match of {
        Ok(alpha) => json!({ "alpha": alpha }),
        Err(reason) => json!({ "alpha": null, "undefined": reason.to_string() }),
    }
}

fn format_estimate(of: &AgreementEstimate) -> String {
    let alpha = format_alpha(of.agreement.alpha);
    match of.interval {
        Some(Ok(BootstrapInterval { low, high, .. })) => format!("{alpha}  [{low:.4}, {high:.4}]"),
        _ => alpha,
    }
}

fn format_alpha(of: Result<f64, UndefinedReason>) -> String {
    match of {
        Ok(alpha) => format!("{alpha:.4}"),
        Err(reason) => format!("undefined: {reason}"),
    }
}

fn corrections_json(of: &StudyCorrections) -> Value {
    let mut all = json!({
        "outputs": of.outputs,
        "corrected": of.corrected,
        "aligner": of.versions,
    });
    for kind in EditKind::ALL {
        let counts = of.by_kind.of_kind(kind);
        let CorrectionCounts {
            unchanged: stood,
            changed,
            removed: taken_away,
            added,
        } = counts;
        let mut row = json!({
            "automatic": counts.automatic(),
            "stood": stood,
            "changed": changed,
            "taken_away": taken_away,
            "added": added,
            "rate": counts.correction_rate().ok(),
        });
        if let Err(reason) = counts.correction_rate() {
            row["undefined"] = json!(reason.to_string());
        }
        all[kind.title().to_lowercase()] = row;
    }
    all
}
