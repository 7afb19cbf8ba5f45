//! Scoring outputs by metrics.

use super::Workspace;

/// A workspace with two sources, the outputs of two systems, and references that fit one of the sources.
fn workspace_with_texts() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("texts.orig", "The vessel sank.\nRain fell on the roof.\n");
    workspace.write("A", "The boat sank.\nIt rained.\n");
    workspace.write("B", "Sank boats.\nRain fell on the roof.\n");
    std::fs::create_dir(workspace.folder.path().join("references")).expect("it can be made");
    workspace.write(
        "references/test.src",
        "The vessel sank.\nSnow fell on the hill.\n",
    );
    workspace.write(
        "references/test.dst",
        "The boat sank.\tThe ship sank.\nIt snowed.\tSnow fell.\n",
    );
    workspace
}

#[test]
fn scores_are_written_as_a_table_and_line_by_line() {
    let workspace = workspace_with_texts();
    insta::assert_snapshot!(workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression"), @r#"
    id,source,system,output,fkgl,compression,signature:fkgl,signature:compression
    ,The vessel sank.,A,The boat sank.,0,0.875,fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0,compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0
    ,The vessel sank.,B,Sank boats.,0,0.6875,fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0,compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0
    ,Rain fell on the roof.,A,It rained.,0,0.45454545454545453,fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0,compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0
    ,Rain fell on the roof.,B,Rain fell on the roof.,0,1,fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0,compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0
    "#);

    insta::assert_snapshot!(workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression --format jsonl"), @r#"
    {"compression":0.875,"fkgl":0.0,"output":"The boat sank.","signatures":{"compression":"compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0","fkgl":"fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0"},"source":"The vessel sank.","system":"A"}
    {"compression":0.6875,"fkgl":0.0,"output":"Sank boats.","signatures":{"compression":"compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0","fkgl":"fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0"},"source":"The vessel sank.","system":"B"}
    {"compression":0.45454545454545453,"fkgl":0.0,"output":"It rained.","signatures":{"compression":"compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0","fkgl":"fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0"},"source":"Rain fell on the roof.","system":"A"}
    {"compression":1.0,"fkgl":0.0,"output":"Rain fell on the roof.","signatures":{"compression":"compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0","fkgl":"fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0"},"source":"Rain fell on the roof.","system":"B"}
    "#);

    insta::assert_snapshot!(workspace.json("score @A @B --source @texts.orig --metrics fkgl,compression"), @r#"
    {
      "metrics": {
        "compression": {
          "direction": "neither",
          "mean": 0.754261,
          "outputs": 4,
          "signature": "compression|variant:output/source|tok:characters|case:mixed|nrefs:0|version:rankrate-0.2.0",
          "systems": {"A":{"mean":0.664773,"outputs":2},"B":{"mean":0.84375,"outputs":2}}
        },
        "fkgl": {
          "corpus": 0.0,
          "direction": "lower-is-better",
          "mean": 0.0,
          "outputs": 4,
          "signature": "fkgl|variant:easse-syllables:nltk-contrib|tok:13a|case:lc|nrefs:0|version:rankrate-0.2.0",
          "systems": {"A":{"corpus":0.0,"mean":0.0,"outputs":2},"B":{"corpus":0.0,"mean":0.0,"outputs":2}}
        }
      },
      "outputs": 4,
      "schema": "score/1",
      "sources": 2,
      "warnings": []
    }
    "#);
}

/// The scores go to the file, the summary to standard output.
#[test]
fn a_summary_goes_with_a_file() {
    let workspace = workspace_with_texts();
    insta::assert_snapshot!(workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression -o @scores.csv"), @r"
    4 outputs of 2 sources scored
    metric       system       outputs   mean  corpus
    compression  all outputs        4  0.754
    compression  A                  2  0.665
    compression  B                  2  0.844
    fkgl         all outputs        4  0.000   0.000
    fkgl         A                  2  0.000   0.000
    fkgl         B                  2  0.000   0.000
    ");

    assert_eq!(
        workspace.read("scores.csv"),
        workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression")
    );
}

#[test]
fn sources_without_references_are_named() {
    let workspace = workspace_with_texts();
    insta::assert_snapshot!(workspace.json("score @A --source @texts.orig --metrics sari,bleu --references @references"), @r#"
    {
      "metrics": {
        "bleu": {
          "corpus": 100.0,
          "direction": "higher-is-better",
          "mean": 100.0,
          "outputs": 1,
          "signature": "bleu|variant:sacrebleu-sentence-exp|tok:13a|case:mixed|nrefs:0-2|version:rankrate-0.2.0",
          "systems": {"A":{"corpus":100.0,"mean":100.0,"outputs":1}}
        },
        "sari": {
          "corpus": 72.222222,
          "direction": "higher-is-better",
          "mean": 72.222222,
          "outputs": 1,
          "signature": "sari|variant:easse-f1|tok:13a|case:lc|nrefs:0-2|version:rankrate-0.2.0",
          "systems": {"A":{"corpus":72.222222,"mean":72.222222,"outputs":1}}
        }
      },
      "outputs": 2,
      "references": {
        "accepted": 0,
        "exact": 1,
        "first_unused": [{"line":2,"text":"Snow fell on the hill."}],
        "first_without": [
          {
            "name": "",
            "nearest": {"line":2,"similarity":0.611111,"text":"Snow fell on the hill."},
            "text": "Rain fell on the roof."
          }
        ],
        "normalised": 0,
        "sources": 2,
        "unused": 1,
        "unused_rows": 1,
        "without": 1
      },
      "schema": "score/1",
      "sources": 2,
      "warnings": [
        "1 of 2 sources get references from this file: 1 by the same text, 0 by one that differs in tokenisation, quotes or dashes alone.",
        "1 of 2 sources have no reference, so their outputs have no score where one is needed:",
        "  “Rain fell on the roof.”: the nearest is on line 2, 61 % alike (--accept-similar 61%): “Snow fell on the hill.”",
        "1 texts with references belong to no source, on the lines 2"
      ]
    }
    "#);

    insta::assert_snapshot!(workspace.error("score @A --source @texts.orig --metrics lens2"), @r#"there is no metric “lens2”; there are: sari, sari-add, sari-keep, sari-delete, sari-lens, sari-lens-paper, bleu, self-bleu, chrf, fkgl, levenshtein, edit-distance, compression, copy-rate, bleu-intl, bleu-char, bleu-none, bleu-lc, bleu-lc-intl, bleu-lc-char, bleu-lc-none, bertscore-f1, bertscore-precision, bertscore-recall, bertscore-source-f1, similarity, word-rank, learned-free, learned-ref, lens, cross-encoder"#);
}
