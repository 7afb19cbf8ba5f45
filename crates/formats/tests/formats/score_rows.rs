//! Scores that were computed elsewhere.

use formats::{FatalReadError, OutputIdentifier, ReadError, open_scores};

/// The names of the metrics, and each row as `OUTPUT: NAME=SCORE …` or as its fault.
fn read(text: &str) -> (Vec<String>, Vec<String>) {
    let opened = open_scores(text.as_bytes()).expect("it opens");
    let names = opened.names.iter().map(ToString::to_string).collect();
    let row = |item| match item {
        Ok(formats::ScoreRow {
            output: of, scores, ..
        }) => {
            let scores = scores
                .iter()
                .map(|(name, value)| format!(" {name}={value}"));
            format!("{}:{}", named(&of), scores.collect::<String>())
        }
        Err(ReadError::Row(bad)) => bad.to_string(),
        Err(ReadError::Fatal(fault)) => panic!("{fault}"),
    };

    (names, opened.rows.map(row).collect())
}

fn named(of: &OutputIdentifier) -> String {
    let parts = [
        &of.output_id,
        &of.source_id,
        &of.source,
        &of.system,
        &of.output,
    ];
    let parts: Vec<_> = parts
        .iter()
        .map(|part| part.as_deref().unwrap_or("-"))
        .collect();
    parts.join("/")
}

#[test]
fn every_column_of_numbers_is_a_metric_and_ratings_are_none() {
    let table = "original,system,generation,questeval,bleurt,rating_1,note\n\
                 It rained.,T5,Rain.,0.51,-1e-1,90,good\n\
                 It rained.,BART,,,0.2,80,\n\
                 It rained.,MUSS,Wet.,none at all,0.2,80,\n\
                 It rained.,GPT,Wet.,NaN,,80,\n\
                 ,,Wet.,0.1,0.2,80,\n";
    let (names, rows) = read(table);
    assert_eq!(names, ["questeval", "bleurt"]);
    assert_eq!(
        rows,
        [
            "-/-/It rained./T5/Rain.: questeval=0.51 bleurt=-0.1",
            "-/-/It rained./BART/: bleurt=0.2",
            "line 4, “questeval”: “none at all” is not a number: write it in digits with a decimal \
             point, or leave it out where there is none",
            "line 5: has no score",
            "line 6: does not say which output it means: fill in output_id, or source and system",
        ]
    );
}

#[test]
fn jsonl_names_outputs_and_metrics_by_its_keys() {
    let lines = "{\"output_id\":\"o1\",\"lens\":61.5}\n\n\
                 {\"source_id\":4,\"system\":\"T5\",\"lens\":null,\"referee\":2}\n\
                 {\"lens\":1}\nnothing\n";
    let (names, rows) = read(lines);
    assert_eq!(names, ["lens", "referee"]);
    assert_eq!(
        rows[..2],
        ["o1/-/-/-/-: lens=61.5", "-/4/-/T5/-: referee=2"]
    );
    assert!(rows[2].starts_with("line 4: does not say"), "{}", rows[2]);
    assert!(
        rows[3].starts_with("line 5: is not a JSON object"),
        "{}",
        rows[3]
    );
}

#[test]
fn a_file_without_outputs_or_scores_says_what_it_lacks() {
    for (text, said) in [
        ("source,lens\na,1\n", "output_id, or source"),
        ("source,system,note\na,b,c\n", "a column of numbers"),
        ("{\"output_id\":\"a\"}\n", "has no score"),
        ("[{\"output_id\":\"a\"}]", "one JSON array"),
        ("", "empty"),
    ] {
        let fault: FatalReadError = open_scores(text.as_bytes())
            .err()
            .expect("it does not open");
        assert!(fault.to_string().contains(said), "{fault}");
    }
}
