//! One JSON object a line.

use domain::{category::Category, score::RatingScale, study::SystemKind};
use formats::{ColumnMapping, FileFormat, FileReadOptions, open, write_line};
use serde_json::json;

use crate::{read, rows};

#[test]
fn the_documented_shape_is_read() {
    let file = format!(
        "{}\n\n{}\n",
        json!({
            "source": "A b.", "source_id": 12, "references": ["R.", "", "S."],
            "output": "A.", "system": "short", "kind": "machine", "category": "split",
            "ratings": [
                {"rater": "annotator 1", "value": 87, "z": 0.41},
                {"rater": 2, "value": -1, "dimension": "simplicity", "scale": {"low": -2, "high": 2}},
            ],
            "more": {"a": [1]},
        }),
        r#"{"source": "C d.", "output": null, "reference": "T."}"#,
    );

    assert_eq!(
        open(file.as_bytes(), FileReadOptions::default())
            .unwrap()
            .format,
        FileFormat::Jsonl
    );

    let rows = rows(&file, FileReadOptions::default());
    let output = rows[0].output.as_ref().unwrap();
    assert_eq!(rows[0].source.key.as_deref(), Some("12"));
    assert_eq!(rows[0].source.references, ["R.", "S."]);
    assert_eq!(
        (output.kind, output.category),
        (Some(SystemKind::Machine), Some(Category::Split))
    );

    let [first, second] = &output.ratings[..] else {
        panic!("{:?}", output.ratings)
    };
    assert_eq!(
        (first.rater.as_deref(), first.value.value()),
        (Some("annotator 1"), 87.0)
    );
    assert_eq!(first.z.as_ref().map(|z| z.text()), Some("0.41"));
    assert_eq!(
        (second.rater.as_deref(), &*second.dimension),
        (Some("2"), "simplicity")
    );
    assert_eq!(second.scale, Some(RatingScale::LIKERT));

    assert_eq!(
        rows[0].verbatim,
        [("more".into(), r#"{"a":[1]}"#.to_owned())]
    );
    assert_eq!((rows[1].line, &rows[1].output), (3, &None));
    assert_eq!(rows[1].source.references, ["T."]);
}

#[test]
fn one_rating_may_stand_beside_the_texts_and_its_digits_stay() {
    let file = r#"{"orig": "A b.", "output": "A.", "score": 7.50, "rater": "w", "dimension": "x"}"#;
    let mapping = ColumnMapping::parse(["source=orig", "rating=score"]).unwrap();
    let row = rows(
        file,
        FileReadOptions {
            mapping,
            ..FileReadOptions::default()
        },
    )
    .remove(0);

    let rating = &row.output.unwrap().ratings[0];
    assert_eq!(
        (rating.value.text(), rating.rater.as_deref()),
        ("7.50", Some("w"))
    );
    assert_eq!(&*rating.dimension, "x");
}

#[test]
fn bad_lines_are_said_and_the_rest_comes() {
    let cases = [
        (
            "{\"source\": ",
            "line 2: is not a JSON object: EOF while parsing a value, character 11",
        ),
        (
            "[1]",
            "line 2: is not a JSON object: invalid type: sequence, expected a map, character 0",
        ),
        (
            "{}",
            "line 2, “source”: is missing: add it, or say which key holds it",
        ),
        (
            r#"{"source": " "}"#,
            "line 2, “source”: is empty: fill it in",
        ),
        (
            r#"{"source": [1]}"#,
            "line 2, “source”: is not a text: write it in quotation marks",
        ),
        (
            r#"{"source": "a\u0000"}"#,
            "line 2, “source”: holds a NUL character: remove it",
        ),
        (
            r#"{"source": "a", "system": "s"}"#,
            "line 2, “output”: is missing: add it, or say which key holds it",
        ),
        (
            r#"{"source": "a", "output": "b", "kind": "robot"}"#,
            "line 2, “kind”: “robot” is not a kind of system: use one of machine, human, baseline",
        ),
        (
            r#"{"source": "a", "output": "b", "rating": "high"}"#,
            "line 2, “rating”: “high” is not a number: write it in digits with a decimal point, \
             or leave it out where there is none",
        ),
        (
            r#"{"source": "a", "output": "b", "ratings": [{"value": 101, "scale": {"low": 0, "high": 100}}]}"#,
            "line 2, “ratings”: 101 is outside the scale from 0 to 100",
        ),
        (
            r#"{"source": "a", "output": "b", "ratings": [{"rater": "w"}]}"#,
            "line 2, “ratings”: missing field `value`",
        ),
        (
            r#"{"source": "a", "output": "b", "ratings": [{"rater": "", "value": 1}]}"#,
            "line 2, “ratings”: is empty: fill it in",
        ),
        (
            r#"{"source": "a", "b\u0000": 1}"#,
            "line 2, “b␀”: holds a NUL character: remove it",
        ),
    ];

    for (line, expected) in cases {
        let fine = r#"{"source": "fine"}"#;
        let outcome = read(
            format!("{fine}\n{line}\n{fine}"),
            FileReadOptions::default(),
        );
        let messages: Vec<_> = outcome.bad.iter().map(ToString::to_string).collect();
        assert_eq!(messages, [expected]);
        assert_eq!(outcome.rows.len(), 2, "{line}");
    }
}

#[test]
fn what_is_written_is_a_line_each() {
    let mut out = Vec::new();
    write_line(&mut out, &json!({"source": "a\nb"})).unwrap();
    write_line(&mut out, &json!({"source": "c"})).unwrap();
    assert_eq!(
        String::from_utf8(out.clone()).unwrap(),
        "{\"source\":\"a\\nb\"}\n{\"source\":\"c\"}\n"
    );

    let texts: Vec<_> = rows(out, FileReadOptions::default())
        .into_iter()
        .map(|row| row.source.text)
        .collect();
    assert_eq!(texts, ["a\nb", "c"]);
}

#[test]
fn the_text_around_a_source_is_read_from_its_keys() {
    let file = r#"{"source": "A b.", "context_before": "One.", "context_after": null}"#;
    let row = rows(file, FileReadOptions::default()).remove(0);
    assert_eq!(row.source.context.before, "One.");
    assert_eq!(row.source.context.after, "");

    let file = r#"{"source": "A b.", "context_before": ["One."]}"#;
    let bad = read(file, FileReadOptions::default()).bad.remove(0);
    let reason = bad.to_string();
    assert!(
        reason.contains("context_before") && reason.contains("is not a text"),
        "{reason}"
    );
}
