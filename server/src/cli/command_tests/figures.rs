//! Agreement, raters and systems of a file and of a study.

use serde_json::json;

use super::{Workspace, find_additions, format_json};

#[test]
fn at_the_ordinal_level_kappa_is_told_as_well() {
    let workspace = Workspace::with_study();
    // The mean over three pairs of raters with six outputs each, by the definition with exact fractions: 25/31, 2/3 and
    // 5/9. The workspace rounds to six decimals.
    let expect = (25.0 / 31.0 + 2.0 / 3.0 + 5.0 / 9.0) / 3.0;

    for place in ["@ratings.csv", "--study river"] {
        let command = format!("agreement {place} --dimension simplicity --level ordinal");
        let report = workspace.value(&command);
        let kappa = report["quadratic_kappa"]["kappa"].as_f64();
        let kappa = kappa.unwrap_or_else(|| panic!("{report}"));
        assert!((kappa - expect).abs() < 1e-6, "{place}: {kappa}");
        let table = workspace.run(&command);
        assert!(
            table.contains("kappa, quadratic, mean of pairs 0.6762"),
            "{table}"
        );
    }

    let interval = workspace.value("agreement @ratings.csv");
    assert!(interval.get("quadratic_kappa").is_none(), "{interval}");
    assert!(interval.get("coefficients").is_none(), "{interval}");
}

#[test]
fn coefficients_come_with_their_level() {
    let workspace = Workspace::with_study();
    for (level, key, label) in [
        ("nominal", "ac1", "AC1"),
        ("ordinal", "ac2", "AC2, quadratic"),
    ] {
        let of_place = |place: &str| {
            let command = format!("agreement {place} --dimension simplicity --level {level}");
            let table = workspace.run(&command);
            assert!(table.contains(label), "{table}");
            let report = workspace.value(&format!("{command} --bootstrap 50"));
            report["coefficients"][key].clone()
        };

        let (file, study) = (of_place("@ratings.csv"), of_place("--study river"));
        assert_eq!(file["value"], study["value"], "{file} {study}");
        let value = file["value"].as_f64().expect("it is defined");
        let low = file["interval"]["low"]
            .as_f64()
            .expect("it has an interval");
        assert!(low <= value && value <= 1.0, "{file}");
    }
}

/// Ranks and equality of z-scores have no meaning, and a ratio scale has no values below zero.
#[test]
fn z_scores_have_an_agreement_at_the_interval_level_alone() {
    let workspace = Workspace::with_study();
    workspace.write(
        "three.csv",
        "source,system,output,rater,rating\n\
         The dog barked.,A,It barked.,r1,80\n\
         The dog barked.,A,It barked.,r2,70\n\
         The cat sat.,A,It sat.,r1,20\n\
         The cat sat.,A,It sat.,r2,30\n\
         The sun set.,A,It set.,r1,50\n\
         The sun set.,A,It set.,r2,55\n",
    );

    let schema: serde_json::Value =
        serde_json::from_str(&workspace.run("schema agreement")).unwrap();
    let levels = schema["$defs"]["MeasurementLevel"]["enum"].clone();
    assert_eq!(levels, json!(["nominal", "ordinal", "interval", "ratio"]));

    for place in ["@three.csv", "--study river --dimension fluency"] {
        for level in ["nominal", "ordinal", "ratio"] {
            let command = format!("agreement {place} --level {level}");
            let report = workspace.value(&format!("{command} --by system --bootstrap 20"));
            assert_eq!(report["level"], level);
            assert!(report["raw"]["alpha"].is_number(), "{command}: {report}");
            for z in [&report["z"], &report["parts"]["A"]["z"]] {
                assert!(z["alpha"].is_null(), "{command}: {report}");
                for reason in [&z["undefined"], &z["interval"]["undefined"]] {
                    let reason = reason.as_str().unwrap();
                    assert!(reason.contains("at the interval level alone"), "{reason}");
                }
            }

            let table = workspace.run(&command);
            assert!(
                table.contains("alpha, z-scores                 undefined: z-scores have meaning"),
                "{table}"
            );
        }

        let report = workspace.value(&format!("agreement {place}"));
        assert!(report["z"]["alpha"].is_number(), "{report}");
    }
}

#[test]
fn groups_of_raters_are_those_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.error("agreement @ratings.csv --by group"), @"a file has no groups of raters: use --by group with --study");
    insta::assert_snapshot!(workspace.error("agreement --study river --by group"), @"the study has no groups of raters: define them in its settings first");
    insta::assert_snapshot!(workspace.error("systems --study river --group Experts"), @"the study has no group “Experts”; it has no groups of raters");

    let file = workspace.run("study export river");
    let mut study: serde_json::Value = serde_json::from_str(&file).unwrap();
    study["settings"]["groups"] = json!([{"id": "experts", "name": "Experts", "overlap": 2}]);
    workspace.write("grouped.json", &study.to_string());
    workspace.run("study import @grouped.json --slug grouped");
    workspace.run("import grouped @ratings.csv");

    // The raters of a file do not belong to a group.
    let report = workspace.value("agreement --study grouped --by group");
    assert_eq!(report["parts"]["Experts"]["units"], 0, "{report}");
    let report = workspace.value("systems --study grouped --group EXPERTS");
    assert_eq!(
        (&report["raters"], &report["ratings"]),
        (&json!(0), &json!(0))
    );
    insta::assert_snapshot!(workspace.error("systems --study grouped --group Readers"), @"the study has no group “Readers”; its groups are: Experts");
}

#[test]
fn agreement_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("agreement @ratings.csv"), @r#"
    dimension                       simplicity, from -2 to 2
    alpha, raw ratings              0.6964
    alpha, z-scores                 0.7228
    raters                          3
    units (outputs)                 6
    units with two ratings or more  6
    "#);

    insta::assert_snapshot!(workspace.json("agreement @ratings.csv --bootstrap 20"), @r#"
    {
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "level": "interval",
      "pairable_units": 6,
      "raters": 3,
      "raw": {
        "alpha": 0.696429,
        "interval": {"confidence":0.95,"high":0.716667,"low":0.587287,"replicates":20,"undefined":0}
      },
      "schema": "agreement/1",
      "units": 6,
      "warnings": [],
      "z": {
        "alpha": 0.722788,
        "interval": {"confidence":0.95,"high":0.75239,"low":0.641365,"replicates":20,"undefined":0}
      }
    }
    "#);

    insta::assert_snapshot!(workspace.json("agreement @ratings.csv --by dimension"), @r#"
    {
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "level": "interval",
      "mean": {"raw":{"alpha":0.75377},"z":{"alpha":0.772416}},
      "pairable_units": 6,
      "parts": {
        "fluency": {"pairable_units":6,"raw":{"alpha":0.811111},"units":6,"z":{"alpha":0.822043}},
        "simplicity": {"pairable_units":6,"raw":{"alpha":0.696429},"units":6,"z":{"alpha":0.722788}}
      },
      "raters": 3,
      "raw": {"alpha":0.696429},
      "schema": "agreement/1",
      "units": 6,
      "warnings": [],
      "z": {"alpha":0.722788}
    }
    "#);

    insta::assert_snapshot!(workspace.error("agreement @ratings.csv --dimension adequacy"), @r#"there are no ratings on “adequacy”; the dimensions are: simplicity, fluency"#);
}

#[test]
fn agreement_of_a_study() {
    let workspace = Workspace::with_study();
    assert_eq!(
        workspace.run("agreement --study river"),
        workspace.run("agreement @ratings.csv")
    );

    let figures = workspace.value("agreement --study river --by system");
    let additions = find_additions(&figures, &workspace.value("agreement @ratings.csv"));
    insta::assert_snapshot!(format_json(&additions["parts"], 0), @r#"
    {
      "A": {"pairable_units":3,"raw":{"alpha":0.333333},"units":3,"z":{"alpha":0.413372}},
      "B": {"pairable_units":3,"raw":{"alpha":-0.272727},"units":3,"z":{"alpha":-0.299308}}
    }
    "#);

    let kind = &additions["corrections"]["deletion"];
    insta::assert_snapshot!(format_json(kind, 0), @r#"
    {
      "added": 0,
      "automatic": 0,
      "changed": 0,
      "rate": null,
      "stood": 0,
      "taken_away": 0,
      "undefined": "there was no edit of this kind, so there was nothing to correct"
    }
    "#);

    let corrections = json!({
        "aligner": [],
        "outputs": 0,
        "corrected": 0,
        "deletion": kind,
        "paraphrase": kind,
        "split": kind,
    });
    let parts = &additions["parts"];
    assert_eq!(
        additions,
        json!({ "corrections": corrections, "parts": parts })
    );
}

#[test]
fn raters_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("raters @ratings.csv"), @r#"
    rater  ratings  mean   sd  fives  tens  flat  run  without            pairs
    3            6   0.0  1.3      –     –     –    1   0.8559  +0.1331  0.6685
    1            6   0.3  1.5      –     –     –    1   0.6186  -0.1042  0.7871
    2            6   0.3  1.1      –     –     –    1   0.7184  -0.0044  0.7372

    alpha of all, z-scores: 0.7228
    fives, tens: scores that are multiples of 5 and of 10. flat: sources with 3 or more rated outputs whose
    scores span at most 5 % of the scale. run: the most equal scores in a row. without: α of the others (on
    z-scores), and by how much it is above α of all. pairs: the mean of α with each other rater. –: undefined.

    To be looked at:
    3
      The others agree better without this rater: α rises by 0.133.
    "#);

    insta::assert_snapshot!(workspace.json("raters @ratings.csv"), @r#"
    {
      "agreement": {"alpha":0.722788},
      "dimension": "simplicity",
      "raters": [
        {
          "concerns": [
            {
              "name": "lowers agreement",
              "sentence": "The others agree better without this rater: α rises by 0.133."
            }
          ],
          "flat_sources": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
          "gain_without": {"alpha":0.133066},
          "histogram": {
            "bins": [
              {"count":1,"high":-1.5,"low":-2.5},
              {"count":1,"high":-0.5,"low":-1.5},
              {"count":2,"high":0.5,"low":-0.5},
              {"count":1,"high":1.5,"low":0.5},
              {"count":1,"high":2.5,"low":1.5}
            ],
            "outside": 0
          },
          "longest_run": 1,
          "mean": 0.0,
          "multiples_of_10": {"share":null,"undefined":"the scale has too few numbers for round ones to tell anything"},
          "multiples_of_5": {"share":null,"undefined":"the scale has too few numbers for round ones to tell anything"},
          "pairwise": {"mean":0.668485,"n":2},
          "rater": "3",
          "ratings": 6,
          "sd": {"value":1.290994},
          "without": {"alpha":0.855854}
        },
        {
          "concerns": [],
          "flat_sources": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
          "gain_without": {"alpha":-0.104237},
          "histogram": {
            "bins": [
              {"count":1,"high":-1.5,"low":-2.5},
              {"count":1,"high":-0.5,"low":-1.5},
              {"count":1,"high":0.5,"low":-0.5},
              {"count":1,"high":1.5,"low":0.5},
              {"count":2,"high":2.5,"low":1.5}
            ],
            "outside": 0
          },
          "longest_run": 1,
          "mean": 0.333333,
          "multiples_of_10": {"share":null,"undefined":"the scale has too few numbers for round ones to tell anything"},
          "multiples_of_5": {"share":null,"undefined":"the scale has too few numbers for round ones to tell anything"},
          "pairwise": {"mean":0.787136,"n":2},
          "rater": "1",
          "ratings": 6,
          "sd": {"value":1.490712},
          "without": {"alpha":0.618551}
        },
        {
          "concerns": [],
          "flat_sources": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
          "gain_without": {"alpha":-0.004369},
          "histogram": {
            "bins": [
              {"count":0,"high":-1.5,"low":-2.5},
              {"count":2,"high":-0.5,"low":-1.5},
              {"count":1,"high":0.5,"low":-0.5},
              {"count":2,"high":1.5,"low":0.5},
              {"count":1,"high":2.5,"low":1.5}
            ],
            "outside": 0
          },
          "longest_run": 1,
          "mean": 0.333333,
          "multiples_of_10": {"share":null,"undefined":"the scale has too few numbers for round ones to tell anything"},
          "multiples_of_5": {"share":null,"undefined":"the scale has too few numbers for round ones to tell anything"},
          "pairwise": {"mean":0.737203,"n":2},
          "rater": "2",
          "ratings": 6,
          "sd": {"value":1.105542},
          "without": {"alpha":0.718419}
        }
      ],
      "scale": {"high":2,"low":-2},
      "schema": "raters/1",
      "warnings": [],
      "without_scores": []
    }
    "#);
}

#[test]
fn raters_of_a_study() {
    let workspace = Workspace::with_study();
    let of_file = workspace.run("raters @ratings.csv");
    let (figures, concerns) = of_file
        .split_once("To be looked at:")
        .expect("a rater stands out");

    let of_study = workspace.run("raters --study river");
    let additions = of_study
        .strip_prefix(figures)
        .and_then(|rest| {
            rest.strip_suffix(concerns)?
                .strip_suffix("To be looked at:")
        })
        .expect("the study has the same figures and more");
    insta::assert_snapshot!(additions.trim_end(), @r#"
    rater  sources  median  fast  slow  against  groups  edits  copies  scrambled  repeated  attention
    3            0       –     –     –        –       –      –       –          –         –          –
    1            0       –     –     –        –       –      –       –          –         –          –
    2            0       –     –     –        –       –      –       –          –         –          –

    median: active seconds a source. fast, slow: sources whose time is an outlier among all raters' (|ln t −
    median| > 3.5 · 1.4826 · MAD). against: pairs ordered against their scores. groups: categories changed.
    edits: correction rate. copies: mean score. scrambled: noticed, by a score below the original, a lost
    comparison or marks. repeated: mean distance of the two scores. attention: items answered as expected.
    In brackets, how many.
    "#);

    let figures = workspace.value("raters --study river");
    let additions = find_additions(&figures, &workspace.value("raters @ratings.csv"));
    let work = &additions["raters"][0]["work"];
    insta::assert_snapshot!(format_json(work, 0), @r#"
    {
      "attention_passed": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "categories_changed": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "copies": {"mean":null,"n":0,"undefined":"0 values are too few, at least 1 are needed"},
      "copies_unmarked": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "edits_corrected": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "fast_sources": {"share":null,"undefined":"0 values are too few, at least 8 are needed"},
      "median_active_ms": {"undefined":"0 values are too few, at least 1 are needed","value":null},
      "order_against_scores": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "repeated_choices": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "repeated_difference": {"mean":null,"n":0,"undefined":"0 values are too few, at least 1 are needed"},
      "repeated_marks": {"mean":null,"n":0,"undefined":"0 values are too few, at least 1 are needed"},
      "scrambled": {"mean":null,"n":0,"undefined":"0 values are too few, at least 1 are needed"},
      "scrambled_below_original": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "scrambled_lost": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "scrambled_marked": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"},
      "slow_sources": {"share":null,"undefined":"0 values are too few, at least 8 are needed"},
      "timed_sources": 0,
      "unread_sources": {"count":0,"of":0,"share":null,"undefined":"0 values are too few, at least 1 are needed"}
    }
    "#);
    let rater = json!({ "work": work });
    assert_eq!(additions, json!({ "raters": [rater, rater, rater] }));
}

#[test]
fn systems_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("systems @ratings.csv"), @r#"
    simplicity, from -2 to 2
    rank  system  outputs  mean z     95 % interval  mean raw   95 % interval  letters
       1  A             3   0.858   -0.236 to 1.952      1.33   -0.10 to 2.77  a
       2  B             3  -0.858  -1.123 to -0.593     -0.89  -1.37 to -0.41  a
    Systems that share a letter cannot be told apart.
    "#);

    insta::assert_snapshot!(workspace.json("systems @ratings.csv"), @r#"
    {
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "method": "mean over outputs of the mean over raters; interval 95 %, t(.975, n-1)*s/sqrt(n) over outputs; z by rater over all ratings, population sd; ties share the smallest rank; letters: systems that share one cannot be told apart, by Wilcoxon's signed ranks over sources at .05 after Holm's correction",
      "rankings": [
        {
          "category": null,
          "systems": [
            {
              "kind": null,
              "letters": "a",
              "rank": 1,
              "rank_in_kind": 1,
              "raw": {"interval":[-0.100884,2.767551],"mean":1.333333,"outputs":3,"rank":1,"sd":0.57735},
              "system": "A",
              "z": {"interval":[-0.235859,1.951564],"mean":0.857853,"outputs":3,"rank":1,"sd":0.440278}
            },
            {
              "kind": null,
              "letters": "a",
              "rank": 2,
              "rank_in_kind": 2,
              "raw": {"interval":[-1.366961,-0.410816],"mean":-0.888889,"outputs":3,"rank":2,"sd":0.19245},
              "system": "B",
              "z": {"interval":[-1.122909,-0.592796],"mean":-0.857853,"outputs":3,"rank":2,"sd":0.106699}
            }
          ]
        }
      ],
      "raters": 3,
      "ratings": 18,
      "schema": "systems/1",
      "warnings": [],
      "z_from": "raw ratings"
    }
    "#);

    insta::assert_snapshot!(workspace.json("systems @ratings.csv --by category"), @r#"
    {
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "method": "mean over outputs of the mean over raters; interval 95 %, t(.975, n-1)*s/sqrt(n) over outputs; z by rater over all ratings, population sd; ties share the smallest rank; letters: systems that share one cannot be told apart, by Wilcoxon's signed ranks over sources at .05 after Holm's correction",
      "rankings": [
        {"category":"split","systems":[]},
        {
          "category": "deletion",
          "systems": [
            {
              "kind": null,
              "letters": "a",
              "rank": 1,
              "rank_in_kind": 1,
              "raw": {"interval":[-5.186436,7.519769],"mean":1.166667,"outputs":2,"rank":1,"sd":0.707107},
              "system": "A",
              "z": {"interval":[-3.981244,5.421406],"mean":0.720081,"outputs":2,"rank":1,"sd":0.523262}
            },
            {
              "kind": null,
              "letters": "a",
              "rank": 2,
              "rank_in_kind": 2,
              "raw": {"interval":[-2.951034,1.284367],"mean":-0.833333,"outputs":2,"rank":2,"sd":0.235702},
              "system": "B",
              "z": {"interval":[-2.030087,0.371573],"mean":-0.829257,"outputs":2,"rank":2,"sd":0.133654}
            }
          ]
        },
        {
          "category": "paraphrase",
          "systems": [
            {
              "kind": null,
              "letters": "a",
              "rank": 1,
              "rank_in_kind": 1,
              "raw": {
                "interval": null,
                "mean": 1.666667,
                "outputs": 1,
                "rank": 1,
                "sd": null,
                "undefined": "1 values are too few, at least 2 are needed"
              },
              "system": "A",
              "z": {
                "interval": null,
                "mean": 1.133396,
                "outputs": 1,
                "rank": 1,
                "sd": null,
                "undefined": "1 values are too few, at least 2 are needed"
              }
            },
            {
              "kind": null,
              "letters": "a",
              "rank": 2,
              "rank_in_kind": 2,
              "raw": {
                "interval": null,
                "mean": -1.0,
                "outputs": 1,
                "rank": 2,
                "sd": null,
                "undefined": "1 values are too few, at least 2 are needed"
              },
              "system": "B",
              "z": {
                "interval": null,
                "mean": -0.915044,
                "outputs": 1,
                "rank": 2,
                "sd": null,
                "undefined": "1 values are too few, at least 2 are needed"
              }
            }
          ]
        }
      ],
      "raters": 3,
      "ratings": 18,
      "schema": "systems/1",
      "warnings": [],
      "z_from": "raw ratings"
    }
    "#);
}

#[test]
fn systems_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("systems --study river"), @r#"
    simplicity, from -2 to 2
    rank  system  kind     outputs  mean z     95 % interval  mean raw   95 % interval  letters
       1  A       machine        3   0.858   -0.236 to 1.952      1.33   -0.10 to 2.77  a
       2  B       machine        3  -0.858  -1.123 to -0.593     -0.89  -1.37 to -0.41  a
    Systems that share a letter cannot be told apart.
    "#);

    let figures = workspace.json("systems --study river");
    assert_eq!(
        figures.replace(r#""kind": "machine""#, r#""kind": null"#),
        workspace.json("systems @ratings.csv")
    );
}

#[test]
fn systems_of_a_study_with_a_metrics_help() {
    let workspace = Workspace::new();
    let mut outputs = "source_id,source,system,output\n".to_owned();
    let mut ratings = "source_id,source,system,output,rater,rating\n".to_owned();
    let mut scores = "source_id,system,guess\n".to_owned();
    for source in 0..24 {
        for (system, better) in [("plain", 0), ("clear", 20)] {
            // Ratings follow the scores, with some noise that no metric sees.
            let score = (source * 7) % 12;
            let output =
                format!("{source},Source {source} is here.,{system},Output {source} of {system}.");
            outputs += &format!("{output}\n");
            scores += &format!("{source},{system},{score}\n");
            for rater in 0..2 {
                let rating = 20 + better + 3 * score + (source * 5 + rater * 3) % 7;
                if source < 11 {
                    ratings += &format!("{output},rater {rater},{rating}\n");
                }
            }
        }
    }

    workspace.write("outputs.csv", &outputs);
    workspace.write("ratings.csv", &ratings);
    workspace.write("scores.csv", &scores);
    workspace.run("import river @outputs.csv --create");
    workspace.run("import river @ratings.csv");

    let missing = workspace.error("systems --study river --with-metric guess");
    assert!(missing.contains("score its outputs"), "{missing}");
    workspace.run("import river --scores @scores.csv");
    let text = workspace.run("systems --study river --with-metric guess");
    assert!(text.contains("guess saves about"), "{text}");

    let report = workspace.value("systems --study river --with-metric guess");
    let assisted = &report["assisted"];
    assert_eq!(assisted["unit"], "z");
    let systems = assisted["systems"].as_array().unwrap();
    let names: Vec<_> = systems.iter().map(|of| &of["system"]).collect();
    assert_eq!(names, ["clear", "plain"]);
    for system in systems {
        assert_eq!(
            (&system["rated"], &system["unrated"]),
            (&11.into(), &13.into())
        );
        let width = |key: &str| {
            let ends = &system[key];
            ends[1].as_f64().unwrap() - ends[0].as_f64().unwrap()
        };
        assert!(
            width("interval") < 0.8 * width("plain_interval"),
            "{system}"
        );
    }

    let other = workspace.error("systems --study river --with-metric other");
    assert!(other.contains("its metrics are: guess"), "{other}");
    workspace.error("systems @ratings.csv --with-metric guess");
}
