//! Testing whether one system is better than another.

use super::{Workspace, format_json};

#[test]
fn two_systems_of_a_file_are_compared() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("compare A B @ratings.csv"), @r#"
    simplicity, from -2 to 2
    A = A, B = B
                                    z-scores                  points
    sources with both               3                         3
    A better, equal, B better       3, 0, 0                   3, 0, 0
    mean difference, A - B          1.7157                    2.2222
    95 % interval                   0.3569 to 3.0745          0.3099 to 4.1345
    paired t                        5.433, df 2               5.000, df 2
      p, two-sided                  0.0322                    0.0377
    Wilcoxon W+, W-                 6, 0                      6, 0
      p, two-sided                  0.2500                    0.2500
    rank-biserial correlation       1.0000                    1.0000
    "#);

    insta::assert_snapshot!(workspace.json("compare A B @ratings.csv"), @r#"
    {
      "a": "A",
      "b": "B",
      "dimension": {"name":"simplicity","scale":{"high":2,"low":-2}},
      "raw": {
        "difference": 2.222222,
        "losses": 0,
        "sources": 3,
        "t": {
          "df": 2.0,
          "difference": 2.222222,
          "interval": [0.309932,4.134512],
          "p": 0.03775,
          "p_greater": 0.018875,
          "t": 5.0
        },
        "ties": 0,
        "wilcoxon": {"n":3,"p":0.25,"rank_biserial":1.0,"w_minus":0.0,"w_plus":6.0,"z":null},
        "wins": 3
      },
      "schema": "compare/1",
      "tests": "paired by source; two-sided; t: Student's paired t-test with its 95 % interval t(.975, n-1)*s/sqrt(n); Wilcoxon: signed ranks, zero differences dropped (Wilcoxon 1945), exact to 50 pairs without ties and zeros and to 25 other differences with some, else normal with tie correction and without continuity correction; rank-biserial (W+ - W-)/(W+ + W-); correction for many pairs: Holm (1979)",
      "warnings": [],
      "z": {
        "difference": 1.715705,
        "losses": 0,
        "sources": 3,
        "t": {
          "df": 2.0,
          "difference": 1.715705,
          "interval": [0.356945,3.074465],
          "p": 0.032249,
          "p_greater": 0.016124,
          "t": 5.432957
        },
        "ties": 0,
        "wilcoxon": {"n":3,"p":0.25,"rank_biserial":1.0,"w_minus":0.0,"w_plus":6.0,"z":null},
        "wins": 3
      }
    }
    "#);

    insta::assert_snapshot!(workspace.error("compare A C @ratings.csv"), @r#"no system is called “C”; there are: A, B"#);
    insta::assert_snapshot!(workspace.error("compare A A @ratings.csv"), @r#"name two different systems"#);
}

/// A system is better by one point on each of four sources: two of the 16 assignments of signs are as extreme.
#[test]
fn few_sources_with_equal_differences_have_an_exact_p() {
    let workspace = Workspace::new();
    for (sources, p, shown) in [
        (4, 0.125, "0.1250"),
        (5, 0.0625, "0.0625"),
        (6, 0.03125, "0.031"),
    ] {
        let mut file = "source,system,output,rater,rating\n".to_owned();
        for source in 1..=sources {
            for (system, rating) in [("X", 4), ("Y", 3)] {
                file += &format!(
                    "Sentence {source} here.,{system},Out {system} {source}.,r1,{rating}\n"
                );
            }
        }
        workspace.write("few.csv", &file);
        let report = workspace.value("compare X Y @few.csv");
        for unit in ["raw", "z"] {
            assert_eq!(report[unit]["wilcoxon"]["p"], p, "{report}");
        }

        let text = workspace.run("compare X Y @few.csv");
        let line = text
            .lines()
            .skip_while(|line| !line.contains("Wilcoxon"))
            .nth(1);
        assert!(line.is_some_and(|line| line.contains(shown)), "{text}");

        let ranking = workspace.value("systems @few.csv");
        let letters = ranking["rankings"][0]["systems"][1]["letters"].as_str();
        assert_eq!(letters, Some(if sources < 6 { "a" } else { "b" }));
    }
}

#[test]
fn sources_within_the_threshold_are_equal() {
    let workspace = Workspace::new();
    // The means of A exceed those of B by 8/3, 4/3 and 8/3 points.
    let text = workspace.run("compare A B @ratings.csv --ties 1.5");
    let line = text.lines().find(|line| line.contains("by more than"));
    assert_eq!(
        line.map(str::trim),
        Some(
            "by more than 1.5 points                                 2 (66.7 %), 1 (33.3 %), 0 (0.0 %)"
        )
    );

    let figures = workspace.value("compare A B @ratings.csv --ties 37.5%");
    insta::assert_snapshot!(format_json(&figures["outcomes"], 0), @r#"{"better":2,"equal":1,"points":1.5,"shares":[0.666667,0.333333,0.0],"ties":"37.5%","worse":0}"#);
    let same = workspace.value("compare B A @ratings.csv --ties 0");
    assert_eq!(same["outcomes"]["worse"], same["raw"]["losses"]);
    let error = workspace.error("compare A B @ratings.csv --ties many");
    assert!(error.contains("is not a threshold"), "{error}");
}

/// Systems without a common source can be compared as independent samples only; here every source of A is above every
/// source of B.
#[test]
fn systems_of_different_sources_are_compared_unpaired() {
    let workspace = Workspace::new();
    workspace.write(
        "different.csv",
        "original_id,original,generation,system,sentence_type,rating_1,rating_2\n\
         0,Text 0.,T 0.,A,Paraphrases,90,93\n\
         1,Text 1.,T 1.,A,Paraphrases,80,83\n\
         2,Text 2.,T 2.,A,Paraphrases,85,88\n\
         3,Text 3.,T 3.,B,Paraphrases,20,23\n\
         4,Text 4.,T 4.,B,Paraphrases,30,33\n\
         5,Text 5.,T 5.,B,Paraphrases,10,13\n",
    );

    insta::assert_snapshot!(workspace.run("compare A B @different.csv --unpaired"), @r#"
    overall, from 0 to 100
    A = A, B = B
                                    z-scores                  points
    sources with both               0                         0
    A better, equal, B better       0, 0, 0                   0, 0, 0
    mean difference, A - B          none                      none
    95 % interval                   undefined                 undefined
    paired t                        undefined                 undefined
      p, two-sided                  undefined                 undefined
    Wilcoxon W+, W-                 undefined                 undefined
      p, two-sided                  undefined                 undefined
    rank-biserial correlation       undefined                 undefined
    sources of A, of B              3, 3                      3, 3
    Welch's t                       10.070, df 2.9            10.070, df 2.9
      p, two-sided                  0.0023                    0.0023
    Mann-Whitney U of A             9                         9
      p, two-sided                  0.1000                    0.1000
    "#);

    let mut figures = workspace.value("compare A B @different.csv --unpaired");
    assert_eq!(figures["z"].take(), figures["raw"]);
    insta::assert_snapshot!(format_json(&figures, 0), @r#"
    {
      "a": "A",
      "b": "B",
      "dimension": {"name":"overall","scale":{"high":100,"low":0}},
      "raw": {
        "difference": null,
        "losses": 0,
        "sources": 0,
        "t": null,
        "t_undefined": "0 values are too few, at least 2 are needed",
        "ties": 0,
        "unpaired": {
          "mann_whitney": {"p":0.1,"rank_biserial":1.0,"u_a":9.0},
          "sources_a": 3,
          "sources_b": 3,
          "welch": {"df":2.941176,"p":0.002269,"t":10.069757}
        },
        "wilcoxon": null,
        "wilcoxon_undefined": "0 values are too few, at least 1 are needed",
        "wins": 0
      },
      "schema": "compare/1",
      "tests": "paired by source; two-sided; t: Student's paired t-test with its 95 % interval t(.975, n-1)*s/sqrt(n); Wilcoxon: signed ranks, zero differences dropped (Wilcoxon 1945), exact to 50 pairs without ties and zeros and to 25 other differences with some, else normal with tie correction and without continuity correction; rank-biserial (W+ - W-)/(W+ + W-); correction for many pairs: Holm (1979)",
      "warnings": [],
      "z": null
    }
    "#);
}

#[test]
fn a_study_is_compared_by_dimension() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.json("compare A B --study river --dimension fluency"), @r#"
    {
      "a": "A",
      "b": "B",
      "dimension": {"name":"fluency","scale":{"high":5,"low":1}},
      "raw": {
        "difference": 2.666667,
        "losses": 0,
        "sources": 3,
        "t": {
          "df": 2.0,
          "difference": 2.666667,
          "interval": [1.010575,4.322758],
          "p": 0.020204,
          "p_greater": 0.010102,
          "t": 6.928203
        },
        "ties": 0,
        "wilcoxon": {"n":3,"p":0.25,"rank_biserial":1.0,"w_minus":0.0,"w_plus":6.0,"z":null},
        "wins": 3
      },
      "schema": "compare/1",
      "tests": "paired by source; two-sided; t: Student's paired t-test with its 95 % interval t(.975, n-1)*s/sqrt(n); Wilcoxon: signed ranks, zero differences dropped (Wilcoxon 1945), exact to 50 pairs without ties and zeros and to 25 other differences with some, else normal with tie correction and without continuity correction; rank-biserial (W+ - W-)/(W+ + W-); correction for many pairs: Holm (1979)",
      "warnings": [],
      "z": {
        "difference": 1.786437,
        "losses": 0,
        "sources": 3,
        "t": {
          "df": 2.0,
          "difference": 1.786437,
          "interval": [0.633719,2.939156],
          "p": 0.021759,
          "p_greater": 0.01088,
          "t": 6.668082
        },
        "ties": 0,
        "wilcoxon": {"n":3,"p":0.25,"rank_biserial":1.0,"w_minus":0.0,"w_plus":6.0,"z":null},
        "wins": 3
      }
    }
    "#);
}
