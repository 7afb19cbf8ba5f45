//! Studies, their systems, and the people who can sign in.

use super::Workspace;

#[test]
fn studies_are_made_listed_and_shown() {
    let workspace = Workspace::new();
    insta::assert_snapshot!(workspace.run("study list"), @"");
    insta::assert_snapshot!(workspace.run("study create river --name River --overlap 2"), @"");
    insta::assert_snapshot!(workspace.json("study create lake"), @"");
    insta::assert_snapshot!(workspace.run("study list"), @"");
    insta::assert_snapshot!(workspace.json("study list"), @"");
    insta::assert_snapshot!(workspace.run("study show river"), @"");
    insta::assert_snapshot!(workspace.json("study show river"), @"");
    insta::assert_snapshot!(workspace.error("study show sea"), @"");
}

#[test]
fn systems_have_kinds() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("system river"), @"");
    insta::assert_snapshot!(workspace.json("system river B --kind human"), @"");
    insta::assert_snapshot!(workspace.error("system river C --kind human"), @"");
}

#[test]
fn people_are_added_and_given_roles() {
    let workspace = Workspace::with_study();
    let without_password = |text: String| {
        let (before, password) = text
            .trim_end()
            .rsplit_once(' ')
            .expect("a password ends it");
        assert!(password.len() >= 12, "{password}");
        before.to_owned()
    };
    insta::assert_snapshot!(without_password(workspace.run("user add lea --admin")), @"");
    let added: serde_json::Value =
        serde_json::from_str(&workspace.json("user add ann")).expect("an account");
    let keys: Vec<_> = added.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["admin", "disabled", "id", "name", "password"]);
    insta::assert_snapshot!(workspace.run("user list"), @"");
    insta::assert_snapshot!(workspace.json("user list"), @"");
    insta::assert_snapshot!(workspace.run("user role ann river annotator"), @"");
    insta::assert_snapshot!(workspace.json("user role ann river none"), @"");
    insta::assert_snapshot!(without_password(workspace.run("user reset ann")), @"");
    insta::assert_snapshot!(workspace.error("user role nobody river lead"), @"");
}
