//! Scores of metrics from elsewhere, and references.

use formats::{
    FileReadOptions, RatedOutput, ScoreFile, SimplificationUse, SourceReferences, TextFile, open,
    open_texts,
};

fn output(id: &str, source: &str, system: &str, text: &str) -> RatedOutput {
    RatedOutput {
        system: system.to_owned(),
        id: Some(id.to_owned()),
        source: "7".to_owned(),
        category: None,
        source_text: source.to_owned(),
        text: text.to_owned(),
    }
}

fn outputs() -> [RatedOutput; 3] {
    [
        output("a1", "The vessel sank.", "A", "The boat sank."),
        output("b1", "The vessel sank.", "B", "The boat sank."),
        output("c1", "The vessel sank.", "C", "It sank."),
    ]
}

fn matched(file: &str) -> (Vec<String>, Vec<Vec<Option<f64>>>, Vec<u64>) {
    let file = ScoreFile::read(file.as_bytes()).unwrap();
    let outputs = outputs();
    let found = file.match_outputs(&outputs.each_ref());
    (file.metrics, found.scores, found.unmatched)
}

#[test]
fn scores_find_their_outputs_by_what_their_file_says() {
    for (file, expected) in [
        ("id,lens\nc1,2\na1,\n", [None, None, Some(2.0)]),
        (
            "source,system,lens\nthe  vessel sank.,B,1.5\n7,C,2\n",
            [None, Some(1.5), Some(2.0)],
        ),
        (
            "source,output,lens,note\n7,The boat sank.,3,good\n",
            [Some(3.0), Some(3.0), None],
        ),
        (
            "{\"source\":\"7\",\"output\":\"It sank.\",\"lens\":-1.5,\"rating_1\":3}\n{\"source\":\"7\",\"output\":\"The boat sank.\",\"system\":\"A\",\"lens\":null}\n",
            [None, None, Some(-1.5)],
        ),
    ] {
        let (metrics, scores, unmatched) = matched(file);
        assert_eq!(metrics, ["lens"], "{file}");
        assert_eq!(scores, [expected.to_vec()], "{file}");
        assert!(unmatched.is_empty(), "{file}");
    }
    assert_eq!(matched("id,lens\nzz,1\n").2, [2]);
}

#[test]
fn what_is_wrong_with_a_file_of_scores_is_said() {
    for (file, expected) in [
        ("output,lens\nIt sank.,1\n", "name the output of each row"),
        ("id,note\na1,good\n", "add a column of numbers"),
        ("id,lens\na1,1\nb1,x\n", "line 3, “lens”: is no number"),
        ("id,lens,lens\na1,1,2\n", "rename one of the two"),
        ("[{\"id\":\"a1\"}]", "one object a line"),
        ("id,lens\na1\n", "line 2"),
    ] {
        let error = ScoreFile::read(file.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{file}: {error}");
    }
}

#[test]
fn references_of_the_lens_repository_are_found_whatever_the_case() {
    let (sources, references) = (
        "the vessel sank.\nIt rained\n",
        "It sank.\tThe boat sank. \nRain.",
    );
    let found = SourceReferences::read_lens(sources.as_bytes(), references.as_bytes()).unwrap();
    assert_eq!(
        found.references_for("The vessel  sank."),
        ["It sank.", "The boat sank."]
    );
    assert_eq!(
        (
            found.len(),
            found.references_for("it rained"),
            found.references_for("?").len()
        ),
        (2, &["Rain.".to_owned()][..], 0)
    );
    let error = SourceReferences::read_lens("a\nb\n".as_bytes(), "c\n".as_bytes()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("“test.src” has 2 lines, “test.dst” has 1"),
        "{error}"
    );
}

#[test]
fn references_of_asset_and_of_jsonl_come_by_their_rows() {
    let file = |name: &str, text: &'static str| TextFile {
        name: name.to_owned(),
        input: Box::new(text.as_bytes()),
    };
    let texts = vec![
        file("x.simp.0", "It sank.\nRain"),
        file("x.orig", "The vessel sank.\nIt rained"),
        file("x.simp.1", "It sank.\nA rain"),
    ];
    let opened = open_texts(texts, SimplificationUse::References).unwrap();
    let found = SourceReferences::from_rows(opened.rows).unwrap();
    // Two writers who wrote the same are two references.
    assert_eq!(
        found.references_for("The vessel sank."),
        ["It sank.", "It sank."]
    );
    let lines = "{\"source\":\"a\",\"references\":[\"b\"],\"output\":\"x\"}\n{\"source\":\"A\",\"references\":[\"b\",\"c\"]}";
    let found = SourceReferences::from_rows(
        open(lines.as_bytes(), FileReadOptions::default())
            .unwrap()
            .rows,
    );
    assert_eq!(found.unwrap().references_for("a"), ["b", "c"]);
}
