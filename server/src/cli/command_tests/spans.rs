//! Figures from marked spans.

use super::Workspace;

/// Two raters on three sources of two systems, which share an output; a repeated and an unreadable line.
const SPANS: &str = r#"{"source_id":"1","source":"The old ferry sank.","output":"The ferry sank.","system":"T5","rater":"Ada","marks":[{"type":"Removal","level":"correct","value":1,"source":[[4,7]]}]}
{"source_id":"1","source":"The old ferry sank.","output":"The ferry sank.","system":"T5","rater":"Grace","marks":[{"type":"Removal","level":"correct","value":1,"source":[[0,7]]}]}
{"source_id":"1","source":"The old ferry sank.","output":"The ferry sank.","system":"Copy","rater":"Ada","marks":[{"type":"Removal","level":"correct","value":1,"source":[[4,7]]}]}
{"source_id":"2","source":"He purchased it.","output":"He bought it.","system":"T5","rater":"Ada","marks":[{"type":"Word","level":"wrong","value":0,"source":[[3,12]],"output":[[3,9]]}]}
{"source_id":"2","source":"He purchased it.","output":"He bought it.","system":"T5","rater":"Grace","marks":[{"type":"Word","level":"correct","value":1,"source":[[3,12]],"output":[[3,9]]}]}
{"source_id":"2","source":"He purchased it.","output":"He purchased it.","system":"Copy","rater":"Ada","marks":[]}
{"source_id":"3","source":"It rained.","output":"Rain fell.","system":"T5","rater":"Ada","marks":[{"type":"Word","level":"correct","value":1,"source":[[3,9]],"output":[[0,4]]}]}
{"source_id":"3","source":"It rained.","output":"Rain fell.","system":"T5","rater":"Ada","marks":[]}
{"source_id":"3","source":"It rained.","output":"It rained.","system":"Copy","rater":"Ada","marks":[{"type":"Word","source":[[3,40]]}]}
"#;

#[test]
fn spans_of_a_file() {
    let workspace = Workspace::new();
    workspace.write("spans.jsonl", SPANS);
    insta::assert_snapshot!(workspace.run("spans @spans.jsonl"), @"
    outputs                         4
    outputs with two raters or more 2
    sources                         3
    raters                          2
    pairs of raters                 1
    marks                           5

    type       marks      F1   95 % interval   alpha   95 % interval
    all types      5  0.9231  [0.667, 1.000]  0.8938  [0.609, 1.000]
    Removal        2  0.6667  [0.667, 0.667]  0.6409  [0.609, 0.649]
    Word           3  1.0000  [1.000, 1.000]  1.0000  [1.000, 1.000]

    system                        type  marks  per output  correct   wrong  mean value  sum/output
    Copy (1 of 2 unchanged)  all types      2        0.50  100.0 %   0.0 %       1.000       0.500
                               Removal      2        0.50  100.0 %   0.0 %       1.000       0.500
                                  Word      0        0.00        –       –           –       0.000
    T5 (0 of 3 unchanged)    all types      5        1.00   80.0 %  20.0 %       0.800       0.833
                               Removal      2        0.33  100.0 %   0.0 %       1.000       0.333
                                  Word      3        0.67   66.7 %  33.3 %       0.667       0.500

    by mean value  sources  difference  t-test p  Holm  Wilcoxon p  Holm
    Copy : T5            1      +0.000         –     –           –     –

    by number of marks  sources  difference  t-test p    Holm  Wilcoxon p  Holm
    Copy : T5                 2      -0.500    0.5000  0.5000      1.0000     –
    ! Left out: line 8: “Ada” marked this output before, on line 7: one rater marks it once.
    ! Left out: line 9, “marks”: mark 1 has the stretch [3, 40] of the source, which has 10 characters.
    ");

    insta::assert_snapshot!(workspace.json("spans @spans.jsonl --bootstrap 50"), @r#"
    {
      "all_types": {
        "alpha": {
          "interval": {"confidence":0.95,"high":1.0,"low":0.609531,"replicates":50,"undefined":0},
          "value": 0.893842
        },
        "f1": {
          "interval": {"confidence":0.95,"high":1.0,"low":0.666667,"replicates":50,"undefined":0},
          "value": 0.923077
        },
        "marks": 5
      },
      "by_count": [
        {
          "a": "Copy",
          "b": "T5",
          "difference": -0.5,
          "sources": 2,
          "t_holm": 0.5,
          "t_p": 0.5,
          "wilcoxon_holm": null,
          "wilcoxon_p": 1.0
        }
      ],
      "by_mean_value": [
        {
          "a": "Copy",
          "b": "T5",
          "difference": 0.0,
          "sources": 1,
          "t_holm": null,
          "t_p": null,
          "t_undefined": "1 values are too few, at least 2 are needed",
          "wilcoxon_holm": null,
          "wilcoxon_p": null,
          "wilcoxon_undefined": "the two samples are equal in every pair, so there is no difference to test"
        }
      ],
      "levels": {"correct":1.0,"wrong":0.0},
      "method": "on characters of source and output without white space; F1: characters that two raters both marked with a type against those that each marked, pooled over outputs, mean over pairs of raters; alpha: Krippendorff's unitised alpha (Krippendorff et al. 2016), nominal, of one type: marked or not, of all types: the set of types of a character; intervals resample sources",
      "outputs": 4,
      "pairable_outputs": 2,
      "rater_pairs": 1,
      "raters": 2,
      "schema": "spans/1",
      "skipped": [
        {
          "column": null,
          "line": 8,
          "reason": "“Ada” marked this output before, on line 7: one rater marks it once"
        },
        {
          "column": "marks",
          "line": 9,
          "reason": "mark 1 has the stretch [3, 40] of the source, which has 10 characters"
        }
      ],
      "sources": 3,
      "systems": [
        {
          "all_types": {
            "levels": {"correct":2,"wrong":0},
            "marks": 2,
            "mean_value": 1.0,
            "per_output": 0.5,
            "sum_per_output": 0.5,
            "without_level": 0
          },
          "judgements": 3,
          "outputs": 2,
          "system": "Copy",
          "types": {
            "Removal": {
              "levels": {"correct":2,"wrong":0},
              "marks": 2,
              "mean_value": 1.0,
              "per_output": 0.5,
              "sum_per_output": 0.5,
              "without_level": 0
            },
            "Word": {
              "levels": {"correct":0,"wrong":0},
              "marks": 0,
              "mean_value": null,
              "per_output": 0.0,
              "sum_per_output": 0.0,
              "without_level": 0
            }
          },
          "unchanged": 1
        },
        {
          "all_types": {
            "levels": {"correct":4,"wrong":1},
            "marks": 5,
            "mean_value": 0.8,
            "per_output": 1.0,
            "sum_per_output": 0.833333,
            "without_level": 0
          },
          "judgements": 5,
          "outputs": 3,
          "system": "T5",
          "types": {
            "Removal": {
              "levels": {"correct":2,"wrong":0},
              "marks": 2,
              "mean_value": 1.0,
              "per_output": 0.333333,
              "sum_per_output": 0.333333,
              "without_level": 0
            },
            "Word": {
              "levels": {"correct":2,"wrong":1},
              "marks": 3,
              "mean_value": 0.666667,
              "per_output": 0.666667,
              "sum_per_output": 0.5,
              "without_level": 0
            }
          },
          "unchanged": 0
        }
      ],
      "tests": "paired by source; two-sided; t: Student's paired t-test with its 95 % interval t(.975, n-1)*s/sqrt(n); Wilcoxon: signed ranks, zero differences dropped (Wilcoxon 1945), exact to 50 pairs without ties and zeros and to 25 other differences with some, else normal with tie correction and without continuity correction; rank-biserial (W+ - W-)/(W+ + W-); correction for many pairs: Holm (1979)",
      "types": [
        {
          "alpha": {
            "interval": {"confidence":0.95,"high":0.649279,"low":0.609117,"replicates":38,"undefined":12},
            "value": 0.640853
          },
          "f1": {
            "interval": {"confidence":0.95,"high":0.666667,"low":0.666667,"replicates":38,"undefined":12},
            "value": 0.666667
          },
          "marks": 2,
          "type": "Removal"
        },
        {
          "alpha": {
            "interval": {"confidence":0.95,"high":1.0,"low":1.0,"replicates":39,"undefined":11},
            "value": 1.0
          },
          "f1": {
            "interval": {"confidence":0.95,"high":1.0,"low":1.0,"replicates":39,"undefined":11},
            "value": 1.0
          },
          "marks": 3,
          "type": "Word"
        }
      ]
    }
    "#);
}

#[test]
fn spans_say_why_they_fail() {
    let workspace = Workspace::with_study();
    workspace.write("empty.jsonl", "{}\n");
    insta::assert_snapshot!(workspace.error("spans river"), @"no marked spans were submitted in river yet");
    insta::assert_snapshot!(workspace.error("spans @empty.jsonl"), @"@empty.jsonl was not read: line 1, “source”: is missing: add it");
    insta::assert_snapshot!(workspace.error("spans @absent.jsonl"), @"@absent.jsonl cannot be opened: No such file or directory (os error 2)");
}
