//! Plain text, one sentence a line.

use formats::{FatalReadError, OpenedFile, SimplificationUse, TextFile, open_texts};
use testdata::needs_released_data;

use crate::{ReadOutcome, outcome, released};

fn texts<'r>(
    files: &[(&str, &'r str)],
    simp: SimplificationUse,
) -> Result<OpenedFile<'r>, FatalReadError> {
    let file = |(name, text): &(&str, &'r str)| TextFile {
        name: (*name).to_owned(),
        input: text.as_bytes().into(),
    };
    open_texts(files.iter().map(file).collect(), simp)
}

const ORIG: (&str, &str) = ("folder/news.orig", "A b.\r\nC d.");
const SIMP_0: (&str, &str) = ("news.simp.0", "A.\nC.\n");
const SIMP_1: (&str, &str) = ("news.simp.1", "B.\n\n");

#[test]
fn systems_are_outputs_and_human_simplifications_references() {
    let system = ("short.txt", "a\n\n");
    let all = outcome(texts(
        &[SIMP_0, system, ORIG, SIMP_1],
        SimplificationUse::References,
    ));
    let actual: Vec<_> = all
        .rows
        .iter()
        .map(|row| (row.line, row.source.key.as_deref().unwrap()))
        .collect();
    assert_eq!(actual, [(1, "0"), (2, "1")]);
    assert_eq!(all.rows[0].source.text, "A b.");
    assert_eq!(all.rows[0].source.references, ["A.", "B."]);
    assert_eq!(all.rows[1].source.references, ["C."]);

    let output = all.rows[1].output.as_ref().unwrap();
    assert_eq!(
        (output.text.as_str(), output.system.as_deref()),
        ("", Some("short"))
    );
}

#[test]
fn human_simplifications_may_be_judged_themselves() {
    let all = outcome(texts(&[ORIG, SIMP_0, SIMP_1], SimplificationUse::Outputs));
    let systems: Vec<_> = all
        .rows
        .iter()
        .map(|row| row.output.as_ref().unwrap().system.as_deref())
        .collect();
    assert_eq!(
        systems,
        [
            Some("simp.0"),
            Some("simp.1"),
            Some("simp.0"),
            Some("simp.1")
        ]
    );
}

#[test]
fn without_systems_there_are_sources_with_references() {
    let all = outcome(texts(&[ORIG, SIMP_0], SimplificationUse::References));
    assert!(
        all.rows
            .iter()
            .all(|row| row.output.is_none() && row.source.references.len() == 1)
    );
    assert_eq!(all.rows.len(), 2);
}

#[test]
fn texts_that_do_not_belong_together_are_refused() {
    let cases: [(&[(&str, &str)], &str); 6] = [
        (
            &[],
            "expected one file of sources, NAME.orig, among the texts; found nothing; add it or name it so",
        ),
        (
            &[ORIG, ("b.orig", "x")],
            "expected one file of sources, NAME.orig, among the texts; found news.orig, b.orig; add it or name it so",
        ),
        (
            &[ORIG, SIMP_0, SIMP_0],
            "two files are called “news.simp.0”: rename one",
        ),
        (
            &[ORIG, ("s", "")],
            "“s”: the file is empty: choose one that has rows",
        ),
        (
            &[ORIG, ("s", "x\n")],
            "“s” has 1 lines, “news.orig” has more: line N of each file must belong to one source",
        ),
        (
            &[ORIG, ("s", "x\ny\nz")],
            "“news.orig” has 2 lines, “s” has more: line N of each file must belong to one source",
        ),
    ];

    for (files, expected) in cases {
        let ReadOutcome { fatal, .. } = outcome(texts(files, SimplificationUse::References));
        assert_eq!(fatal.unwrap().to_string(), expected);
    }
}

#[test]
fn a_bad_line_costs_its_own_row_and_that_of_a_source_all() {
    let files = [("n.orig", "A\n \nC"), ("s", "a\nb\nc\0"), ("t", "a\nb\nc")];
    let all = outcome(texts(&files, SimplificationUse::References));
    assert_eq!(all.rows.len(), 3);
    let messages: Vec<_> = all.bad.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "line 2, “n.orig”: is empty: fill it in",
            "line 3, “s”: holds a NUL character: remove it"
        ]
    );
}

#[needs_released_data("asset")]
#[test]
fn asset_test_set_359_sources_10_references() {
    let names = ["orig".to_owned()]
        .into_iter()
        .chain((0..10).map(|n| format!("simp.{n}")));
    let mut files = Vec::new();
    for name in names.map(|end| format!("asset.test.{end}")) {
        let bytes = released(&format!("asset/{name}"));
        files.push(TextFile {
            name,
            input: std::io::Cursor::new(bytes).into(),
        });
    }

    let all = outcome(open_texts(files, SimplificationUse::References));
    assert!(all.fatal.is_none() && all.bad.is_empty());
    assert_eq!(all.rows.len(), 359);
    assert!(all.rows.iter().all(|row| row.source.references.len() == 10));
}
