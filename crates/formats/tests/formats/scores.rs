//! Files of scores read whole, as `meta-eval` reads them, next to the rows that imports read.

use formats::{RatedOutput, ReadError, ScoreFile, open_scores};

fn output(id: &str, source: &str, system: &str, text: &str) -> RatedOutput {
    RatedOutput {
        system: system.into(),
        id: Some(id.into()),
        source: "7".into(),
        category: None,
        source_text: source.into(),
        text: text.into(),
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
    let matched = file.match_outputs(&outputs.each_ref());
    (file.metrics, matched.scores, matched.unmatched)
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
        // If no output has the id, the source decides.
        (
            "id,source_id,system,lens\n1,7,B,1.5\nc1,,,2\n",
            [None, Some(1.5), Some(2.0)],
        ),
        (
            "original_id,processed_generation,generation,lens\n7,It sank.,it sank,1\n",
            [None, None, Some(1.0)],
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
        ("id,lens,lens\na1,1,2\n", "rename one of the two"),
        ("[{\"id\":\"a1\"}]", "one object a line"),
    ] {
        let error = ScoreFile::read(file.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{file}: {error}");
    }
}

#[test]
fn a_row_with_a_fault_is_left_out_and_named() {
    for (file, expected) in [
        (
            "id,lens\na1,1\nb1,x\n",
            "line 3, “lens”: “x” is not a number: write it in digits with a decimal point, or leave it \
             out where there is none",
        ),
        (
            "id,lens\na1,1\nb1,inf\n",
            "line 3, “lens”: “inf” is not a number: write it in digits with a decimal point, or leave \
             it out where there is none",
        ),
        (
            "id,lens\na1,1\nb1,-1e308\n",
            "line 3, “lens”: “-1e308” is beyond 1e15, which no rating and no score reaches: correct it, or leave \
             it out where there is none",
        ),
        (
            "{\"id\":\"a1\",\"lens\":1}\n{\"id\":\"b1\",\"lens\":\"2e15\"}\n",
            "line 2, “lens”: “2e15” is beyond 1e15, which no rating and no score reaches: correct it, or \
             leave it out where there is none",
        ),
        (
            "id,lens\na1,1\nb1\n",
            "line 3: has 1 cells, the header 2: add or remove commas, or close a quotation mark",
        ),
        ("id,lens\na1,1\nb1,NONE\n", "line 3: has no score"),
        (
            "id,lens\na1,1\n,2\n",
            "line 3: does not say which output it means: fill in output_id, or source and system",
        ),
        (
            "{\"id\":\"a1\",\"lens\":1}\n{\"id\":\"b1\",\"lens\":[]}\n",
            "line 2, “lens”: is not a number: write one, or leave it out where there is no score",
        ),
    ] {
        let file = ScoreFile::read(file.as_bytes()).unwrap();
        let bad_rows: Vec<_> = file.bad_rows.iter().map(ToString::to_string).collect();
        assert_eq!(bad_rows, [expected]);
        let outputs = outputs();
        let matched = file.match_outputs(&outputs.each_ref());
        assert_eq!(matched.scores, [[Some(1.0), None, None]]);
    }
}

/// Both readings of a file: the whole one of `meta-eval`, and the rows of an import.
fn metrics_of_both(text: &str) -> [Vec<String>; 2] {
    let file = ScoreFile::read(text.as_bytes()).expect("meta-eval reads it");
    let opened = open_scores(text.as_bytes()).expect("an import reads it");
    let mut names: Vec<String> = opened.names.iter().map(ToString::to_string).collect();

    let mut bad_rows = Vec::new();
    for item in opened.rows {
        match item {
            Ok(row) => {
                let row_names = row.scores.iter().map(|(name, _)| name.to_string());
                let new: Vec<_> = row_names.filter(|name| !names.contains(name)).collect();
                names.extend(new);
            }
            Err(ReadError::Row(bad)) => bad_rows.push(bad),
            Err(ReadError::Fatal(fault)) => panic!("{fault}"),
        }
    }

    assert_eq!(file.bad_rows, bad_rows, "{text}");
    [file.metrics, names]
}

#[test]
fn meta_eval_and_imports_find_the_same_metrics() {
    let later = format!(
        "id,lens,late\n{}z,2,0.5\n",
        (0..60).map(|id| format!("{id},1,\n")).collect::<String>()
    );
    let cases: [(&str, &[&str]); 9] = [
        // A number that names the source is not a score.
        (
            "source_id,system,output,lens\n7,A,It sank.,1\n8,A,It rose.,2\n",
            &["lens"],
        ),
        (
            "{\"source_id\":7,\"system\":\"A\",\"lens\":1,\"id\":3}\n",
            &["lens"],
        ),
        ("output_id,id,lens\na,1,2\n", &["lens"]),
        (
            "original,simplification,system,sari,rating,rating_1,ratings\na,b,s,1,2,3,4\n",
            &["sari"],
        ),
        // The first value decides, whatever comes later.
        (
            "id,lens,note,sari\n1,1,good,\n2,2,5,\n3,3,5,7\n",
            &["lens", "sari"],
        ),
        ("id,lens,bad\n1,nan,inf\n2,1,1\n", &["bad", "lens"]),
        // The row numbers that pandas writes have no name.
        (",id,lens\n0,a,1\n", &["lens"]),
        (
            "{\"id\":\"a\",\"lens\":\"1.5\",\"signatures\":{\"lens\":1},\"ok\":true}\n\
             {\"id\":\"b\",\"sari\":2,\"lens\":null}\n",
            &["lens", "sari"],
        ),
        (&later, &["lens", "late"]),
    ];

    for (text, expected) in cases {
        let [whole, rows] = metrics_of_both(text);
        assert_eq!(whole, expected, "{text}");
        assert_eq!(rows, expected, "{text}");
    }
}
