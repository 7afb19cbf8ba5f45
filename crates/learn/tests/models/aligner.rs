//! The aligner's grades on alignments made by people, on any text, and in training.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use domain::{
    edit::validate::validate,
    text::{
        align::{
            AlignerGrade,
            evaluate::{AlignmentEvaluation, AlignmentTally},
            gold::GoldPair,
            grid::AlignmentStyle,
            pharaoh,
        },
        edits::derive_edits,
        tokenised_text::TokenisedText,
    },
};
use learn::aligner::{Aligner, AlignerModel, AlignerNetworkSize, AlignerTrainingOptions, train};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use testdata::needs_released_data;

/// The gold pairs of a MultiMWA file.
fn gold(name: &str) -> Vec<GoldPair> {
    let text = testdata::released_text(&format!("multimwa/{name}"));
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| GoldPair::parse(line).expect("a gold pair"))
        .collect()
}

fn evaluation(aligner: &Aligner, pairs: &[GoldPair], style: AlignmentStyle) -> AlignmentEvaluation {
    let texts: Vec<_> = pairs.iter().map(GoldPair::texts).collect();
    let texts: Vec<_> = texts
        .iter()
        .map(|(source, output)| (source, output))
        .collect();
    let alignments = aligner.align(&texts, style).expect("aligned");
    let mut tally = AlignmentTally::default();
    for (pair, found) in pairs.iter().zip(alignments) {
        tally.add(pair, &pharaoh::link_set(&found.links), &pair.all_links());
    }
    tally.evaluation()
}

#[track_caller]
fn at_least(least: f64, value: f64, what: &str) {
    assert!(value >= least, "{what}: {value:.4} is less than {least}");
}

#[needs_released_data("multimwa")]
#[test]
fn without_an_encoder_the_development_sets_are_aligned_well() {
    let (mtref, wiki) = (gold("mtref-dev.tsv"), gold("wiki-dev.tsv"));
    let aligner = Aligner::grid();
    at_least(
        0.82,
        evaluation(&aligner, &mtref, AlignmentStyle::Phrasal).f1,
        "MTRef",
    );
    at_least(
        0.976,
        evaluation(&aligner, &wiki, AlignmentStyle::Word).f1,
        "Wiki",
    );
}

#[needs_released_data("multimwa")]
#[test]
fn with_the_encoder_the_development_sets_are_aligned_better() {
    let (mtref, wiki) = (gold("mtref-dev.tsv"), gold("wiki-dev.tsv"));
    let Some(encoder) = crate::available::encoder() else {
        return;
    };
    let aligner = Aligner::with_encoder(encoder).expect("the default encoder");
    at_least(
        0.885,
        evaluation(&aligner, &mtref, AlignmentStyle::Phrasal).f1,
        "MTRef",
    );
    let wiki = evaluation(&aligner, &wiki, AlignmentStyle::Word);
    at_least(0.978, wiki.f1, "Wiki");
    at_least(0.58, wiki.non_identical_f1, "Wiki, differing words");
    at_least(0.94, wiki.edits_f1, "Wiki, edits");
}

/// Pairs of our own writing, with their links.
fn own_pairs() -> Vec<GoldPair> {
    [
        ("the old boat sank", "the boat sank", "0-0 2-1 3-2"),
        ("a large ship left", "a big ship left", "0-0 1-1 2-2 3-3"),
        ("in May they met", "they met in May", "0-2 1-3 2-0 3-1"),
        ("he purchased bread", "he bought bread", "0-0 1-1 2-2"),
    ]
    .map(|(source, output, links)| {
        GoldPair::parse(&format!("0\t{source}\tN/A\t{output}\tN/A\t1\t1\t{links}\t")).expect("own")
    })
    .to_vec()
}

fn trained(seed: u64) -> AlignerModel {
    let untrained = Aligner::untrained(None);
    let examples = untrained
        .examples(&own_pairs(), AlignmentStyle::Word)
        .expect("no encoder");
    let training = AlignerTrainingOptions {
        size: AlignerNetworkSize {
            features: 0,
            entry: 8,
            hidden: 8,
            blocks: 1,
            groups: 2,
        },
        epochs: 60,
        batch: 2,
        learning_rate: 1e-2,
        seed,
        encoder: None,
    };
    train(&examples, &training, |_| true)
}

#[test]
fn a_network_learns_what_it_is_shown_and_comes_back_from_its_file() {
    let network = trained(1);
    let file = network.write();
    assert!(trained(1).write() == file, "the same seed, the same file");
    assert!(trained(2).write() != file, "another seed, another file");
    let aligner =
        Aligner::new(AlignerModel::read(&file).expect("its own file"), None).expect("a grid");
    let result = evaluation(&aligner, &own_pairs(), AlignmentStyle::Word);
    assert!(result.exact > 0.99, "{result:?}");
}

#[test]
fn a_training_is_not_disturbed_by_networks_that_are_read_meanwhile() {
    let file = trained(1).write();
    let finished = AtomicBool::new(false);
    let beside_readers = thread::scope(|scope| {
        scope.spawn(|| {
            while !finished.load(Ordering::Relaxed) {
                AlignerModel::read(&file).expect("its own file");
            }
        });
        let network = trained(1);
        finished.store(true, Ordering::Relaxed);
        network.write()
    });
    assert!(beside_readers == file, "the same seed, the same file");
}

#[test]
fn a_damaged_network_is_refused_with_the_reason() {
    let file = trained(1).write();
    for damaged in [
        &b""[..],
        b"no weights",
        &file[..file.len() / 2],
        &file[..file.len() - 1],
    ] {
        assert!(AlignerModel::read(damaged).is_err());
    }
    let renamed =
        String::from_utf8_lossy(&file[..200]).replace("rankrate-aligner", "rankrate-somebody");
    let other = [renamed.as_bytes(), &file[201..]].concat();
    assert!(AlignerModel::read(&other).is_err());
}

#[test]
fn a_network_of_another_encoder_is_refused() {
    let Some(encoder) = crate::available::encoder() else {
        return;
    };
    let error = Aligner::new(trained(1), Some(encoder)).expect_err("it knows no encoder");
    assert!(
        error.to_string().contains("trained with no encoder"),
        "{error}"
    );
}

#[test]
fn texts_too_long_for_a_picture_get_the_string_grade_in_windows() {
    let text: String = (0..10_000).map(|number| format!("word{number} ")).collect();
    let (source, output) = (TokenisedText::new(&text), TokenisedText::new(&text[6..]));
    let alignments = Aligner::grid()
        .align(&[(&source, &output)], AlignmentStyle::Word)
        .expect("strings");
    assert!(alignments[0].banded && alignments[0].grade == AlignerGrade::String);
    assert!(alignments[0].links.len() > 9_500);
}

/// Pairs of texts that break careless programs, the same each time: line breaks, lists, white space
/// without width, marks that combine, emoji, right-to-left, long words, no spaces, nothing.
fn hostile_pairs() -> Vec<(String, String)> {
    let long = "ab".repeat(150);
    let pieces = [
        "the",
        "boat",
        "sank",
        "old",
        "It",
        "Mr.",
        "£5000.",
        ".",
        ",",
        ";",
        ":",
        "\"",
        "-",
        " ",
        " ",
        " ",
        " ",
        " ",
        "\t",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "\n- ",
        "\n2. ",
        "\u{a0}",
        "\u{2028}",
        "\u{200b}",
        "\u{200d}",
        "\u{ad}",
        "\u{301}",
        "👩\u{200d}👩\u{200d}👧",
        "שלום",
        "\u{202e}",
        "مرحبا؟",
        "他走了。",
        "İ",
        "\u{0}",
        &long,
    ];
    let pieces: Vec<String> = pieces.map(str::to_owned).to_vec();
    let piece = prop::sample::select(pieces);
    let text = prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat());
    let pairs = prop::collection::vec((text.clone(), text), 60);
    let mut runner = TestRunner::deterministic();
    let mut pairs = pairs.new_tree(&mut runner).expect("pairs").current();
    pairs.push((
        "Winners get money.".to_owned(),
        "Winners get:\n- a medal\n- some money".to_owned(),
    ));
    pairs
}

/// Edits that this aligner makes can be corrected: they pass what people's answers pass.
fn edits_are_valid(aligner: &Aligner) {
    let texts = hostile_pairs();
    let tokenised: Vec<_> = texts
        .iter()
        .map(|(source, output)| (TokenisedText::new(source), TokenisedText::new(output)))
        .collect();
    let pairs: Vec<_> = tokenised.iter().map(|(from, to)| (from, to)).collect();
    let alignments = aligner
        .align(&pairs, AlignmentStyle::Word)
        .expect("aligned");
    let mut edit_count = 0;
    for (((source, output), (from, to)), alignment) in texts.iter().zip(&tokenised).zip(&alignments)
    {
        let edits = derive_edits(from, to, alignment);
        assert_eq!(
            validate(&edits, source, output),
            Ok(()),
            "{source:?} {output:?}"
        );
        edit_count += edits.len();
    }
    assert!(edit_count > 150, "{edit_count} edits");
}

#[test]
fn edits_of_hostile_texts_are_valid_by_strings_and_by_the_grid() {
    edits_are_valid(&Aligner::strings());
    edits_are_valid(&Aligner::grid());
}

#[test]
fn edits_of_hostile_texts_are_valid_with_the_encoder() {
    let Some(encoder) = crate::available::encoder() else {
        return;
    };
    edits_are_valid(&Aligner::with_encoder(encoder).expect("the default encoder"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_texts_are_aligned_and_mirrored(
        source in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,9}|\\PC{0,40}",
        output in "([a-d]{1,3}|[,.;é])( ([a-d]{1,3}|[,.;])){0,9}|\\PC{0,40}",
    ) {
        let (from, to) = (TokenisedText::new(&source), TokenisedText::new(&output));
        let alignments = Aligner::grid().align(&[(&from, &to), (&to, &from)], AlignmentStyle::Word);
        let alignments = alignments.expect("no encoder");
        for link in &alignments[0].links {
            prop_assert!(link.source < from.len() && link.output < to.len());
            prop_assert!((0.0..=1.0).contains(&link.confidence));
        }
        let links = pharaoh::link_set(&alignments[0].links);
        prop_assert_eq!(pharaoh::link_set(&alignments[1].clone().mirrored().links), links);
    }
}
