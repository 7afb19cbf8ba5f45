//! Holding metrics against people.

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
          "system": {"pearson":null,"pearson_ci":null,"spearman":null,"spearman_ci":null},
          "tau": {"Deletions":-1.0,"Paraphrases":null,"Splittings":null,"all":-1.0},
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
          "system": {"pearson":null,"pearson_ci":null,"spearman":null,"spearman_ci":null},
          "tau": {"Deletions":1.0,"Paraphrases":null,"Splittings":null,"all":1.0},
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
        "pearson": 0.771153,
        "raters": [
          {"outputs":6,"pearson":0.855577,"rater":"1","tau":1.0},
          {"outputs":6,"pearson":0.785069,"rater":"2","tau":1.0},
          {"outputs":6,"pearson":0.672814,"rater":"3","tau":1.0}
        ],
        "tau": 1.0
      }
    }
    "#);
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
          "system": {"pearson":null,"pearson_ci":null,"spearman":null,"spearman_ci":null},
          "tau": {"Deletions":1.0,"Paraphrases":null,"Splittings":null,"all":1.0},
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

/// The output of A is the longer one by the spaces of its tokenisation alone; a tie counts against a metric.
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
    let (cleaned, signature, like) = evaluate("--like lens");
    assert_eq!((cleaned, like), (Some(-1.0), "lens".into()));
    assert!(signature.is_some_and(|signature| signature.ends_with("|texts:lens")));
}

/// Table 2 of Scialom et al. (2021), Pearson's r with people on the outputs of systems. Their programs count syllables
/// and smooth BLEU differently, and another version of SARI was used.
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
