//! The command on files of our own writing.

use std::{fs, path::Path};

use clap::Parser as _;
use serde_json::{Value, json};

use super::{MetaEvalArgs, json::MetaEvalJson, report::MetaEvalReport};
use crate::{learned_metric::testing, progress::ProgressDisplay, settings::EncoderSettings};

#[derive(Debug, clap::Parser)]
struct MetaEvalCommand {
    #[command(flatten)]
    meta_eval: MetaEvalArgs,
    #[command(flatten)]
    encoder: EncoderSettings,
}

const RATINGS: &str = "\
original_id,original,generation,system,sentence_type,rating_1,rating_2,rating_3,rating_1_zscore,rating_2_zscore,rating_3_zscore
1,The Vessel sank.,The boat sank.,A,Paraphrases,90.0,80.0,85.0,0,0,0
1,The Vessel sank.,Sank boats.,B,Paraphrases,10.0,20.0,85.0,0,0,0
1,The Vessel sank.,It is a vessel.,C,Deletions,10.0,20.0,15.0,0,0,0
2,Rain fell on the roof.,It rained on the roof.,A,Paraphrases,70.0,60.0,50.0,0,0,0
2,Rain fell on the roof.,Rain the fell.,B,Paraphrases,66.0,56.0,47.0,0,0,0
2,Rain fell on the roof.,On.,C,Paraphrases,0.0,0.0,0.0,0,0,0
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    };

    write("ratings.csv", RATINGS);
    write("test.src", "the vessel sank.\nrain fell on the roof.\n");
    write(
        "test.dst",
        "The boat sank.\tThe ship sank.\nIt rained on the roof.\tRain fell.\n",
    );
    write(
        "scores.jsonl",
        "{\"source\":\"1\",\"system\":\"A\",\"lens\":3}\n{\"source\":\"1\",\"system\":\"B\",\"lens\":2.5}\n{\"source\":\"7\",\"system\":\"A\",\"lens\":1}\n",
    );
    folder
}

fn to_json(report: &MetaEvalReport) -> Value {
    serde_json::to_value(MetaEvalJson::from(report)).expect("a report can be written")
}

fn run(folder: &Path, more: &str) -> Result<Value, String> {
    let at = |name: &str| folder.join(name).display().to_string();
    let more = more
        .replace("FOLDER", &at(""))
        .replace("SCORES", &at("scores.jsonl"));

    let (name, ratings) = ("meta-eval".to_owned(), at("ratings.csv"));
    let fixed = [
        name,
        "--ratings".to_owned(),
        ratings,
        "--bootstrap=20".to_owned(),
    ];
    let arguments = fixed
        .into_iter()
        .chain(more.split_whitespace().map(str::to_owned));

    let command = MetaEvalCommand::try_parse_from(arguments).map_err(|error| error.to_string())?;
    let ratings = command.meta_eval.read_ratings_file();
    let report = ratings.and_then(|ratings| {
        let settings = &command.encoder;
        command
            .meta_eval
            .report(ratings, settings, ProgressDisplay::Hidden)
    });

    report
        .map(|report| to_json(&report))
        .map_err(|error| format!("{error:#}"))
}

#[test]
fn each_metric_has_its_figures_by_category_with_the_pairs_behind_them() {
    let folder = folder();
    let report = run(folder.path(), "--references FOLDER --metrics bleu").expect("all is there");
    let bleu = &report["metrics"]["bleu"];
    assert_eq!(
        bleu["tau"],
        json!({ "all": 1.0, "Splittings": null, "Paraphrases": 1.0, "Deletions": null })
    );

    // Source 1 has one pair, source 2 has two; its third pair differs by no more than the threshold.
    let counts = |metric: &Value| {
        [
            metric["concordant"].clone(),
            metric["discordant"].clone(),
            metric["skipped"].clone(),
        ]
    };
    assert_eq!(counts(bleu), [3, 0, 1].map(|count| json!(count)));
    assert_eq!(bleu["ci"], json!([1.0, 1.0]));
    assert!(bleu["pearson"].as_f64().is_some_and(|r| r > 0.5));

    let close = run(folder.path(), "--references FOLDER --metrics bleu --ties 2").expect("there");
    assert_eq!(
        counts(&close["metrics"]["bleu"]),
        [4, 0, 0].map(|count| json!(count))
    );

    let all = run(
        folder.path(),
        "--references FOLDER --metrics bleu --rule all-agree",
    )
    .expect("there");
    assert_eq!(
        counts(&all["metrics"]["bleu"]),
        [2, 0, 2].map(|count| json!(count))
    );

    let others = "--references FOLDER --metrics bleu --without-reference-copies";
    assert_eq!(run(folder.path(), others).expect("there")["outputs"], 4);
}

/// A metric that grades difficulty is negated before it is compared with people's ratings, whatever its
/// name.
#[test]
fn a_lower_grade_is_a_better_one() {
    let folder = folder();
    let grades = "id,source,system,fkgl,hardness\n\
                  ,1,A,2,2\n,1,B,9,9\n,2,A,3,3\n,2,B,6,6\n,2,C,12,12\n,1,C,5,5\n";
    fs::write(folder.path().join("scores.jsonl"), grades).expect("written");

    let report = run(folder.path(), "--scores SCORES").expect("all is there");
    assert_eq!(report["metrics"]["fkgl"]["tau"]["all"], 1.0);
    assert_eq!(report["metrics"]["fkgl"]["direction"], "lower-is-better");
    assert!(
        report["metrics"]["fkgl"]["pearson"]
            .as_f64()
            .is_some_and(|r| r > 0.5)
    );

    // The direction of the other metric cannot be guessed from its name.
    assert_eq!(report["metrics"]["hardness"]["tau"]["all"], -1.0);

    let arguments = "--scores SCORES --lower-is-better hardness --higher-is-better fkgl";
    let directed_report = run(folder.path(), arguments).expect("all is there");
    assert_eq!(directed_report["metrics"]["hardness"]["tau"]["all"], 1.0);
    assert_eq!(
        directed_report["metrics"]["fkgl"]["direction"],
        "higher-is-better"
    );

    let warned = report["warnings"].to_string();
    assert!(
        warned.contains("a lower “fkgl” is taken for better"),
        "{warned}"
    );

    let ours = run(folder.path(), "--metrics fkgl").expect("computed");
    assert_eq!(ours["metrics"]["fkgl"]["direction"], "lower-is-better");
}

/// On a scale of five points, a share of the scale leaves preferences; a threshold of five points leaves none.
#[test]
fn a_dimension_of_likert_ratings_has_its_own_threshold() {
    let folder = folder();
    let ratings = "\
WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity,Answer.fluency
1,The vessel sank.,The boat sank.,A,2,1
1,The vessel sank.,Sank the vessel of boats.,B,-1,5
2,The vessel sank.,The boat sank.,A,1,2
2,The vessel sank.,Sank the vessel of boats.,B,0,4
";
    fs::write(folder.path().join("ratings.csv"), ratings).expect("written");

    let report_for = |more: &str| run(folder.path(), &format!("--metrics compression {more}"));
    let simplicity = report_for("").expect("the first dimension");
    assert_eq!(simplicity["dimension"]["name"], "simplicity");
    assert_eq!(simplicity["metrics"]["compression"]["discordant"], 1);
    assert_eq!(
        simplicity["tie_threshold"],
        json!({ "given": "5%", "points": 0.2 })
    );
    let signature = simplicity["signature"].as_str().unwrap_or_default();
    assert!(
        signature.contains("|scale:-2..2|dimension:simplicity|"),
        "{signature}"
    );

    let fluency = report_for("--dimension fluency").expect("the other");
    assert_eq!(fluency["metrics"]["compression"]["concordant"], 1);
    let points = report_for("--ties 5").expect("points");
    assert_eq!(points["metrics"]["compression"]["skipped"], 1);
}

/// On 0 to 100 the usual share is the five points of the paper.
#[test]
fn five_percent_of_a_hundred_are_five_points() {
    let folder = folder();
    let bleu_with = |threshold: &str| {
        let arguments = format!("--references FOLDER --metrics bleu {threshold}");
        run(folder.path(), &arguments).expect("there")["metrics"]["bleu"].clone()
    };
    assert_eq!(bleu_with(""), bleu_with("--ties 5"));
    assert_eq!(bleu_with(""), bleu_with("--ties 5%"));
}

#[test]
fn imported_scores_stand_beside_and_what_they_lack_is_said() {
    let folder = folder();
    let report = run(
        folder.path(),
        "--scores SCORES --metrics fkgl --against fkgl",
    )
    .expect("all is there");

    let lens = &report["metrics"]["lens"];
    assert_eq!(
        (&lens["concordant"], &lens["discordant"], &lens["unscored"]),
        (&json!(1), &json!(2), &json!(4))
    );
    assert!(lens["difference"]["tau"]["value"].is_number() && lens["signature"].is_null());
    let warnings = report["warnings"].as_array().map_or(0, Vec::len);
    assert_eq!(warnings, 2, "{report}");

    for (arguments, expected) in [
        ("--metrics sari", "sari needs references"),
        ("--metrics questeval", "there is no metric “questeval”"),
        ("--against lens", "“lens” is not among the metrics"),
        ("--ties=-1", "is not a threshold"),
        (
            "--scores SCORES --lower-is-better ter",
            "no file has scores of “ter”",
        ),
        ("--dimension fluency", "has no ratings on “fluency”"),
        (
            "--scores SCORES --scores SCORES",
            "two metrics are called “lens”",
        ),
    ] {
        let error = run(folder.path(), arguments).expect_err("nothing is found");
        assert!(error.contains(expected), "{arguments}: {error}");
    }
}

#[test]
fn a_learned_metric_is_judged_by_the_sources_that_it_did_not_learn_from() {
    let Some(settings) = testing::settings_with_words(&[]) else {
        return;
    };
    let folder = folder();
    let model = testing::train_model(&settings);
    let path = folder.path().join("metric");
    fs::write(&path, model.write()).expect("written");

    let mut rows = RATINGS
        .lines()
        .take(1)
        .map(str::to_owned)
        .collect::<Vec<_>>();
    for (at, source) in testing::sample_sources().iter().enumerate() {
        for (system, output) in source.outputs.iter().enumerate() {
            let raw = 50.0 + 20.0 * output.z;
            rows.push(format!(
                "{at},{},{},{system},Paraphrases,{raw},{raw},{raw},0,0,0",
                source.text, output.text
            ));
        }
    }
    fs::write(folder.path().join("ratings.csv"), rows.join("\n")).expect("written");

    let path = path.display().to_string();
    let settings = testing::settings_with_words(&["--learned-metric", &path]).expect("there");
    let report_for = |more: &str| {
        let ratings = folder.path().join("ratings.csv").display().to_string();
        let fixed = ["meta-eval", "--ratings", &ratings, "--bootstrap=20"];
        let arguments = fixed.into_iter().chain(more.split_whitespace());
        let command = MetaEvalCommand::try_parse_from(arguments).expect("valid");
        let ratings = command.meta_eval.read_ratings_file();
        let report = ratings.and_then(|ratings| {
            let meta_eval = &command.meta_eval;
            meta_eval.report(ratings, &settings, ProgressDisplay::Hidden)
        });
        report
            .map(|report| to_json(&report))
            .map_err(|error| format!("{error:#}"))
    };

    let (learned, held_out) = (model.trained_on().len(), 8 - model.trained_on().len());
    assert!(held_out > 0, "the share is such that some are");
    let by_default = report_for("--metrics learned-free,fkgl --against fkgl").expect("scored");
    let metric = &by_default["metrics"]["learned-free"];
    assert_eq!(metric["sources_left_out"], learned);
    assert_eq!(metric["outputs"], held_out * 8);
    assert_eq!(by_default["metrics"]["fkgl"]["outputs"], 64);
    assert!(
        metric["tau"]["all"].as_f64().is_some_and(|tau| tau > 0.5),
        "{metric}"
    );
    assert!(metric["difference"]["tau"]["value"].is_number());
    let warning = by_default["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.contains("--include-training"), "{warning}");

    let all = report_for("--metrics learned-free --include-training --degenerate").expect("scored");
    let metric = &all["metrics"]["learned-free"];
    assert_eq!(
        (&metric["sources_left_out"], &metric["outputs"]),
        (&json!(0), &json!(64))
    );
    assert!(metric["degenerate"]["share"].is_number());

    let why = report_for("--metrics learned-ref").expect_err("there is none");
    assert!(why.contains("needs references"), "{why}");
}
