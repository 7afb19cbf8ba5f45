//! Bringing files into a study and taking its dataset out.

use super::Workspace;

#[test]
fn an_import_says_first_what_it_brings() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("study create river"), @"");
    insta::assert_snapshot!(workspace.run("import river @ratings.csv --dry-run"), @"");
    insta::assert_snapshot!(workspace.json("import river @ratings.csv --dry-run"), @"");
    insta::assert_snapshot!(workspace.run("import river @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.json("import river @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.error("import lake @ratings.csv"), @"");
}

#[test]
fn references_and_scores_join_what_is_there() {
    let workspace = Workspace::with_study();
    workspace.write(
        "scores.csv",
        "source,system,lens\nThe vessel sank near the coast.,A,61.5\nNo such source.,A,1\n",
    );
    workspace.write(
        "references.csv",
        "source,reference\nThe vessel sank near the coast.,The ship sank.\n",
    );
    insta::assert_snapshot!(workspace.json("import river --references @references.csv"), @"");
    insta::assert_snapshot!(workspace.json("import river --scores @scores.csv"), @"");
    insta::assert_snapshot!(workspace.run("import river --references @references.csv"), @"");
}

#[test]
fn imports_are_listed_and_taken_back() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("import river --list"), @"");
    insta::assert_snapshot!(workspace.json("import river --list"), @"");
    let nobody = "00000000-0000-7000-8000-000000000000";
    insta::assert_snapshot!(workspace.error(&format!("import river --undo {nobody}")), @"");
}

#[test]
fn a_table_goes_to_standard_output() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("export river --format tidy"), @"");
    insta::assert_snapshot!(workspace.run("export river --format simpeval-past"), @"");
    insta::assert_snapshot!(workspace.run("export river --format jsonl"), @"");
}

#[test]
fn files_stand_side_by_side() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("export river --format tidy -o @tidy.csv"), @"");
    insta::assert_snapshot!(workspace.json("export river --format tidy -o @tidy.csv"), @"");
    insta::assert_snapshot!(workspace.json("export river --format metric-scores -o @metrics.csv"), @"");
}
