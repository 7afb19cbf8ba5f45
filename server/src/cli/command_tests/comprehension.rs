//! Reading comprehension.

use super::Workspace;

#[test]
fn conditions_of_a_file() {
    let workspace = Workspace::new();
    workspace.write(
        "answers.csv",
        "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n\
         1,Original,Rain fell.,q,What fell?,rain,snow,hail,night,,\n\
         1,Original,,q,,,,,,p,A\n\
         1,Original,,q,,,,,,r,unanswerable\n\
         1,Simple,It rained.,q,,,,,,p,B\n\
         2,Original,A boat sank.,q,What sank?,a boat,a car,a stone,a tree,,\n\
         2,Original,,q,,,,,,p,A\n\
         2,Simple,It sank.,q,,,,,,r,unanswerable\n",
    );
    insta::assert_snapshot!(workspace.run("rc @answers.csv"), @"");
    insta::assert_snapshot!(workspace.json("rc @answers.csv"), @"");
}

#[test]
fn everything_that_can_be_added() {
    let workspace = Workspace::new();
    workspace.write(
        "answers.csv",
        "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n\
         1,Original,Rain fell.,q,What fell?,rain,snow,hail,night,,\n\
         1,Original,,q,,,,,,p,A\n\
         1,Original,,q,,,,,,r,unanswerable\n\
         1,Simple,It rained.,q,,,,,,p,B\n\
         2,Original,A boat sank.,q,What sank?,a boat,a car,a stone,a tree,,\n\
         2,Original,,q,,,,,,p,A\n\
         2,Simple,It sank.,q,,,,,,r,unanswerable\n",
    );
    insta::assert_snapshot!(workspace.run("rc @answers.csv --answerable-in Original --stability 1,2 --items --support --original Original"), @"");
    insta::assert_snapshot!(workspace.json("rc @answers.csv --answerable-in Original --stability 1,2 --items --support --original Original"), @"");
}

#[test]
fn a_study_gets_the_answers_of_a_file() {
    let workspace = Workspace::new();
    workspace.write(
        "answers.csv",
        "passage,condition,text,question,question_text,a,b,c,d,participant,answer\n\
         1,Original,Rain fell.,q,What fell?,rain,snow,hail,night,,\n\
         1,Original,,q,,,,,,p,A\n\
         1,Original,,q,,,,,,r,unanswerable\n\
         1,Simple,It rained.,q,,,,,,p,B\n\
         2,Original,A boat sank.,q,What sank?,a boat,a car,a stone,a tree,,\n\
         2,Original,,q,,,,,,p,A\n\
         2,Simple,It sank.,q,,,,,,r,unanswerable\n",
    );
    insta::assert_snapshot!(workspace.run("study create reading"), @"");
    insta::assert_snapshot!(workspace.json("rc @answers.csv --study reading"), @"");
    insta::assert_snapshot!(workspace.json("rc --study reading"), @"");
    insta::assert_snapshot!(workspace.error("rc @answers.csv --answerable-in Elementary"), @"");
}
