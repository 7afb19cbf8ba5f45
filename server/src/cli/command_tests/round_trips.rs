//! Exports that are imported again, or read as files: each figure is as it was before.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Workspace;

/// The demonstration, whose raters judge identical outputs once. It has categories, edits and notes, and here three
/// imported metrics.
fn demonstration() -> Workspace {
    let workspace = Workspace::new();
    workspace.run("demo --no-metrics");

    let mut scores = "output_id,charm,gloom,words\n".to_owned();
    for output in exported(&workspace, "demo") {
        let id = output["output_id"].as_str().expect("an id");
        let length = output["output"].as_str().expect("a text").len();
        scores += &format!("{id},{},{},{length}\n", length % 17, length % 11);
    }

    workspace.write("scores.csv", &scores);
    // Neither direction follows from the name.
    workspace
        .run("import demo --scores @scores.csv --lower-is-better gloom --higher-is-better words");
    workspace
}

/// The lines of an export as JSONL.
fn exported(workspace: &Workspace, study: &str) -> Vec<Value> {
    let text = workspace.try_run_unmasked(&format!("export {study} --format jsonl"), false);
    let text = text.expect("the study is exported");
    let lines = text.lines();
    let parse = |line| serde_json::from_str(line).expect("a line is JSON");
    lines.map(parse).collect()
}

/// The reports of commands about a study.
fn figures(workspace: &Workspace, study: &str, commands: &[&str]) -> BTreeMap<String, Value> {
    let figure = |command: &&str| {
        let of_study = command.replace("STUDY", study);
        ((*command).to_owned(), workspace.value(&of_study))
    };
    commands.iter().map(figure).collect()
}

/// The systems of outputs for quality control, which exports leave out.
const QUALITY_CONTROL: [&str; 2] = ["quality control: repeated", "quality control: scrambled"];

/// Asserts that the study has the figures of the demonstration, apart from the keys in `but`.
fn assert_same_figures(workspace: &Workspace, study: &str, commands: &[&str], but: &[&str]) {
    let but = &[but, &QUALITY_CONTROL].concat();
    let before = figures(workspace, "demo", commands);
    let mut after = figures(workspace, study, commands);
    for (command, mut figure) in before {
        let mut same = after.remove(&command).expect("the command ran");
        forget(&mut figure, but);
        forget(&mut same, but);
        assert_eq!(figure, same, "{command}");
    }
}

/// Removes the keys with these names from all objects.
fn forget(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(entries) => {
            entries.retain(|name, _| !names.contains(&name.as_str()));
            entries.values_mut().for_each(|value| forget(value, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| forget(item, names)),
        _ => {}
    }
}

/// The list in a fixed order: an import may number raters differently.
fn sorted(mut value: Value) -> Value {
    if let Value::Array(items) = &mut value {
        items.sort_by_key(Value::to_string);
    }
    value
}

/// The figures that follow from ratings alone.
const OF_RATINGS: [&str; 4] = [
    "agreement --study STUDY --bootstrap 50",
    "agreement --study STUDY --by system",
    "agreement --study STUDY --level ordinal",
    "systems --study STUDY",
];

#[test]
fn an_archive_that_is_imported_keeps_each_figure() {
    let workspace = demonstration();
    workspace.run("export demo --format jsonl -o @demo.jsonl");
    let printed = workspace.run("import again @demo.jsonl --create");
    assert!(
        printed.contains("of the answers are not ratings"),
        "{printed}"
    );
    assert_same_figures(&workspace, "again", &OF_RATINGS, &[]);

    let others = [
        "agreement --study STUDY --by category",
        "agreement --study STUDY --by dimension",
        "systems --study STUDY --by category",
        "meta-eval --study STUDY --bootstrap 50",
        "meta-eval --study STUDY --bootstrap 50 --upper-limit --metrics fkgl",
    ];
    // Signatures of imported scores name their file.
    assert_same_figures(&workspace, "again", &others, &["signature"]);

    // The second export has the answers of the first, and a second import adds nothing.
    let parts = [
        "ratings",
        "categories",
        "edits",
        "notes",
        "automatic",
        "category",
        "metric_scores",
        "metric_directions",
        "references",
        "kind",
    ];

    let (before, after) = (exported(&workspace, "demo"), exported(&workspace, "again"));
    assert_eq!(before.len(), after.len());
    let mut corrected = 0;
    for (before, after) in before.iter().zip(&after) {
        for part in parts {
            let [before, after] = [before, after].map(|line| {
                let mut answers = line[part].clone();
                // Imported values of the second study are those that the file wrote.
                forget(&mut answers, &["imported_value", "imported_z"]);
                sorted(answers)
            });
            if part == "edits" {
                // After the import, reviews that changed nothing are separate answers.
                let kept = before.as_array().expect("edits").iter();
                let after = after.as_array().expect("edits");
                corrected += kept.clone().count();
                assert!(kept.clone().all(|edits| after.contains(edits)));
            } else {
                assert_eq!(before, after, "{part}");
            }
        }
    }
    assert!(corrected > 0);

    let again = workspace.value("import again @demo.jsonl");
    assert_eq!(again["new"]["answers"], 0);
    assert_eq!(again["new"]["outputs"], 0);
}

#[test]
fn tables_of_simpeval_that_are_imported_keep_their_figures() {
    let workspace = demonstration();
    workspace.run("export demo --format simpeval-past -o @past.csv");
    workspace.run("import past @past.csv --create");
    // These tables have neither edits nor kinds of systems.
    let but = ["corrections", "kind", "rank_in_kind"];
    assert_same_figures(&workspace, "past", &OF_RATINGS, &but);

    workspace.run("export demo --format simpeval-2022 -o @slots.csv");
    workspace.run("import slots @slots.csv --raters @slots.raters.csv --create");
    assert_same_figures(&workspace, "slots", &OF_RATINGS, &but);
    let by_category = [
        "agreement --study STUDY --by category",
        "systems --study STUDY --by category",
    ];
    assert_same_figures(&workspace, "slots", &by_category, &but);

    // A study without identical outputs needs no further column.
    let plain = Workspace::with_study();
    let table = plain.run("export river --format simpeval-past --dimension fluency");
    assert!(!table.contains("shared_ratings"), "{table}");
}

/// α of raw ratings and of z-scores, and the mean ratings of systems, of a study or a file.
fn main_figures(workspace: &Workspace, of: &str) -> Vec<f64> {
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{of}: {value}"));
    let agreement = workspace.value(&format!("agreement {of} --by category"));
    let mut numbers = vec![
        number(&agreement["raw"]["alpha"]),
        number(&agreement["z"]["alpha"]),
        number(&agreement["units"]),
    ];
    for part in ["split", "deletion", "paraphrase"] {
        numbers.push(number(&agreement["parts"][part]["raw"]["alpha"]));
    }

    let systems = workspace.value(&format!("systems {of}"));
    let ranking = systems["rankings"][0]["systems"]
        .as_array()
        .expect("systems");
    for system in ranking {
        numbers.extend([number(&system["z"]["mean"]), number(&system["raw"]["mean"])]);
    }
    numbers
}

#[test]
fn files_of_an_export_have_the_figures_of_the_study() {
    let workspace = demonstration();
    let expected = main_figures(&workspace, "--study demo");
    workspace.run("export demo --format jsonl -o @demo.jsonl");
    workspace.run("export demo --format simpeval-2022 -o @slots.csv");
    workspace.run("export demo --format tidy -o @tidy.csv");
    workspace.run("export demo --format dataset -o @folder");

    for file in [
        "@demo.jsonl",
        "@slots.csv --raters @slots.raters.csv",
        "@tidy.csv",
        "@folder",
        "@folder/ratings.parquet",
    ] {
        let actual = main_figures(&workspace, file);
        assert_eq!(actual.len(), expected.len(), "{file}");
        for (actual, expected) in actual.iter().zip(&expected) {
            // z-scores in files are rounded.
            assert!(
                (actual - expected).abs() < 1e-4,
                "{file}: {actual} and not {expected}"
            );
        }
    }

    // Figures on raters are computed from such a file, too.
    let raters = workspace.value("raters @tidy.csv");
    assert_eq!(
        raters["raters"].as_array().map(Vec::len),
        Some(3),
        "{raters}"
    );
}

#[test]
fn a_table_without_texts_is_refused_where_texts_are_needed() {
    let workspace = demonstration();
    workspace.run("export demo --format tidy -o @tidy.csv");
    for command in [
        "import again @tidy.csv --create",
        "meta-eval --ratings @tidy.csv",
    ] {
        let error = workspace.error(command);
        assert!(
            error.contains("exported without texts"),
            "{command}: {error}"
        );
    }

    workspace.write("bad.parquet", "PAR1 and nothing more");
    let error = workspace.error("agreement @bad.parquet");
    assert!(error.contains("the Parquet file cannot be read"), "{error}");

    std::fs::create_dir(workspace.folder.path().join("empty")).expect("a folder");
    let error = workspace.error("agreement @empty");
    assert!(
        error.contains("ratings.parquet cannot be opened"),
        "{error}"
    );
}

#[test]
fn metric_scores_that_are_imported_keep_their_figures() {
    let workspace = demonstration();
    workspace.run("export demo --format metric-scores -o @metrics.csv");
    workspace.run("export demo --format simpeval-2022 -o @slots.csv");
    workspace.run("import slots @slots.csv --raters @slots.raters.csv --create");
    workspace
        .run("import slots --scores @metrics.csv --lower-is-better gloom --higher-is-better words");

    let command = ["meta-eval --study STUDY --bootstrap 50"];
    // These tables have no references.
    let but = ["signature", "sari", "sari-lens", "bleu", "chrf"];
    assert_same_figures(&workspace, "slots", &command, &but);
}

#[test]
fn corrected_edits_of_the_demonstration_are_exported() {
    let workspace = Workspace::new();
    workspace.run("demo --no-metrics");
    let report = workspace.value("export demo --format alignments -o @alignments.tsv");
    let count = report["alignments"].as_u64().expect("a count");
    assert!(count > 20, "{report}");

    let lines = workspace.read("alignments.tsv");
    assert_eq!(lines.lines().count() as u64, count + 1);
}

#[test]
fn answers_of_an_archive_that_do_not_fit_are_named() {
    let workspace = Workspace::new();
    workspace.run("demo --no-metrics");
    let lines = exported(&workspace, "demo");
    let (line, good) = (&lines[0], &lines[1]);

    let changed = |pointer: &str, value: Value| {
        let mut line = line.clone();
        *line.pointer_mut(pointer).expect(pointer) = value;
        line.to_string()
    };
    let edit = serde_json::json!([{
        "kind": "deletion", "source": [{ "start": 0, "end": 9000 }],
        "output": [{ "start": 0, "end": 0 }], "confidence": 1.0,
    }]);

    let cases = [
        (
            changed("/automatic/edits", edit),
            "a place that is not in its text",
        ),
        (
            changed("/ratings/0/recorded_at", "yesterday".into()),
            "“yesterday” is not a time",
        ),
        (
            changed("/categories/0/category", "wrong".into()),
            "categories",
        ),
    ];

    for (line, reason) in cases {
        workspace.write("bad.jsonl", &format!("{line}\n{good}\n"));
        let printed = workspace.run("import again @bad.jsonl --create");
        assert!(printed.contains(reason), "{reason}: {printed}");
    }
}
