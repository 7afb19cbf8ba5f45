//! Aligning words, measuring an aligner, and training one.

use super::Workspace;

/// A workspace with two pairs of texts, and a pair with its gold links.
fn workspace_with_pairs() -> Workspace {
    let workspace = Workspace::new();
    workspace.write(
        "pairs.tsv",
        "The old vessel sank.\tThe boat sank.\nRain fell all night.\tRain fell.\n",
    );
    workspace.write(
        "gold.tsv",
        "7\tthe old boat sank\tN/A\tthe ship sank\tN/A\t1\t1\t0-0 2-1 3-2\t\t\n",
    );
    workspace
}

#[test]
fn links_and_edits_are_written_line_by_line() {
    let workspace = workspace_with_pairs();
    insta::assert_snapshot!(workspace.run("align @pairs.tsv --grade string"), @r#"
    0-0 1-1 2-1 3-2 4-3
    0-0 1-1 4-2
    "#);

    insta::assert_snapshot!(workspace.json("align @pairs.tsv --grade string --format json"), @r#"
    {
      "banded": false,
      "grade": "string",
      "links": [
        {"output":0,"probability":0.995,"source":0},
        {"output":1,"probability":0.75,"source":1},
        {"output":1,"probability":0.75,"source":2},
        {"output":2,"probability":0.995,"source":3},
        {"output":3,"probability":0.995,"source":4}
      ],
      "output": "The boat sank.",
      "output_words": [{"end":3,"start":0},{"end":8,"start":4},{"end":13,"start":9},{"end":14,"start":13}],
      "source": "The old vessel sank.",
      "source_words": [
        {"end":3,"start":0},
        {"end":7,"start":4},
        {"end":14,"start":8},
        {"end":19,"start":15},
        {"end":20,"start":19}
      ],
      "version": 1
    }
    {
      "banded": false,
      "grade": "string",
      "links": [
        {"output":0,"probability":0.995,"source":0},
        {"output":1,"probability":0.995,"source":1},
        {"output":2,"probability":0.93,"source":4}
      ],
      "output": "Rain fell.",
      "output_words": [{"end":4,"start":0},{"end":9,"start":5},{"end":10,"start":9}],
      "source": "Rain fell all night.",
      "source_words": [
        {"end":4,"start":0},
        {"end":9,"start":5},
        {"end":13,"start":10},
        {"end":19,"start":14},
        {"end":20,"start":19}
      ],
      "version": 1
    }
    "#);

    insta::assert_snapshot!(workspace.json("align @pairs.tsv --grade string --format edits"), @r#"
    {
      "banded": false,
      "edits": [
        {
          "confidence": 0.75,
          "kind": "paraphrase",
          "output": [{"end":8,"start":4}],
          "source": [{"end":14,"start":4}]
        }
      ],
      "grade": "string",
      "output": "The boat sank.",
      "source": "The old vessel sank.",
      "version": 1
    }
    {
      "banded": false,
      "edits": [
        {
          "confidence": 1.0,
          "kind": "deletion",
          "output": [{"end":9,"start":9}],
          "source": [{"end":19,"start":10}]
        }
      ],
      "grade": "string",
      "output": "Rain fell.",
      "source": "Rain fell all night.",
      "version": 1
    }
    "#);

    insta::assert_snapshot!(workspace.error("align @missing.tsv --grade string"), @r#"@missing.tsv cannot be opened: No such file or directory (os error 2)"#);
}

#[test]
fn an_aligner_is_measured_on_gold_links() {
    let workspace = workspace_with_pairs();
    insta::assert_snapshot!(workspace.run("align eval @gold.tsv --grade string"), @r#"
    precision                           0.7500
    recall                              1.0000
    F1                                  0.8571
    exact                               0.0000
    F1, links between differing words   0.6667
    F1, edits                           0.6667
    pairs                               1
    "#);

    insta::assert_snapshot!(workspace.json("align eval @gold.tsv --grade string"), @r#"
    {
      "edits_f1": 0.666667,
      "exact": 0.0,
      "f1": 0.857143,
      "non_identical_f1": 0.666667,
      "pairs": 1,
      "precision": 0.75,
      "recall": 1.0,
      "schema": "align-eval/1"
    }
    "#);
}

/// A network without an encoder, on a single pair.
#[test]
fn a_network_is_trained() {
    let workspace = workspace_with_pairs();
    insta::assert_snapshot!(workspace.json("align train @gold.tsv --grade grid -o @network"), @r#"
    {
      "encoder": null,
      "epochs": 7,
      "network": "@network/network.safetensors",
      "pairs": 1,
      "schema": "align-train/1",
      "seed": 1,
      "version": 1,
      "weights": 17121
    }
    "#);

    insta::assert_snapshot!(workspace.run("align eval @gold.tsv --aligner @network/network.safetensors --json"), @r#"
    precision                           1.0000
    recall                              0.3333
    F1                                  0.5000
    exact                               0.0000
    F1, links between differing words   0.0000
    F1, edits                           0.5714
    pairs                               1
    "#);
}
