//! Agreement, raters and systems of a file and of a study.

use super::Workspace;

#[test]
fn agreement_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("agreement @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.json("agreement @ratings.csv --bootstrap 20"), @"");
    insta::assert_snapshot!(workspace.json("agreement @ratings.csv --by dimension"), @"");
    insta::assert_snapshot!(workspace.error("agreement @ratings.csv --dimension adequacy"), @"");
}

#[test]
fn agreement_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("agreement --study river"), @"");
    insta::assert_snapshot!(workspace.json("agreement --study river --by system"), @"");
}

#[test]
fn raters_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("raters @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.json("raters @ratings.csv"), @"");
}

#[test]
fn raters_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("raters --study river"), @"");
    insta::assert_snapshot!(workspace.json("raters --study river"), @"");
}

#[test]
fn systems_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("systems @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.json("systems @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.json("systems @ratings.csv --by category"), @"");
}

#[test]
fn systems_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("systems --study river"), @"");
    insta::assert_snapshot!(workspace.json("systems --study river"), @"");
}
