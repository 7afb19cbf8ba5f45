//! Holding metrics against people.

use super::Workspace;

#[test]
fn metrics_of_a_file() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("meta-eval --ratings @ratings.csv --metrics fkgl,compression --bootstrap 20"), @"");
    insta::assert_snapshot!(workspace.json("meta-eval --ratings @ratings.csv --metrics fkgl --bootstrap 20"), @"");
    insta::assert_snapshot!(workspace.json("meta-eval --ratings @ratings.csv --metrics compression,fkgl --against fkgl --upper-limit --degenerate --bootstrap 20"), @"");
}

#[test]
fn metrics_of_a_study() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.json("meta-eval --study river --dimension fluency --metrics compression --bootstrap 20"), @"");
}
