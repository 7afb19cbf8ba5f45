//! Files of references, as rows for imports and whole for commands.

use formats::{SourceReferences, TextFile, open_references};

fn file<'r>((name, text): &(&str, &'r str)) -> TextFile<'r> {
    TextFile {
        name: (*name).to_owned(),
        input: text.as_bytes().into(),
    }
}

/// Each row as `SOURCE: REFERENCE | REFERENCE`, or as its fault.
fn read(files: &[(&str, &str)]) -> Result<Vec<String>, String> {
    let opened = open_references(files.iter().map(file).collect());
    let row = |item: Result<formats::FileRow, formats::ReadError>| match item {
        Ok(row) => format!("{}: {}", row.source.text, row.source.references.join(" | ")),
        Err(problem) => problem.to_string(),
    };
    opened
        .map(|opened| opened.rows.map(row).collect())
        .map_err(|fault| fault.to_string())
}

#[test]
fn asset_and_lens_folders_and_tables_give_the_same_references() {
    let expect = Ok(vec![
        "It rained.: Rain fell. | It was wet.".to_owned(),
        "It snowed.: Snow fell.".to_owned(),
    ]);
    for files in [
        &[
            ("asset.test.simp.0", "Rain fell.\nSnow fell.\n"),
            ("asset.test.orig", "It rained.\nIt snowed."),
            ("asset.test.simp.1", "It was wet.\n\n"),
        ][..],
        &[
            ("refs/test.dst", "Rain fell.\tIt was wet.\nSnow fell.\t\n"),
            ("refs/test.src", "It rained.\nIt snowed.\n"),
        ],
        &[(
            "table.jsonl",
            "{\"source\":\"It rained.\",\"references\":[\"Rain fell.\",\"It was wet.\"]}\n\
             {\"source\":\"It snowed.\",\"references\":[\"Snow fell.\"]}\n",
        )],
    ] {
        assert_eq!(read(files), expect, "{}", files[0].0);
    }
}

#[test]
fn what_has_no_reference_or_no_partner_is_said() {
    let lacking = [("t.src", "One.\n\nThree.\n"), ("t.dst", "1\n2\n\n")];
    assert_eq!(
        read(&lacking).expect("it opens"),
        [
            "One.: 1",
            "line 2: the source is empty: fill it in",
            "line 3: the source has no reference here",
        ]
    );

    let longer = [("t.src", "One.\nTwo.\n"), ("t.dst", "1\n")];
    let rows = read(&longer).expect("it opens");
    assert!(rows[1].contains("more lines"), "{}", rows[1]);

    for files in [&[("t.src", "One.\n")][..], &[("a.csv", ""), ("b.csv", "")]] {
        let message = read(files).expect_err("it does not open");
        assert!(message.contains("NAME.src with NAME.dst"), "{message}");
    }
}

#[test]
fn references_of_the_lens_repository_are_found_whatever_the_case() {
    let (sources, references) = (
        "the vessel sank.\nIt rained\n",
        "It sank.\tThe boat sank. \nRain.",
    );
    let files = [("test.src", sources), ("test.dst", references)];
    let references = SourceReferences::read(files.iter().map(file).collect()).unwrap();
    assert_eq!(
        references.references_for("The vessel  sank."),
        ["It sank.", "The boat sank."]
    );
    assert_eq!(
        (
            references.len(),
            references.references_for("it rained"),
            references.references_for("?").len()
        ),
        (2, &["Rain.".to_owned()][..], 0)
    );

    // A source without references is skipped, even if it is blank.
    let files = [("test.src", "a\n\nb\n\n"), ("test.dst", "c\n\n \n\n")];
    let references = SourceReferences::read(files.iter().map(file).collect()).unwrap();
    assert_eq!(references.len(), 1);

    let files = [("test.src", "a\nb\n"), ("test.dst", "c\n")];
    let error = SourceReferences::read(files.iter().map(file).collect()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "“test.dst” has 1 lines, “test.src” has more lines: line N of each must belong to one source"
    );
}

#[test]
fn references_of_asset_and_of_jsonl_come_by_their_rows() {
    let files = [
        ("x.simp.0", "It sank.\nRain"),
        ("x.orig", "The vessel sank.\nIt rained"),
        ("x.simp.1", "It sank.\nA rain"),
    ];
    let references = SourceReferences::read(files.iter().map(file).collect()).unwrap();
    // Two writers who wrote the same are two references.
    assert_eq!(
        references.references_for("The vessel sank."),
        ["It sank.", "It sank."]
    );

    let lines = "{\"source\":\"a\",\"references\":[\"b\"],\"output\":\"x\"}\n{\"source\":\"A\",\"references\":[\"b\",\"c\"]}";
    let references = SourceReferences::read(vec![file(&("rows.jsonl", lines))]);
    assert_eq!(references.unwrap().references_for("a"), ["b", "c"]);
}
