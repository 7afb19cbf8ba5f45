//! What people should know of the kinds that the systems of a file got.

use crate::import::{SystemKindOrigin, SystemSummary};
use domain::study::SystemKind;

/// Which kinds were guessed, and which systems stay what they were.
pub(super) fn notes(settled: &[SystemSummary]) -> Vec<String> {
    let guessed = |kind: SystemKind| {
        let of_kind =
            move |it: &&SystemSummary| it.from == SystemKindOrigin::Guess && it.kind == kind;
        let names = settled.iter().filter(of_kind).map(|it| it.name.as_str());
        names.collect::<Vec<_>>()
    };
    let mut parts: Vec<_> = [SystemKind::Human, SystemKind::Baseline]
        .into_iter()
        .map(|kind| (kind, guessed(kind)))
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{kind}: {}", names.join(", ")))
        .collect();
    match guessed(SystemKind::Machine)[..] {
        [] => {}
        [name] => parts.push(format!("machine: {name}")),
        ref names => parts.push(format!("machine: {} systems", names.len())),
    }
    let mut notes = vec![];
    if !parts.is_empty() {
        notes.push(format!(
            "The kinds of new systems were guessed from their names ({}). Change them on the page \
             Systems, or with “rankrate system”.",
            parts.join("; ")
        ));
    }
    let kept = settled.iter().filter(|it| it.contradicted);
    let kept: Vec<_> = kept
        .map(|it| format!("{} ({})", it.name, it.kind))
        .collect();
    if !kept.is_empty() {
        notes.push(format!(
            "These systems were in the study before and stay what they are: {}.",
            kept.join(", ")
        ));
    }
    notes
}
