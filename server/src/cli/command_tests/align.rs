//! Aligning words, measuring an aligner, and training one.

use super::Workspace;

#[test]
fn links_and_edits_are_written_line_by_line() {
    let workspace = Workspace::new();
    workspace.write(
        "pairs.tsv",
        "The old vessel sank.\tThe boat sank.\nRain fell all night.\tRain fell.\n",
    );
    workspace.write(
        "gold.tsv",
        "7\tthe old boat sank\tN/A\tthe ship sank\tN/A\t1\t1\t0-0 2-1 3-2\t\t\n",
    );
    insta::assert_snapshot!(workspace.run("align @pairs.tsv --grade string"), @"");
    insta::assert_snapshot!(workspace.json("align @pairs.tsv --grade string --format json"), @"");
    insta::assert_snapshot!(workspace.json("align @pairs.tsv --grade string --format edits"), @"");
    insta::assert_snapshot!(workspace.error("align @missing.tsv --grade string"), @"");
}

#[test]
fn an_aligner_is_measured_on_gold_links() {
    let workspace = Workspace::new();
    workspace.write(
        "pairs.tsv",
        "The old vessel sank.\tThe boat sank.\nRain fell all night.\tRain fell.\n",
    );
    workspace.write(
        "gold.tsv",
        "7\tthe old boat sank\tN/A\tthe ship sank\tN/A\t1\t1\t0-0 2-1 3-2\t\t\n",
    );
    insta::assert_snapshot!(workspace.run("align eval @gold.tsv --grade string"), @"");
    insta::assert_snapshot!(workspace.json("align eval @gold.tsv --grade string"), @"");
}

/// A network without an encoder, on a single pair.
#[test]
fn a_network_is_trained() {
    let workspace = Workspace::new();
    workspace.write(
        "pairs.tsv",
        "The old vessel sank.\tThe boat sank.\nRain fell all night.\tRain fell.\n",
    );
    workspace.write(
        "gold.tsv",
        "7\tthe old boat sank\tN/A\tthe ship sank\tN/A\t1\t1\t0-0 2-1 3-2\t\t\n",
    );
    insta::assert_snapshot!(workspace.json("align train @gold.tsv --grade grid --out @network"), @"");
    insta::assert_snapshot!(workspace.run("align eval @gold.tsv --network @network/network.safetensors --json"), @"");
}
