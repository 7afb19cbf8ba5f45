//! Testing whether one system is better than another.

use super::Workspace;

#[test]
fn two_systems_of_a_file_are_compared() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("compare A B @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.json("compare A B @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.error("compare A C @ratings.csv"), @"");
    insta::assert_snapshot!(workspace.error("compare A A @ratings.csv"), @"");
}

/// Systems that share no source can be compared as independent samples alone; here every source of A is
/// above every source of B.
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
    insta::assert_snapshot!(workspace.run("compare A B @different.csv --unpaired"), @"");
    insta::assert_snapshot!(workspace.json("compare A B @different.csv --unpaired"), @"");
}

#[test]
fn a_study_is_compared_by_dimension() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.json("compare A B --study river --dimension fluency"), @"");
}
