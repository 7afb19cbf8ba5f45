//! Agreement on marked spans and marks by system, against a published example, other programs and for any marks.

use std::collections::BTreeMap;

use domain::{
    span::Span,
    span_marks::{
        SpanMark,
        taxonomy::{MarkLevel, SpanTaxonomy, SpanType},
    },
    statistics::{
        UndefinedReason,
        bootstrap::ResamplingOptions,
        spans::{
            JudgedMarks, MarkMeasure, MarkScope, SpanTable, compare_marks, is_unchanged,
            summarise_systems,
        },
    },
};
use proptest::prelude::*;
use serde_json::Value;
use testdata::golden;

use crate::shared::{assert_close, assert_within};

/// A rater, a source, an output, the texts of both, and the rater's marks.
type Judgement = (String, usize, usize, [String; 2], Vec<SpanMark>);

fn entries(judgements: &[Judgement]) -> Vec<JudgedMarks<'_, &str, usize, usize>> {
    let entries = judgements.iter();
    entries
        .map(|(rater, source, output, texts, marks)| JudgedMarks {
            rater: rater.as_str(),
            source: *source,
            output: *output,
            texts: (texts[0].as_str(), texts[1].as_str()),
            marks,
        })
        .collect()
}

fn spans(value: &Value) -> Vec<Span> {
    let places: Vec<(usize, usize)> = serde_json::from_value(value.clone()).unwrap();
    let places = places.into_iter();
    places.map(|(start, end)| Span::new(start, end)).collect()
}

/// The judgements of a golden case.
fn golden_judgements(case: &Value) -> Vec<Judgement> {
    let mut judgements = vec![];
    for (rater, judged) in case["judged"].as_object().unwrap() {
        for output in judged.as_array().unwrap() {
            let number = output.as_u64().unwrap() as usize;
            let (source, texts): (usize, [String; 2]) =
                serde_json::from_value(case["outputs"][number].clone()).unwrap();
            let marks = case["marks"].as_array().unwrap().iter();
            let own = marks.filter(|mark| mark["rater"] == *rater && mark["output"] == *output);
            let own = own.map(|mark| SpanMark {
                kind: mark["type"].as_str().unwrap().to_owned(),
                level: None,
                source: spans(&mark["source"]),
                output: spans(&mark["target"]),
            });
            judgements.push((rater.clone(), source, number, texts, own.collect()));
        }
    }
    judgements
}

fn golden_types(case: &Value) -> Vec<String> {
    serde_json::from_value(case["types"].clone()).unwrap()
}

fn scopes(types: &[String]) -> Vec<(String, MarkScope)> {
    let each = types.iter().enumerate();
    let each = each.map(|(number, name)| (name.clone(), MarkScope::Type(number)));
    std::iter::once((String::new(), MarkScope::All))
        .chain(each)
        .collect()
}

#[track_caller]
fn check_figure(
    found: Result<f64, UndefinedReason>,
    expected: &Value,
    undefined: UndefinedReason,
    name: &str,
) {
    match expected.as_f64() {
        Some(expected) => assert_close(found.unwrap(), expected, name),
        None => assert_eq!(found, Err(undefined), "{name}"),
    }
}

#[test]
fn krippendorff_2019_figure_12_11() {
    let case = &golden("spans.json")["krippendorff_2019_figure_12_11"];
    let judgements = golden_judgements(case);
    let table = SpanTable::new(&golden_types(case), entries(&judgements));
    // The book prints .510, and .413 where only boundaries count; it rounds on the way.
    let nominal = table.alpha(MarkScope::All).unwrap();
    assert_eq!(format!("{nominal:.3}"), "0.510");
    let mut without_types = judgements;
    for (_, _, _, _, marks) in &mut without_types {
        marks
            .iter_mut()
            .for_each(|mark| mark.kind = "unit".to_owned());
    }
    let binary = SpanTable::new(&["unit"], entries(&without_types)).alpha(MarkScope::All);
    assert_within(binary.unwrap(), 0.413, 0.001, "boundaries");
}

#[test]
fn coincidences_of_units_and_sets_of_characters() {
    for (name, case) in golden("spans.json").as_object().unwrap() {
        let judgements = golden_judgements(case);
        let types = golden_types(case);
        let table = SpanTable::new(&types, entries(&judgements));
        assert_eq!(table.types(), types);
        for (kind, scope) in scopes(&types) {
            let (name, expected) = (format!("{name}, {kind:?}"), &case["expected"][&kind]);
            check_figure(
                table.f1(scope),
                &expected["f1"],
                UndefinedReason::NoMark,
                &name,
            );
            let (alpha, constant) = (table.alpha(scope), UndefinedReason::Constant);
            check_figure(alpha, &expected["alpha"], constant, &name);
        }
    }
}

#[test]
fn krippendorff_alpha_on_characters() {
    let case = &golden("spans.json")["single_characters"];
    let judgements = golden_judgements(case);
    let types = golden_types(case);
    let table = SpanTable::new(&types, entries(&judgements));
    let mut defined = 0;
    for (kind, scope) in scopes(&types) {
        let expected = &case["expected"][&kind]["per_character"];
        check_figure(
            table.alpha(scope),
            expected,
            UndefinedReason::Constant,
            &kind,
        );
        defined += usize::from(expected.is_f64());
    }
    assert_eq!(defined, 4);
}

fn mark(kind: &str, level: Option<&str>, output: (usize, usize)) -> SpanMark {
    SpanMark {
        kind: kind.to_owned(),
        level: level.map(str::to_owned),
        source: vec![],
        output: vec![Span::new(output.0, output.1)],
    }
}

fn judgement(rater: &str, source: usize, output: usize, marks: Vec<SpanMark>) -> Judgement {
    let texts = ["The old ferry sank.", "The ferry sank."].map(str::to_owned);
    (rater.to_owned(), source, output, texts, marks)
}

#[test]
fn a_figure_that_the_data_do_not_give_has_a_reason() {
    let table = |judgements: &[Judgement]| SpanTable::new(&["Word", "Split"], entries(judgements));
    let one = mark("Word", None, (0, 3));
    let alone = table(&[judgement("a", 1, 1, vec![one.clone()])]);
    let silent = table(&[judgement("a", 1, 1, vec![]), judgement("b", 1, 1, vec![])]);
    let half = table(&[
        judgement("a", 1, 1, vec![one]),
        judgement("b", 1, 1, vec![]),
    ]);
    assert_eq!(
        alone.f1(MarkScope::All),
        Err(UndefinedReason::NoPairableUnit)
    );
    assert_eq!(
        alone.alpha(MarkScope::All),
        Err(UndefinedReason::NoPairableUnit)
    );
    assert_eq!(silent.f1(MarkScope::All), Err(UndefinedReason::NoMark));
    assert_eq!(silent.alpha(MarkScope::All), Err(UndefinedReason::Constant));
    assert_eq!(half.f1(MarkScope::Type(0)), Ok(0.0));
    assert_eq!(half.f1(MarkScope::Type(1)), Err(UndefinedReason::NoMark));
    assert!(half.alpha(MarkScope::Type(0)).unwrap() < 0.0);
    assert_eq!((alone.pairable_outputs(), half.pairable_outputs()), (0, 1));
    let interval = half.f1_interval(MarkScope::All, ResamplingOptions::default());
    let too_few = UndefinedReason::TooFew {
        found: 1,
        needed: 2,
    };
    assert_eq!(interval, Err(too_few));
}

#[test]
fn white_space_and_bytes_do_not_count() {
    let texts = || ["x", "é a b c"].map(str::to_owned);
    let judgements = [
        (
            "a".to_owned(),
            1,
            1,
            texts(),
            vec![mark("Word", None, (0, 2))],
        ),
        (
            "b".to_owned(),
            1,
            1,
            texts(),
            vec![mark("Word", None, (0, 6))],
        ),
    ];
    let table = SpanTable::new(&["Word"], entries(&judgements));
    // é against é, a and b: a mark that ends with a space is as long as one that does not.
    assert_close(table.f1(MarkScope::All).unwrap(), 2.0 / 4.0, "f1");
}

#[test]
fn intervals_resample_sources() {
    let agreeing = |source: usize| {
        [("a", (0, 3)), ("b", (0, 3))]
            .map(|(rater, place)| judgement(rater, source, source, vec![mark("Word", None, place)]))
    };
    let partly = |source: usize| {
        [("a", (0, 3)), ("b", (0, 9))]
            .map(|(rater, place)| judgement(rater, source, source, vec![mark("Word", None, place)]))
    };
    let table = |parts: [[Judgement; 2]; 2]| SpanTable::new(&["Word"], entries(&parts.concat()));
    let options = ResamplingOptions::default();
    let scope = MarkScope::Type(0);
    let (same, mixed) = (
        table([partly(1), partly(2)]),
        table([agreeing(1), partly(2)]),
    );
    for (interval, figure) in [
        (same.f1_interval(scope, options), same.f1(scope)),
        (same.alpha_interval(scope, options), same.alpha(scope)),
    ] {
        let (interval, figure) = (interval.unwrap(), figure.unwrap());
        assert_close(interval.low, figure, "every resample is the sample");
        assert_close(interval.high, figure, "every resample is the sample");
    }
    // A quarter of the resamples is either source twice, so that these are the ends.
    let interval = mixed.alpha_interval(scope, options).unwrap();
    assert_close(
        interval.low,
        same.alpha(scope).unwrap(),
        "the worse source twice",
    );
    assert_close(interval.high, 1.0, "the better source twice");
    let interval = mixed.f1_interval(scope, options).unwrap();
    assert_close(
        interval.low,
        same.f1(scope).unwrap(),
        "the worse source twice",
    );
    assert_close(interval.high, 1.0, "the better source twice");
}

fn taxonomy() -> SpanTaxonomy {
    let kind = |name: &str| SpanType {
        name: name.to_owned(),
        ..SpanType::default()
    };
    let level = |name: &str, value: f64| MarkLevel {
        name: name.to_owned(),
        value,
        ..MarkLevel::default()
    };
    SpanTaxonomy {
        types: vec![kind("Word"), kind("Split")],
        levels: vec![
            level("correct", 1.0),
            level("semi-correct", 0.5),
            level("wrong", 0.0),
        ],
        rules: vec![],
    }
}

#[test]
fn marks_of_a_system_by_type_and_level() {
    let word = |level| mark("Word", level, (0, 3));
    let judgements = [
        judgement("a", 1, 1, vec![word(Some("correct")), word(Some("wrong"))]),
        judgement(
            "b",
            1,
            1,
            vec![word(Some("semi-correct")), mark("Split", None, (4, 9))],
        ),
        judgement("a", 2, 2, vec![word(Some("correct")), word(Some("fair"))]),
        judgement("a", 2, 3, vec![]),
    ];
    let mut judgements = judgements.to_vec();
    judgements[3].3[1] = " The old  ferry sank. ".to_owned();
    assert!(is_unchanged(&judgements[3].3[0], &judgements[3].3[1]));
    let systems = |output: &usize| match output {
        1 => vec!["T5"],
        2 => vec!["T5", "MUSS"],
        _ => vec!["MUSS"],
    };
    let found = summarise_systems(&taxonomy(), &entries(&judgements), systems);
    let [muss, t5] = &found[..] else {
        panic!("two systems: {found:?}");
    };
    assert_eq!(
        (muss.system, muss.outputs, muss.judgements, muss.unchanged),
        ("MUSS", 2, 2, 1)
    );
    assert_eq!(
        (t5.system, t5.outputs, t5.judgements, t5.unchanged),
        ("T5", 2, 3, 0)
    );
    let words = &t5.types[0];
    assert_eq!(
        (words.marks, &words.levels[..], words.without_level),
        (5, &[2, 1, 1][..], 1)
    );
    assert_eq!(words.level_share(0), Some(0.5));
    assert_close(words.mean_value.unwrap(), 2.5 / 4.0, "mean value");
    // 1 and .5 for the first output, 1 for the second, whose other mark has an unknown level.
    assert_close(
        words.sum_per_output.unwrap(),
        0.875,
        "sum of values per output",
    );
    // Two and one for the first output, two for the second.
    assert_close(words.per_output, 1.75, "marks per output");
    let split = &t5.types[1];
    assert_eq!(
        (split.marks, split.without_level, split.mean_value),
        (1, 1, None)
    );
    assert_eq!((split.level_share(0), t5.all.marks), (None, 6));
    assert_close(muss.all.per_output, 1.0, "marks per output");
}

#[test]
fn systems_are_compared_on_the_sources_that_both_have() {
    let levels = ["correct", "semi-correct", "wrong"];
    let mut judgements = vec![];
    for source in 0..8 {
        let better = vec![mark("Word", Some(levels[usize::from(source == 0)]), (0, 3))];
        let worse = vec![mark("Word", Some(levels[1 + source % 2]), (0, 3)); 1 + source];
        judgements.push(judgement("a", source, 2 * source, better));
        judgements.push(judgement("a", source, 2 * source + 1, worse));
    }
    judgements.push(judgement("a", 9, 18, vec![]));
    judgements.push(judgement("a", 9, 19, vec![]));
    let system = |output: &usize| vec![output % 2];
    let compare = |measure, scope| {
        let pairs = compare_marks(&taxonomy(), &entries(&judgements), system, scope, measure);
        pairs.first().map(|pair| pair.of)
    };
    let value = compare(MarkMeasure::MeanValue, MarkScope::All).unwrap();
    assert_eq!(value.sources, 8, "a source without marks has no value");
    assert_close(value.difference, (7.5 - 2.0) / 8.0, "difference");
    let count = compare(MarkMeasure::Count, MarkScope::Type(0)).unwrap();
    assert_eq!(count.sources, 9, "a source without marks has none");
    assert_close(count.difference, -28.0 / 9.0, "difference");
    assert!(count.wilcoxon.unwrap().p < 0.05);
    let none = compare(MarkMeasure::MeanValue, MarkScope::Type(1));
    assert_eq!(none.map(|pair| pair.sources), None);
}

/// Up to four raters on up to five outputs of three sources, with marks of two types in both texts.
fn judgements() -> impl Strategy<Value = Vec<Judgement>> {
    let texts = ["Zoë’s old café sank.", "Zoë left."].map(str::to_owned);
    let places = texts.clone().map(|text| {
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        places
    });
    let mark = (0..2_usize, 0..2_usize, 0..60_usize, 0..60_usize).prop_map(
        move |(kind, side, from, to)| {
            let places = &places[side];
            let mut ends = [from, to].map(|place| places[place % places.len()]);
            ends.sort_unstable();
            let span = vec![Span::new(ends[0], ends[1])];
            let (source, output) = if side == 0 {
                (span, vec![])
            } else {
                (vec![], span)
            };
            SpanMark {
                kind: ["Word", "Split"][kind].to_owned(),
                level: None,
                source,
                output,
            }
        },
    );
    let marks = prop::collection::vec(mark, 0..4);
    let cells = prop::collection::btree_map((0..4_usize, 0..5_usize), marks, 0..20);
    cells.prop_map(move |cells: BTreeMap<_, _>| {
        let judgement = |((rater, output), marks): ((usize, usize), _)| {
            (
                format!("rater {rater}"),
                output % 3,
                output,
                texts.clone(),
                marks,
            )
        };
        cells.into_iter().map(judgement).collect()
    })
}

#[track_caller]
fn assert_same(found: &SpanTable, expected: &SpanTable) {
    for scope in [MarkScope::All, MarkScope::Type(0), MarkScope::Type(1)] {
        for (found, expected) in [
            (found.f1(scope), expected.f1(scope)),
            (found.alpha(scope), expected.alpha(scope)),
        ] {
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_close(found, expected, "figure"),
                _ => assert_eq!(found, expected),
            }
        }
    }
}

proptest! {
    #[test]
    fn figures_have_their_ranges(judgements in judgements()) {
        let table = SpanTable::new(&["Word", "Split"], entries(&judgements));
        for scope in [MarkScope::All, MarkScope::Type(0), MarkScope::Type(1)] {
            if let Ok(f1) = table.f1(scope) {
                prop_assert!((0.0..=1.0).contains(&f1), "{}", f1);
            }
            if let Ok(alpha) = table.alpha(scope) {
                prop_assert!(alpha.is_finite() && alpha <= 1.0 + 1e-12, "{}", alpha);
            }
        }
    }

    #[test]
    fn raters_who_mark_the_same_agree_fully(mut judgements in judgements()) {
        judgements.retain(|one| one.0 == "rater 0");
        let mut twins = judgements.clone();
        twins.iter_mut().for_each(|one| one.0 = "another rater".to_owned());
        judgements.extend(twins);
        let table = SpanTable::new(&["Word", "Split"], entries(&judgements));
        for scope in [MarkScope::All, MarkScope::Type(0), MarkScope::Type(1)] {
            prop_assert!(table.f1(scope).is_ok_and(|f1| f1 == 1.0) || table.f1(scope).is_err());
            let alpha = table.alpha(scope);
            prop_assert!(alpha.is_ok_and(|alpha| alpha == 1.0) || alpha.is_err());
            let is_marked = table.f1(scope).is_ok();
            prop_assert!(is_marked || table.alpha(scope).is_err());
        }
    }

    #[test]
    fn neither_the_order_nor_the_names_of_raters_matter(judgements in judgements(), turn in 1..4_usize) {
        let expected = SpanTable::new(&["Word", "Split"], entries(&judgements));
        let mut turned = judgements;
        for one in &mut turned {
            let number: usize = one.0["rater ".len()..].parse().unwrap();
            one.0 = format!("rater {}", (number + turn) % 4);
        }
        turned.reverse();
        assert_same(&SpanTable::new(&["Word", "Split"], entries(&turned)), &expected);
    }

    #[test]
    fn the_names_of_types_do_not_matter(judgements in judgements()) {
        let expected = SpanTable::new(&["Word", "Split"], entries(&judgements));
        let mut renamed = judgements;
        for mark in renamed.iter_mut().flat_map(|one| &mut one.4) {
            mark.kind = if mark.kind == "Word" { "Z" } else { "A" }.to_owned();
        }
        assert_same(&SpanTable::new(&["Z", "A"], entries(&renamed)), &expected);
    }
}
