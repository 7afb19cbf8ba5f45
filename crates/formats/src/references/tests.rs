//! How sources find their references.

use super::*;

fn references(lines: &[(&str, &str)]) -> SourceReferences {
    let mut references = SourceReferences::default();
    for (line, (source, reference)) in (1..).zip(lines) {
        references.add(line, source, vec![(*reference).to_owned()]);
    }
    references
}

#[test]
fn a_tokenised_source_finds_its_references_and_others_are_reported() {
    let references = references(&[
        ("The ferry (a small one) sank.", "A ferry sank."),
        ("The mill burned down in 1902.", "The mill burned."),
        ("Nobody knows why.", "Why?"),
    ]);
    let sources = [
        "the ferry -LRB- a small one -RRB- sank .",
        "The mill burned down in 1903.",
        "A sentence about something else.",
        "nobody  knows why.",
    ];
    assert_eq!(references.references_for(sources[0]), ["A ferry sank."]);
    let report = references.report(&sources);
    assert_eq!(
        (report.sources, report.exact, report.normalised),
        (4, 1, 1),
        "{report:?}"
    );
    let without: Vec<_> = report.unmatched.iter().map(|source| source.index).collect();
    assert_eq!(without, [1, 2]);
    let nearest = report.unmatched[0]
        .nearest
        .as_ref()
        .expect("one digit apart");
    assert_eq!(nearest.line, 2);
    assert!((0.9..1.0).contains(&nearest.similarity), "{nearest:?}");
    assert_eq!(report.unmatched[1].nearest, None);
    assert_eq!(report.unused.len(), 1);
}

#[test]
fn accepted_texts_count_and_a_text_is_offered_once() {
    let mut references = references(&[("The mill burned down in 1902.", "The mill burned.")]);
    let sources = [
        "The mill burned down in 1903, they say.",
        "The mill burned down in 1903.",
    ];
    let report = references.report(&sources);
    let offered: Vec<_> = report
        .unmatched
        .iter()
        .map(|source| &source.nearest)
        .collect();
    assert!(offered[0].is_none() && offered[1].is_some(), "{offered:?}");
    assert_eq!(references.accept_similar(&sources, 0.999), 0);
    assert_eq!(references.accept_similar(&sources, 0.9), 1);
    assert_eq!(references.references_for(sources[1]), ["The mill burned."]);
    assert!(references.references_for(sources[0]).is_empty());
    let report = references.report(&sources);
    assert_eq!((report.accepted, report.unmatched.len()), (1, 1));
    assert!(!references.accept(sources[0], 7));
}

#[test]
fn neither_of_two_texts_that_fit_alike_is_taken() {
    let references = references(&[
        ("He said 'no'.", "He refused."),
        ("He said \"no\" .", "No, he said."),
    ]);
    assert!(references.references_for("He said “no”.").is_empty());
    // The same letters decide.
    assert_eq!(references.references_for("he said 'NO'."), ["He refused."]);
}
