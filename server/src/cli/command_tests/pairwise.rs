//! Figures from pairwise and best-worst comparisons.

use super::Workspace;

/// Three raters on four sources of three systems, with a repeated and an unreadable answer.
const PAIRS: &str = "\
source_id,rater,dimension,system_a,system_b,outcome
1,Ada,simplicity,BART,T5,b
1,Grace,simplicity,BART,T5,b
1,Joan,simplicity,T5,BART,tie
1,Ada,simplicity,T5,Copy,a
2,Ada,simplicity,BART,T5,tie
2,Grace,simplicity,T5,BART,BART
2,Joan,simplicity,Copy,BART,b
2,Ada,simplicity,Copy,BART,b
3,Grace,simplicity,T5,Copy,a
3,Joan,simplicity,T5,Copy,b
3,Ada,simplicity,BART,Copy,similar
4,Grace,simplicity,BART,T5,T5
4,Joan,simplicity,BART,T5,T5
4,Joan,simplicity,T5,BART,a
4,Ada,simplicity,Copy,BART,left
1,Ada,fluency,BART,T5,tie
";

/// Choices of the best and the worst of four.
const CHOICES: &str = "\
{\"source\":\"The vessel sank.\",\"rater\":\"Ada\",\"systems\":[\"A1\",\"B1\",\"C1\",\"D1\"],\"best\":\"A1\",\"worst\":\"D1\"}
{\"source\":\"The vessel sank.\",\"rater\":\"Grace\",\"systems\":[\"A1\",\"B1\",\"C1\",\"D1\"],\"best\":\"B1\",\"worst\":\"D1\"}
{\"source\":\"It rained.\",\"rater\":\"Ada\",\"systems\":[\"A1\",\"B1\",\"C1\",\"D1\"],\"best\":\"A1\",\"worst\":\"C1\"}
{\"source\":\"It rained.\",\"rater\":\"Grace\",\"systems\":[\"D1\",\"C1\",\"B1\",\"A1\"],\"best\":\"C1\",\"worst\":\"A1\"}
";

#[test]
fn pairwise_of_a_file() {
    let workspace = Workspace::new();
    workspace.write("pairs.csv", PAIRS);
    insta::assert_snapshot!(workspace.run("pairwise @pairs.csv"), @r#"
    dimension                       fluency
    comparisons                     1
    sources                         1
    raters                          1
    units (pairs on a source)       1
    units with two raters or more   0
    alpha on outcomes               undefined: no output was rated by two raters, so there is nothing to compare
    ! No scores: all comparisons are ties, so that no system is stronger than another.

    system  rank  strength  95 % interval  win share  95 % interval  wins  ties  losses
    BART       –         –              –          –              –     0     1       0
    T5         –         –              –          –              –     0     1       0

    wins (ties) against   BART     T5
    BART                     –  0 (1)
    T5                   0 (1)      –

    pair       won-tied-lost  by source  sign test p  Holm
    BART : T5          0-1-0      0-1-0            –     –

    dimension                       simplicity
    comparisons                     13
    sources                         4
    raters                          3
    units (pairs on a source)       7
    units with two raters or more   5
    alpha on outcomes               0.2105  [-0.391, 0.500]
    tie parameter                   0.7160  [0.498, 1.386]

    system  rank  strength    95 % interval  win share   95 % interval  wins  ties  losses
    T5         1    +0.950  [-0.620, 2.110]      0.731  [0.375, 0.884]     6     2       2
    BART       2    +0.081  [-1.587, 1.536]      0.519  [0.179, 0.798]     3     3       4
    Copy       3    -1.031  [-2.553, 0.320]      0.250  [0.082, 0.570]     1     1       4

    wins (ties) against     T5   BART   Copy
    T5                       –  4 (2)      2
    BART                 1 (2)      –  2 (1)
    Copy                     1  0 (1)      –

    pair         won-tied-lost  by source  sign test p  Holm
    BART : Copy          2-1-0      1-1-0       1.0000     –
    BART : T5            1-2-4      1-0-2       1.0000     –
    Copy : T5            1-0-2      0-1-1       1.0000     –
    ! Left out: line 15: “Joan” compared these before, on line 14: one rater gives one answer.
    ! Left out: line 16, “outcome”: “left” is not an outcome: write system_a, system_b or tie, or the name of the better system.
    "#);

    insta::assert_snapshot!(workspace.json("pairwise @pairs.csv --dimension Simplicity --bootstrap 50"), @r#"
    {
      "dimensions": [
        {
          "alpha": {
            "alpha": 0.210526,
            "interval": {"confidence":0.95,"high":0.5,"low":-0.277679,"replicates":50,"undefined":0},
            "pairable_units": 5,
            "units": 7
          },
          "comparisons": 13,
          "dimension": "simplicity",
          "pairs": [
            {
              "a": "BART",
              "b": "Copy",
              "comparisons": {"losses":0,"ties":1,"wins":2},
              "sign_holm": null,
              "sign_p": 1.0,
              "sources": {"losses":0,"ties":1,"wins":1}
            },
            {
              "a": "BART",
              "b": "T5",
              "comparisons": {"losses":4,"ties":2,"wins":1},
              "sign_holm": null,
              "sign_p": 1.0,
              "sources": {"losses":2,"ties":0,"wins":1}
            },
            {
              "a": "Copy",
              "b": "T5",
              "comparisons": {"losses":2,"ties":0,"wins":1},
              "sign_holm": null,
              "sign_p": 1.0,
              "sources": {"losses":1,"ties":1,"wins":0}
            }
          ],
          "penalised": false,
          "raters": 3,
          "sources": 4,
          "systems": [
            {
              "losses": 2,
              "rank": 1,
              "strength": {
                "interval": {"confidence":0.95,"high":1.914256,"low":-0.333092,"replicates":50,"undefined":0},
                "value": 0.949911
              },
              "system": "T5",
              "ties": 2,
              "win_share": {
                "interval": {"confidence":0.95,"high":0.89238,"low":0.417392,"replicates":50,"undefined":0},
                "value": 0.730584
              },
              "wins": 6
            },
            {
              "losses": 4,
              "rank": 2,
              "strength": {
                "interval": {"confidence":0.95,"high":1.536323,"low":-1.282291,"replicates":50,"undefined":0},
                "value": 0.081224
              },
              "system": "BART",
              "ties": 3,
              "win_share": {
                "interval": {"confidence":0.95,"high":0.786696,"low":0.229832,"replicates":50,"undefined":0},
                "value": 0.519416
              },
              "wins": 3
            },
            {
              "losses": 4,
              "rank": 3,
              "strength": {
                "interval": {"confidence":0.95,"high":0.037124,"low":-2.63618,"replicates":50,"undefined":0},
                "value": -1.031135
              },
              "system": "Copy",
              "ties": 1,
              "win_share": {
                "interval": {"confidence":0.95,"high":0.508117,"low":0.081919,"replicates":50,"undefined":0},
                "value": 0.25
              },
              "wins": 1
            }
          ],
          "tie_parameter": {
            "interval": {"confidence":0.95,"high":1.146406,"low":0.500026,"replicates":50,"undefined":0},
            "value": 0.715968
          },
          "win_matrix": {
            "systems": ["BART","Copy","T5"],
            "ties": [[0,1,2],[1,0,0],[2,0,0]],
            "wins": [[0,2,1],[0,0,1],[4,2,0]]
          }
        }
      ],
      "method": "log strengths, mean 0: Bradley and Terry with Davidson's ties, maximum likelihood; penalised by 0.1 times their sum of squares only where it has no finite maximum; win share: chance to win against another system drawn at random, a tie counting half; best-worst: (best - worst)/shown; intervals: percentile, over sources; alpha: nominal, a unit is a pair of systems on a source",
      "schema": "pairwise/1",
      "skipped": [
        {
          "column": null,
          "line": 15,
          "reason": "“Joan” compared these before, on line 14: one rater gives one answer"
        },
        {
          "column": "outcome",
          "line": 16,
          "reason": "“left” is not an outcome: write system_a, system_b or tie, or the name of the better system"
        }
      ],
      "tests": "two-sided exact sign test over sources, each decided by the majority of its comparisons, ties dropped; correction for many pairs: Holm (1979), over pairs on 6 sources or more"
    }
    "#);
}

#[test]
fn best_worst_of_a_file() {
    let workspace = Workspace::new();
    workspace.write("choices.jsonl", CHOICES);
    insta::assert_snapshot!(workspace.run("pairwise @choices.jsonl --bootstrap 0"), @r#"
    dimension                       overall
    comparisons                     4
    sources                         2
    raters                          2
    units (pairs on a source)       11
    units with two raters or more   9
    alpha on outcomes               -0.4167
    tie parameter                   0.0000

    system  rank  strength  win share  best-worst  wins  ties  losses
    B1         1    +0.705      0.700      +0.250     6     0       3
    A1         2    +0.479      0.636      +0.250     7     0       4
    C1         3    -0.071      0.473      +0.000     5     0       5
    D1         4    -1.112      0.190      -0.500     2     0       8

    wins (ties) against  B1  A1  C1  D1
    B1                    –   2   2   2
    A1                    2   –   2   3
    C1                    1   1   –   3
    D1                    0   1   1   –

    pair     won-tied-lost  by source  sign test p  Holm
    A1 : B1          2-0-2      0-2-0            –     –
    A1 : C1          2-0-1      1-1-0       1.0000     –
    A1 : D1          3-0-1      1-1-0       1.0000     –
    B1 : C1          2-0-1      1-1-0       1.0000     –
    B1 : D1          2-0-0      1-0-0       1.0000     –
    C1 : D1          3-0-1      1-1-0       1.0000     –
    "#);

    let systems =
        &workspace.value("pairwise @choices.jsonl --bootstrap 0")["dimensions"][0]["systems"];
    insta::assert_snapshot!(super::format_json(systems, 0), @r#"
    [
      {
        "best_worst": {"best":1,"shown":4,"value":0.25,"worst":0},
        "losses": 3,
        "rank": 1,
        "strength": {"value":0.704798},
        "system": "B1",
        "ties": 0,
        "win_share": {"value":0.700437},
        "wins": 6
      },
      {
        "best_worst": {"best":2,"shown":4,"value":0.25,"worst":1},
        "losses": 4,
        "rank": 2,
        "strength": {"value":0.478629},
        "system": "A1",
        "ties": 0,
        "win_share": {"value":0.636171},
        "wins": 7
      },
      {
        "best_worst": {"best":1,"shown":4,"value":0.0,"worst":1},
        "losses": 5,
        "rank": 3,
        "strength": {"value":-0.071011},
        "system": "C1",
        "ties": 0,
        "win_share": {"value":0.473431},
        "wins": 5
      },
      {
        "best_worst": {"best":0,"shown":4,"value":-0.5,"worst":2},
        "losses": 8,
        "rank": 4,
        "strength": {"value":-1.112416},
        "system": "D1",
        "ties": 0,
        "win_share": {"value":0.189961},
        "wins": 2
      }
    ]
    "#);
}

#[test]
fn pairwise_says_why_it_fails() {
    let workspace = Workspace::new();
    workspace.write("pairs.csv", PAIRS);
    insta::assert_snapshot!(workspace.error("pairwise @pairs.csv --dimension meaning"), @r#"there are no comparisons on “meaning”; the dimensions are: fluency, simplicity"#);
    insta::assert_snapshot!(workspace.error("pairwise @ratings.csv"), @r#"@ratings.csv was not read: wrong header: expected source, rater, and system_a, system_b, outcome or system_1, system_2, …, best, worst; found WorkerId,Input.original,Input.simplified,Input.system,Answer.simplicity,Answer.fluency; name the columns like this"#);
    insta::assert_snapshot!(workspace.error("pairwise @absent.csv"), @r#"@absent.csv cannot be opened: No such file or directory (os error 2)"#);
}
