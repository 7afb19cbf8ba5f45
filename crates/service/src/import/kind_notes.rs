//! Notes on the kinds of a file's systems.

use domain::study::SystemKind;

use super::{SystemKindOrigin, SystemSummary};

/// Sentences on the kinds that were guessed, and on the systems that keep the kind they had.
pub(super) fn kind_notes(systems: &[SystemSummary]) -> Vec<String> {
    let guessed = |kind: SystemKind| {
        let is_guessed = move |system: &&SystemSummary| {
            system.from == SystemKindOrigin::Guess && system.kind == kind
        };
        let names = systems.iter().filter(is_guessed);
        names.map(|system| system.name.as_str()).collect::<Vec<_>>()
    };

    let mut parts: Vec<_> = [SystemKind::Human, SystemKind::Baseline]
        .into_iter()
        .map(|kind| (kind, guessed(kind)))
        .filter(|(_, names)| !names.is_empty())
        .map(|(kind, names)| format!("{kind}: {}", names.join(", ")))
        .collect();

    // There may be dozens of machines, so they are only counted.
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

    let kept = systems.iter().filter(|system| system.contradicted);
    let kept: Vec<_> = kept
        .map(|system| format!("{} ({})", system.name, system.kind))
        .collect();
    if !kept.is_empty() {
        notes.push(format!(
            "These systems were in the study before and stay what they are: {}.",
            kept.join(", ")
        ));
    }
    notes
}
