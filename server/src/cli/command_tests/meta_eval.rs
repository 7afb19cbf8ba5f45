//! Evaluating metrics against people.

use std::collections::BTreeSet;

use testdata::{needs_released_data, released_path};

use super::{Workspace, find_additions, format_json};

#[test]
fn metrics_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("meta-eval --ratings @ratings.csv --metrics fkgl,compression --bootstrap 20"), @r#"
    metric                      tau [95 %]  split  paraphrase  deletion  for : against             r [95 %]     rho   tau-b  r of systems
    fkgl (reversed)  -1.000 [-1.00, -1.00]      –           –    -1.000          0 : 1  0.064 [-0.00, 0.73]   0.139   0.092             –
    compression         1.000 [1.00, 1.00]      –           –     1.000          1 : 0  0.042 [-0.69, 1.00]  -0.059  -0.072             –
    6 outputs of 3 sources; 0 pairs without a preference; ratings on simplicity tie up to 5 % of the scale, 0.2 points on -2 to 2
    tau-like|consensus:majority|tie:5%|points:0.2|scale:-2..2|dimension:simplicity|version:rankrate-0.2.0
    ! these are ratings on simplicity, the first of: simplicity, fluency; --dimension takes another
    "#);

    let plain = workspace.value("meta-eval --ratings @ratings.csv --metrics fkgl --bootstrap 20");
    insta::assert_snapshot!(format_json(&plain, 0), @r#"
    {
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "metrics": {
        "fkgl": {
          "ci": [-1.0,-1.0],
          "concordant": 0,
          "direction": "lower-is-better",
          "discordant": 1,
          "kendall_b": 0.09245,
          "kendall_b_p": 0.81599,
          "metric_ties": 1,
          "outputs": 6,
          "pearson": 0.064312,
          "pearson_ci": [-0.002172,0.728272],
          "pearson_fisher_ci": [-0.788398,0.832426],
          "signature": "fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0",
          "skipped": 0,
          "sources_left_out": 0,
          "spearman": 0.139262,
          "spearman_ci": [0.123797,0.822328],
          "system": {
            "pearson": null,
            "pearson_ci": null,
            "spearman": null,
            "spearman_ci": null,
            "undefined": {
              "pearson": "2 values are too few, at least 3 are needed",
              "pearson_ci": "2 values are too few, at least 3 are needed",
              "spearman": "2 values are too few, at least 3 are needed",
              "spearman_ci": "2 values are too few, at least 3 are needed"
            }
          },
          "tau": {"Deletions":-1.0,"Paraphrases":null,"Splittings":null,"all":-1.0},
          "undefined": {
            "tau.Paraphrases": "no pair of outputs is told apart by the raters, so there is no order to match",
            "tau.Splittings": "no pair of outputs is told apart by the raters, so there is no order to match"
          },
          "unscored": 0
        }
      },
      "outputs": 6,
      "schema": "meta-eval/1",
      "signature": "tau-like|consensus:majority|tie:5%|points:0.2|scale:-2..2|dimension:simplicity|version:rankrate-0.2.0",
      "sources": 3,
      "tie_threshold": {"given":"5%","points":0.2},
      "warnings": ["these are ratings on simplicity, the first of: simplicity, fluency; --dimension takes another"]
    }
    "#);

    let longer = workspace.value("meta-eval --ratings @ratings.csv --metrics compression,fkgl --against fkgl --upper-limit --degenerate --bootstrap 20");
    insta::assert_snapshot!(format_json(&find_additions(&longer, &plain), 0), @r#"
    {
      "against": "fkgl",
      "metrics": {
        "compression": {
          "ci": [1.0,1.0],
          "concordant": 1,
          "degenerate": {
            "by": {
              "addition": {"cases":3,"share":0.0},
              "copy": {"cases":3,"share":0.0},
              "deletion": {"cases":3,"share":1.0},
              "first_words": {"cases":0,"share":null},
              "generic": {"cases":3,"share":0.0},
              "periods": {"cases":0,"share":null},
              "scramble": {"cases":3,"share":0.0},
              "swapped": {"cases":3,"share":0.0},
              "unrelated": {"cases":3,"share":0.0}
            },
            "share": 0.142857
          },
          "difference": {
            "pearson": {"bootstrap_p":1.0,"ci":[-0.385533,0.677017],"permutation_p":1.0,"value":-0.022281},
            "tau": {"bootstrap_p":0.117647,"ci":[2.0,2.0],"permutation_p":1.0,"value":2.0}
          },
          "direction": "neither",
          "discordant": 0,
          "kendall_b": -0.071611,
          "kendall_b_p": 0.845494,
          "metric_ties": 0,
          "outputs": 6,
          "pearson": 0.042031,
          "pearson_ci": [-0.689341,1.0],
          "pearson_fisher_ci": [-0.796707,0.825436],
          "signature": "compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0",
          "skipped": 0,
          "sources_left_out": 0,
          "spearman": -0.058849,
          "spearman_ci": [-0.636364,1.0],
          "system": {
            "pearson": null,
            "pearson_ci": null,
            "spearman": null,
            "spearman_ci": null,
            "undefined": {
              "pearson": "2 values are too few, at least 3 are needed",
              "pearson_ci": "2 values are too few, at least 3 are needed",
              "spearman": "2 values are too few, at least 3 are needed",
              "spearman_ci": "2 values are too few, at least 3 are needed"
            }
          },
          "tau": {"Deletions":1.0,"Paraphrases":null,"Splittings":null,"all":1.0},
          "undefined": {
            "tau.Paraphrases": "no pair of outputs is told apart by the raters, so there is no order to match",
            "tau.Splittings": "no pair of outputs is told apart by the raters, so there is no order to match"
          },
          "unscored": 0
        },
        "fkgl": {
          "degenerate": {
            "by": {
              "addition": {"cases":3,"share":0.666667},
              "copy": {"cases":3,"share":0.0},
              "deletion": {"cases":3,"share":0.666667},
              "first_words": {"cases":0,"share":null},
              "generic": {"cases":3,"share":1.0},
              "periods": {"cases":0,"share":null},
              "scramble": {"cases":3,"share":0.0},
              "swapped": {"cases":3,"share":0.0},
              "unrelated": {"cases":3,"share":0.666667}
            },
            "share": 0.428571
          }
        }
      },
      "upper_limit": {
        "pairs": 3,
        "pearson": 0.771153,
        "raters": [
          {"outputs":6,"pairs":1,"pearson":0.855577,"rater":"1","tau":1.0},
          {"outputs":6,"pairs":1,"pearson":0.785069,"rater":"2","tau":1.0},
          {"outputs":6,"pairs":1,"pearson":0.672814,"rater":"3","tau":1.0}
        ],
        "tau": 1.0
      }
    }
    "#);
}

/// Raters tie often on a scale of few levels. None contradicts another here, so no metric can exceed the limit.
#[test]
fn ties_of_raters_do_not_lower_the_upper_limit() {
    let workspace = Workspace::new();
    for ratings in [
        [[5, 4, 3, 1], [5, 5, 3, 3], [4, 4, 4, 1]],
        [[3, 2, 2, 1], [3, 3, 2, 2], [2, 2, 2, 1]],
    ] {
        let mut file = "source,system,output,category,rater,rating\n".to_owned();
        for source in 1..=6 {
            for (rater, ratings) in ratings.iter().enumerate() {
                for (system, rating) in ratings.iter().enumerate() {
                    // Better outputs are shorter.
                    let output = "very ".repeat(system + 1);
                    file += &format!(
                        "Text {source}.,S{system},A {output}short text.,paraphrase,r{rater},{rating}\n"
                    );
                }
            }
        }
        workspace.write("levels.csv", &file);
        let command =
            "meta-eval --ratings @levels.csv --metrics compression --upper-limit --bootstrap 20";

        let report = workspace.value(command);
        let limit = &report["upper_limit"];
        assert_eq!(limit["tau"], 1.0, "{limit}");
        for rater in limit["raters"].as_array().unwrap() {
            assert_eq!(rater["tau"], 1.0, "{limit}");
            assert!(rater["pairs"].as_u64() >= Some(6), "{limit}");
        }

        let text = workspace.run(command);
        assert!(text.contains("tau 1.000 (3 raters, "), "{text}");
    }
}

/// Two of three rated outputs have a score: too few for a correlation, even if a resample draws them often enough.
#[test]
fn an_undefined_figure_has_a_reason_and_no_interval() {
    let workspace = Workspace::new();
    let sources = ["dog barked", "cat sat", "sun set"];
    let rows = sources.iter().zip([80, 20, 50]);
    let rows: String = rows
        .map(|(source, rating)| format!("The {source}.,A,It {source}.,r1,{rating}\n"))
        .collect();
    workspace.write(
        "three.csv",
        &format!("source,system,output,rater,rating\n{rows}"),
    );

    for scores in [[Some(0.9), Some(0.1), None], [None, Some(0.2), Some(0.7)]] {
        let rows = sources.iter().zip(scores);
        let rows = rows.filter_map(|(source, score)| Some(format!("The {source}.,A,{}\n", score?)));
        let rows: String = rows.collect();
        workspace.write("scores.csv", &format!("source,system,taste\n{rows}"));
        let report = workspace.value(
            "meta-eval --ratings @three.csv --scores @scores.csv --metrics compression --against compression",
        );

        let metric = &report["metrics"]["taste"];
        let reasons = &metric["undefined"];
        for figure in ["pearson", "spearman", "pearson_fisher_ci"] {
            assert!(metric[figure].is_null(), "{metric}");
            assert_eq!(
                reasons[figure],
                "2 values are too few, at least 3 are needed"
            );
        }
        for interval in ["pearson_ci", "spearman_ci"] {
            assert!(
                metric[interval].is_null() && reasons[interval].is_string(),
                "{metric}"
            );
        }
        let difference = &metric["difference"]["pearson"];
        for figure in ["value", "ci", "bootstrap_p", "permutation_p"] {
            assert!(difference[figure].is_null(), "{metric}");
            assert!(difference["undefined"][figure].is_string(), "{metric}");
        }

        // Each null in the report has a reason, and nothing else has one.
        for (name, metric) in report["metrics"].as_object().unwrap() {
            for part in [metric, &metric["system"]] {
                let figures = part.as_object().unwrap();
                let undefined = figures
                    .iter()
                    .filter(|(key, value)| value.is_null() && *key != "signature");
                let undefined: BTreeSet<_> = undefined.map(|(key, _)| key).collect();
                let reasons = part["undefined"].as_object().unwrap().keys();
                let reasons: BTreeSet<_> = reasons.filter(|key| !key.contains('.')).collect();
                assert_eq!(undefined, reasons, "{name}");
            }
        }

        let table = workspace.run("meta-eval --ratings @three.csv --scores @scores.csv");
        assert!(
            !table.contains("[-1.00, -1.00]") && !table.contains("[1.00, 1.00]"),
            "{table}"
        );
    }
}

/// A number that is too large for figures is a fault of its row, in files of scores and of ratings.
#[test]
fn numbers_that_are_too_large_are_left_out_and_named() {
    let workspace = Workspace::new();
    workspace.write(
        "huge.csv",
        "source,system,lens\n\
         The vessel sank near the coast.,A,0.5\n\
         The vessel sank near the coast.,B,1e308\n\
         Rain fell on the roof all night.,A,0.4\n\
         Rain fell on the roof all night.,B,-1e308\n\
         The council withdrew its plan.,A,0.7\n\
         The council withdrew its plan.,B,0.1\n",
    );
    let report =
        workspace.value("meta-eval --ratings @ratings.csv --scores @huge.csv --bootstrap 20");
    assert_eq!(report["metrics"]["lens"]["unscored"], 2);
    assert!(report["metrics"]["lens"]["pearson"].is_number(), "{report}");
    let warnings = report["warnings"].to_string();
    let expected =
        "2 rows of @huge.csv are left out, the first: line 3, “lens”: “1e308” is beyond 1e15";
    assert!(warnings.contains(expected), "{warnings}");

    let ratings = workspace.read("ratings.csv");
    workspace.write("large.csv", &ratings.replacen(",2,5", ",2e15,5", 1));
    for command in [
        "agreement @large.csv",
        "systems @large.csv",
        "compare A B @large.csv",
    ] {
        let warnings = workspace.value(command)["warnings"].to_string();
        assert!(
            warnings.contains("line 2, “Answer.simplicity”: “2e15” is beyond 1e15"),
            "{command}: {warnings}"
        );
    }
}

#[test]
fn metrics_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.json("meta-eval --study river --dimension fluency --metrics compression --bootstrap 20"), @r#"
    {
      "dimension": {"name":"fluency","scale":{"high":5,"low":1}},
      "metrics": {
        "compression": {
          "ci": [1.0,1.0],
          "concordant": 1,
          "direction": "neither",
          "discordant": 0,
          "kendall_b": 0.0,
          "kendall_b_p": 1.0,
          "metric_ties": 0,
          "outputs": 6,
          "pearson": 0.076053,
          "pearson_ci": [-0.839126,0.890904],
          "pearson_fisher_ci": [-0.783891,0.836014],
          "signature": "compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0",
          "skipped": 0,
          "sources_left_out": 0,
          "spearman": 0.086966,
          "spearman_ci": [-0.827273,0.913636],
          "system": {
            "pearson": null,
            "pearson_ci": null,
            "spearman": null,
            "spearman_ci": null,
            "undefined": {
              "pearson": "2 values are too few, at least 3 are needed",
              "pearson_ci": "2 values are too few, at least 3 are needed",
              "spearman": "2 values are too few, at least 3 are needed",
              "spearman_ci": "2 values are too few, at least 3 are needed"
            }
          },
          "tau": {"Deletions":1.0,"Paraphrases":null,"Splittings":null,"all":1.0},
          "undefined": {
            "tau.Paraphrases": "no pair of outputs is told apart by the raters, so there is no order to match",
            "tau.Splittings": "no pair of outputs is told apart by the raters, so there is no order to match"
          },
          "unscored": 0
        }
      },
      "outputs": 6,
      "schema": "meta-eval/1",
      "signature": "tau-like|consensus:majority|tie:5%|points:0.2|scale:1..5|dimension:fluency|version:rankrate-0.2.0",
      "sources": 3,
      "tie_threshold": {"given":"5%","points":0.2},
      "warnings": []
    }
    "#);
}

/// The output of A is longer only by the spaces of its tokenisation. A tie counts against a metric.
#[test]
fn texts_can_be_prepared_as_in_the_evaluation_of_lens() {
    let workspace = Workspace::new();
    workspace.write(
        "tokenised.csv",
        "WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity\n\
         1,\"The old (wooden) vessel sank, and nobody knew why.\",\"The old ( wooden ) vessel sank , nobody knew why.\",A,2\n\
         1,\"The old (wooden) vessel sank, and nobody knew why.\",\"The old (wooden) vessel sank, and nobody knew.\",B,-1\n",
    );

    let evaluate = |more: &str| {
        let command = "meta-eval --ratings @tokenised.csv --metrics compression --bootstrap 20";
        let report = workspace.value(&format!("{command} {more}"));
        let metric = &report["metrics"]["compression"];
        let signature = metric["signature"].as_str().map(str::to_owned);
        (
            metric["tau"]["all"].as_f64(),
            signature,
            report["like"].clone(),
        )
    };

    let (as_written, signature, like) = evaluate("");
    assert_eq!((as_written, like), (Some(1.0), serde_json::Value::Null));
    assert!(signature.is_some_and(|signature| !signature.contains("texts:")));

    // Worthless texts are prepared in the same way.
    let (with_worthless, _, _) = evaluate("--like lens --degenerate");
    assert_eq!(with_worthless, Some(-1.0));

    let (cleaned, signature, like) = evaluate("--like lens");
    assert_eq!((cleaned, like), (Some(-1.0), "lens".into()));
    assert!(signature.is_some_and(|signature| signature.ends_with("|texts:lens")));
}

/// Table 2 of Scialom et al. (2021): Pearson's r with people on the outputs of systems. Their programs count syllables
/// and smooth BLEU differently, and use another version of SARI.
#[needs_released_data("asset", "asset_ratings")]
#[test]
fn figures_of_the_evaluation_with_questeval_are_reproduced() {
    let workspace = Workspace::new();
    let [ratings, references] = ["asset_ratings/human_ratings.csv", "asset"]
        .map(|path| released_path(path).display().to_string());
    for (dimension, fkgl, bleu, sari) in [
        ("fluency", -0.168, 0.379, 0.183),
        ("simplicity", -0.089, 0.302, 0.252),
        ("meaning", -0.289, 0.411, 0.160),
    ] {
        let report = workspace.value(&format!(
            "meta-eval --ratings {ratings} --references {references} --dimension {dimension} --metrics fkgl,bleu,sari \
             --like questeval --bootstrap 2"
        ));

        for (metric, published, tolerance) in [
            ("fkgl", fkgl, 0.002),
            ("bleu", bleu, 0.01),
            ("sari", sari, 0.04),
        ] {
            let r = report["metrics"][metric]["pearson"].as_f64().unwrap();
            assert!(
                (r - published).abs() < tolerance,
                "{metric}, {dimension}: {r}, published {published}"
            );
        }
    }
}
