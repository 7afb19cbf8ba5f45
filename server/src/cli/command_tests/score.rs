//! Scoring outputs by metrics.

use super::Workspace;

#[test]
fn scores_are_written_as_a_table_and_line_by_line() {
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
    insta::assert_snapshot!(workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression"), @"");
    insta::assert_snapshot!(workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression --format jsonl"), @"");
    insta::assert_snapshot!(workspace.json("score @A @B --source @texts.orig --metrics fkgl,compression"), @"");
}

/// A file beside the summary has the scores.
#[test]
fn a_summary_goes_with_a_file() {
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
    insta::assert_snapshot!(workspace.run("score @A @B --source @texts.orig --metrics fkgl,compression -o @scores.csv"), @"");
    insta::assert_snapshot!(workspace.read("scores.csv"), @"");
}

#[test]
fn sources_without_references_are_named() {
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
    insta::assert_snapshot!(workspace.json("score @A --source @texts.orig --metrics sari,bleu --references @references"), @"");
    insta::assert_snapshot!(workspace.error("score @A --source @texts.orig --metrics lens2"), @"");
}
