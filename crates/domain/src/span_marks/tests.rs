use super::{
    taxonomy::{BadTaxonomy, MarkLevel, SpanType},
    *,
};
use crate::text::{align::align, edits::derive_edits, tokenised_text::TokenisedText};

fn marked(name: &str, sides: MarkedSides, prefill: &[EditForm]) -> SpanType {
    SpanType {
        name: name.to_owned(),
        sides,
        description: String::new(),
        prefill: prefill.to_vec(),
    }
}

fn level(name: &str, value: f64) -> MarkLevel {
    MarkLevel {
        name: name.to_owned(),
        value,
        description: String::new(),
    }
}

fn taxonomy() -> SpanTaxonomy {
    SpanTaxonomy {
        types: vec![
            marked("Word", MarkedSides::Both, &[EditForm::Word]),
            marked("Phrase", MarkedSides::Both, &[EditForm::Phrase]),
            marked("Split", MarkedSides::Output, &[EditForm::Split]),
            marked("Removal", MarkedSides::Source, &[EditForm::Deletion]),
            marked("Addition", MarkedSides::Output, &[EditForm::Insertion]),
        ],
        levels: vec![level("correct", 1.0), level("wrong", 0.0)],
        rules: vec![],
    }
}

fn mark(kind: &str, source: &[(usize, usize)], output: &[(usize, usize)]) -> SpanMark {
    let spans = |places: &[(usize, usize)]| {
        let spans = places.iter().map(|(start, end)| Span::new(*start, *end));
        spans.collect()
    };
    SpanMark {
        kind: kind.to_owned(),
        level: None,
        source: spans(source),
        output: spans(output),
    }
}

#[test]
fn a_taxonomy_with_a_fault_is_refused_with_the_fault() {
    assert_eq!(taxonomy().check(), Ok(()));
    let with = |change: &dyn Fn(&mut SpanTaxonomy)| {
        let mut taxonomy = taxonomy();
        change(&mut taxonomy);
        taxonomy.check().expect_err("a fault")
    };
    assert_eq!(with(&|it| it.types.clear()), BadTaxonomy::NoTypes);
    assert_eq!(
        with(&|it| it.types[1].name = "Word".to_owned()),
        BadTaxonomy::Twice("Word".to_owned())
    );
    for name in ["", " Word", "a\nb", &"x".repeat(61)] {
        assert_eq!(
            with(&|it| it.levels[0].name = name.to_owned()),
            BadTaxonomy::Name(name.to_owned())
        );
    }
    assert_eq!(
        with(&|it| it.levels = vec![level("a", 0.0); 10]),
        BadTaxonomy::TooMany("levels", 9)
    );
    assert_eq!(
        with(&|it| it.levels[1].value = f64::NAN),
        BadTaxonomy::Value("wrong".to_owned())
    );
    assert_eq!(
        with(&|it| it.types[3].prefill = vec![EditForm::Insertion]),
        BadTaxonomy::Prefill("Removal".to_owned(), EditForm::Insertion)
    );
    assert_eq!(
        with(&|it| it.types[1].prefill = vec![EditForm::Word]),
        BadTaxonomy::PrefilledTwice(EditForm::Word)
    );
}

#[test]
fn marks_that_do_not_fit_their_texts_are_refused_with_their_number() {
    let (source, output) = ("The old ferry sank.", "The ferry é sank.");
    let check = |marks: &[SpanMark]| validate_marks(marks, source, output);
    let fine = mark("Word", &[(4, 7)], &[(4, 9)]);
    for kept in [
        fine.clone(),
        mark("Word", &[(4, 7)], &[]),
        mark("Moved", &[(0, 3)], &[]),
    ] {
        assert_eq!(
            check(&[fine.clone(), kept]),
            Ok(()),
            "marks may overlap, and lack something"
        );
    }
    for (bad, fault) in [
        (mark("Word", &[], &[]), BadMark::Empty(2)),
        (mark("Word", &[], &[(11, 12)]), BadMark::Outside(2)),
        (mark("Word", &[], &[(4, 4)]), BadMark::Outside(2)),
        (mark("Word", &[(0, 99)], &[]), BadMark::Outside(2)),
        (mark("Word", &[(4, 7), (0, 3)], &[]), BadMark::Stretches(2)),
        (mark(&"x".repeat(61), &[(4, 7)], &[]), BadMark::Name(2)),
    ] {
        assert_eq!(check(&[fine.clone(), bad]), Err(fault));
    }
    assert_eq!(
        check(&vec![fine; MOST_MARKS + 1]),
        Err(BadMark::TooMany(MOST_MARKS + 1))
    );
}

#[test]
fn a_mark_tells_what_it_still_needs() {
    let taxonomy = taxonomy();
    let with_level = |mut mark: SpanMark, level: &str| {
        mark.level = Some(level.to_owned());
        mark.gap(&taxonomy)
    };
    let word = || mark("Word", &[(0, 3)], &[(0, 3)]);
    for (mark, gap) in [
        (mark("Word", &[], &[(0, 3)]), MarkGap::Source),
        (mark("Word", &[(0, 3)], &[]), MarkGap::Output),
        (mark("Removal", &[(0, 3)], &[]), MarkGap::Level),
        (word(), MarkGap::Level),
        (mark("Moved", &[(0, 3)], &[]), MarkGap::Type),
    ] {
        assert_eq!(mark.gap(&taxonomy), Some(gap), "{mark:?}");
    }
    assert_eq!(with_level(word(), "correct"), None);
    assert_eq!(
        with_level(word(), "fair"),
        Some(MarkGap::Level),
        "no longer a level"
    );
}

#[test]
fn a_mark_becomes_one_of_another_type_with_the_words_that_this_has() {
    let taxonomy = taxonomy();
    let become_one_of = |mut mark: SpanMark, name: &str| {
        let kind = taxonomy.find_type(name).expect("a type");
        mark.can_become(kind).then(|| {
            mark.retype(kind);
            mark
        })
    };
    let word = || mark("Word", &[(4, 7)], &[(4, 9)]);
    assert_eq!(
        become_one_of(word(), "Phrase"),
        Some(mark("Phrase", &[(4, 7)], &[(4, 9)]))
    );
    assert_eq!(
        become_one_of(word(), "Removal"),
        Some(mark("Removal", &[(4, 7)], &[]))
    );
    assert_eq!(
        become_one_of(word(), "Addition"),
        Some(mark("Addition", &[], &[(4, 9)]))
    );
    let addition = mark("Addition", &[], &[(4, 9)]);
    assert_eq!(
        become_one_of(addition.clone(), "Word").map(|mark| mark.gap(&taxonomy)),
        Some(Some(MarkGap::Source))
    );
    assert_eq!(become_one_of(addition, "Removal"), None);
    assert_eq!(become_one_of(mark("Removal", &[(4, 7)], &[]), "Word"), None);
}

#[test]
fn automatic_edits_become_marks_of_the_types_that_take_them() {
    let (source, output) = (
        "The old ferry, which carried timber, was withdrawn from service after a check.",
        "The ferry was retired after a check. It carried wood.",
    );
    let texts = [source, output].map(TokenisedText::new);
    let edits = derive_edits(&texts[0], &texts[1], &align(&texts[0], &texts[1]));
    let mut edits = edits;
    for edit in &mut edits {
        edit.confidence = Some(0.9);
    }
    let taxonomy = taxonomy();
    let marks = prefill_marks(&taxonomy, &edits, source, output);
    assert_eq!(validate_marks(&marks, source, output), Ok(()));
    let kinds: Vec<_> = marks.iter().map(|mark| mark.kind.as_str()).collect();
    assert!(
        kinds.contains(&"Removal") && kinds.contains(&"Split"),
        "{marks:?}"
    );
    assert!(
        kinds.iter().any(|kind| ["Word", "Phrase"].contains(kind)),
        "{marks:?}"
    );
    assert!(marks.iter().all(|mark| mark.level.is_none()));
    // Two commas were left out as well, which nobody has to judge.
    let words = |mark: &SpanMark| {
        mark.source
            .iter()
            .any(|span| span.slice(source) != Some(","))
    };
    let removals = marks.iter().filter(|mark| mark.kind == "Removal");
    assert!(
        removals.clone().count() > 0 && removals.into_iter().all(words),
        "{marks:?}"
    );
    let without = SpanTaxonomy {
        types: vec![marked("Removal", MarkedSides::Source, &[])],
        ..taxonomy
    };
    assert_eq!(prefill_marks(&without, &edits, source, output), []);
}
