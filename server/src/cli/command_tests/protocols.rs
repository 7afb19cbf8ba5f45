//! Protocols compared, of studies and of files.

use serde_json::json;

use super::{Workspace, format_json};

/// The study's first and third sources, spelt differently, and a source of its own, on one dimension.
const OTHER_RATINGS: &str = "\
original_id,original,generation,system,sentence_type,rating_1,rating_2
0,the vessel  sank near the coast.,The boat sank.,A,Paraphrases,90,80
0,the vessel  sank near the coast.,Sank the boat.,B,Paraphrases,20,40
1,The council withdrew its plan .,The council dropped its plan.,A,Paraphrases,70,90
1,The council withdrew its plan .,Council plan.,B,Paraphrases,30,10
2,Nobody else has this.,Nobody has it.,A,Paraphrases,70,75
";

#[test]
fn a_study_and_a_file_are_compared_on_the_sources_of_both() {
    let workspace = Workspace::with_study();
    workspace.write("other.csv", OTHER_RATINGS);
    insta::assert_snapshot!(workspace.run("protocols river @other.csv"), @r#"
    sources in all: 2 (1 by the same text, 1 by one that differs in tokenisation, quotes or dashes alone)
    rated in all: 2

    Krippendorff's alpha, interval level, with 95 % intervals over sources
                          dimension  raters  outputs     raw                    z-scores                  
    river       simplicity, -2 to 2       3        4  0.7250  0.7250 to 0.7250    0.7433  0.7213 to 0.7674
                    fluency, 1 to 5       3        4  0.8263  0.7250 to 0.8981    0.8439  0.7747 to 0.8847
               mean over dimensions       –        –  0.7757                 –    0.7936                 –
    other.csv     overall, 0 to 100       2        4  0.8460  0.8250 to 0.8664    0.8533  0.8314 to 0.8692

    Active time, and pairs of systems that are significantly apart
               minutes a source      a rating         hours  systems  apart  of pairs       an hour
    river          not recorded  not recorded  not recorded        2      0         1  not recorded
    other.csv      not recorded  not recorded  not recorded        2      0         1  not recorded

    Differences, with 95 % intervals: alpha over sources, minutes over raters, paired
                           alpha, raw                      z-scores                      minutes a source     raters
    river minus other.csv     -0.1210  -0.1414 to -0.1000   -0.1100  -0.1479 to -0.0640                 –  –       –

    Order of systems by mean z-score
                         systems  Kendall's tau-b       p  p, Holm  Spearman's rho  p
    river and other.csv        2           1.0000  1.0000   1.0000       undefined  –

    river: Categorise, check edits, rank & rate: simplicity -2 to 2, fluency 1 to 5
    other.csv: a file, which does not name its protocol
    ! river and other.csv: Spearman's rho is undefined: 2 values are too few, at least 3 are needed.
    "#);

    let figures = workspace.value("protocols river @other.csv");
    let text = |value: &serde_json::Value| format_json(value, 0);
    insta::assert_snapshot!(text(&figures["sources"]), @r#"{"exact":1,"normalised":1,"rated_in_all":2,"shared":2}"#);
    insta::assert_snapshot!(text(&figures["protocols"][0]), @r#"
    {
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "dimensions": [
        {
          "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
          "raw": {
            "alpha": 0.725,
            "interval": {"confidence":0.95,"high":0.725,"low":0.725,"replicates":1000,"undefined":0}
          },
          "z": {
            "alpha": 0.743328,
            "interval": {"confidence":0.95,"high":0.76742,"low":0.721335,"replicates":1000,"undefined":0}
          }
        },
        {
          "dimension": {"name":"fluency","scale":{"high":5,"low":1}},
          "raw": {
            "alpha": 0.826316,
            "interval": {"confidence":0.95,"high":0.898148,"low":0.725,"replicates":1000,"undefined":0}
          },
          "z": {
            "alpha": 0.843918,
            "interval": {"confidence":0.95,"high":0.884687,"low":0.774718,"replicates":1000,"undefined":0}
          }
        }
      ],
      "mean": {"raw":{"alpha":0.775658},"z":{"alpha":0.793623}},
      "name": "river",
      "pairable_units": 4,
      "pairs": 1,
      "pairs_apart": 0,
      "pairs_apart_per_hour": null,
      "pairs_tested": 0,
      "protocol": "Categorise, check edits, rank & rate: simplicity -2 to 2, fluency 1 to 5",
      "raters": 3,
      "ratings": 12,
      "raw": {
        "alpha": 0.725,
        "interval": {"confidence":0.95,"high":0.725,"low":0.725,"replicates":1000,"undefined":0}
      },
      "systems": 2,
      "time": null,
      "units": 4,
      "warnings": [],
      "z": {
        "alpha": 0.743328,
        "interval": {"confidence":0.95,"high":0.76742,"low":0.721335,"replicates":1000,"undefined":0}
      },
      "z_from": "raw ratings"
    }
    "#);
    insta::assert_snapshot!(text(&figures["protocols"][1]["z"]), @r#"
    {
      "alpha": 0.853297,
      "interval": {"confidence":0.95,"high":0.869244,"low":0.831397,"replicates":1000,"undefined":0}
    }
    "#);
    insta::assert_snapshot!(text(&figures["orders"]), @r#"
    [
      {
        "a": "river",
        "b": "other.csv",
        "kendall_tau_b": {"coefficient":1.0,"p":1.0},
        "p_holm": 1.0,
        "spearman": {"coefficient":null,"p":null,"undefined":"2 values are too few, at least 3 are needed"},
        "systems": 2
      }
    ]
    "#);

    // Imported ratings have no recorded times; 0 would be wrong.
    assert_eq!(figures["protocols"][0]["time"], json!(null));
    assert_eq!(figures["protocols"][0]["pairs_apart_per_hour"], json!(null));
}

#[test]
fn the_figures_are_those_of_the_commands_for_one_study() {
    let workspace = Workspace::with_study();
    let compared = workspace.value("protocols river @ratings.csv --dimension fluency");
    let agreement = workspace.value("agreement --study river --dimension fluency --bootstrap 1000");
    for protocol in compared["protocols"].as_array().expect("two") {
        assert_eq!(protocol["raw"], agreement["raw"]);
        assert_eq!(protocol["z"], agreement["z"]);
        assert_eq!(protocol["dimension"], agreement["dimension"]);
    }

    let by_dimension = workspace.value("agreement @ratings.csv --by dimension");
    assert_eq!(compared["protocols"][1]["mean"], by_dimension["mean"]);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.error("protocols river lake"), @"there is no study “lake”: see `rankrate study list`");
    insta::assert_snapshot!(workspace.error("protocols river @lake.csv"), @"@lake.csv cannot be opened: No such file or directory (os error 2)");
    insta::assert_snapshot!(workspace.error("protocols river @ratings.csv --dimension adequacy"), @"there are no ratings on “adequacy”; the dimensions are: fluency, simplicity");
    let error = workspace.error("protocols river");
    assert!(error.contains("2 values required"), "{error}");
}

#[test]
fn a_study_with_times_has_minutes_and_pairs_per_hour() {
    let workspace = Workspace::new();
    workspace.run("demo --no-metrics");
    let figures = workspace.value("protocols demo demo");
    let protocol = &figures["protocols"][0];
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let time = &protocol["time"];
    let minutes = number(&time["active_ms"]) / 60_000.0;
    let is_near = |a: f64, b: f64| (a - b).abs() < 1e-4;

    assert!(minutes > 0.0);
    assert!(is_near(
        number(&time["minutes_per_source"]),
        minutes / number(&time["submissions"])
    ));
    assert!(is_near(
        number(&time["minutes_per_rating"]),
        minutes / number(&time["timed_ratings"])
    ));

    let systems = workspace.value("systems --study demo");
    let ranked = systems["rankings"][0]["systems"]
        .as_array()
        .expect("systems");
    assert_eq!(protocol["systems"], json!(ranked.len()));
    assert_eq!(
        figures["orders"][0]["kendall_tau_b"]["coefficient"],
        json!(1.0)
    );
}
