//! Studies, their systems, and the people who can sign in.

use std::{fs, io};

use clap::{CommandFactory as _, Parser as _};
use serde_json::json;
use service::templates::StudyTemplate;
use store::{
    Store,
    audit::{AuditEntry, AuditFilter, AuditKind, AuditSubject},
};

use super::Workspace;
use crate::{
    audit::command_entry,
    cli::{CliArgs, CommandOutput, print_to_reader},
};

#[test]
fn a_study_begins_with_the_annotators_of_its_template_and_the_help_names_each() {
    let workspace = Workspace::new();
    let mut command = CliArgs::command();
    let study = command.find_subcommand_mut("study").unwrap();
    let create = study.find_subcommand_mut("create").unwrap();
    let help = create.render_long_help().to_string();

    for template in StudyTemplate::ALL {
        let created = workspace.value(&format!("study create s-{template} --template {template}"));
        let suggested = template.settings().overlap;
        assert_eq!(created["settings"]["overlap"], suggested, "{template}");
        assert!(
            help.contains(&format!("`{template}`")),
            "{template}: {help}"
        );
    }

    let own = workspace.run("study create own --template writing --overlap 5");
    assert!(own.contains("annotators for each source: 5"), "{own}");
}

#[test]
fn studies_are_made_listed_and_shown() {
    let workspace = Workspace::new();
    let created = workspace.run("study create river --name River --overlap 2");
    insta::assert_snapshot!(created, @r#"
    river  River
    annotators for each source: 2
    category rule: tuned, threshold 0.7
    steps: Categorise, check edits, rank & rate
    way of working: steps
    hours until an unfinished source is given to someone else: 72
    dimensions: overall (0 to 100)
    "#);

    insta::assert_snapshot!(workspace.json("study create lake"), @r#"
    {
      "archived": false,
      "closed": false,
      "id": "[id]",
      "name": "lake",
      "schema": "study/1",
      "settings": {
        "accepts_unjudged": true,
        "annotators_agree": false,
        "category_rule": "tuned",
        "category_threshold": 0.7,
        "dimensions": [{"name":"overall","scale":{"high":100,"low":0}}],
        "layout": "steps",
        "lease_hours": 72,
        "overlap": 3,
        "protocol": ["categorise","check-edits","rank-and-rate"],
        "qualification": {"by":"none"},
        "quality_control": {"attention_every":0,"copy_every":0,"repeated_every":0,"scrambled_every":0},
        "retention": "study",
        "retrain_every": 0
      },
      "study": "lake"
    }
    "#);

    insta::assert_snapshot!(workspace.run("study list"), @r#"
    lake  lake
    river  River
    "#);
    assert_eq!(workspace.run("study show river"), created);
    insta::assert_snapshot!(workspace.json("study show river"), @r#"
    {
      "archived": false,
      "closed": false,
      "id": "[id]",
      "name": "River",
      "schema": "study/1",
      "settings": {
        "accepts_unjudged": true,
        "annotators_agree": false,
        "category_rule": "tuned",
        "category_threshold": 0.7,
        "dimensions": [{"name":"overall","scale":{"high":100,"low":0}}],
        "layout": "steps",
        "lease_hours": 72,
        "overlap": 2,
        "protocol": ["categorise","check-edits","rank-and-rate"],
        "qualification": {"by":"none"},
        "quality_control": {"attention_every":0,"copy_every":0,"repeated_every":0,"scrambled_every":0},
        "retention": "study",
        "retrain_every": 0
      },
      "study": "river"
    }
    "#);

    let studies = ["lake", "river"].map(|study| {
        let mut shown = workspace.value(&format!("study show {study}"));
        shown.as_object_mut().expect("an object").remove("schema");
        shown
    });
    assert_eq!(
        workspace.value("study list"),
        json!({ "schema": "studies/1", "studies": studies })
    );

    insta::assert_snapshot!(workspace.error("study show sea"), @r#"there is no study “sea”: see `rankrate study list`"#);
}

#[test]
fn the_next_source_is_chosen_where_a_lead_wants_it() {
    let workspace = Workspace::with_study();
    let shown = workspace.run("study order river where-uncertain");
    let line = "next source: the one that makes the ranking of systems most certain\n";
    assert!(shown.contains(line), "{shown}");
    let settings = workspace.value("study show river")["settings"].clone();
    assert_eq!(settings["source_order"], "where-uncertain");

    let shown = workspace.run("study order river as-imported");
    assert!(!shown.contains("next source"), "{shown}");
    insta::assert_snapshot!(workspace.error("study order sea as-imported"), @"there is no study “sea”: see `rankrate study list`");
    let error = workspace.error("study order river at-random");
    assert!(
        error.contains("use one of as-imported, where-uncertain"),
        "{error}"
    );
}

#[test]
fn sources_get_a_number_of_annotators_of_their_own() {
    let workspace = Workspace::new();
    let texts =
        "source_id,source,output,system\na,A cat.,Cat.,A\nb,A dog.,Dog.,A\nc,A cow.,Cow.,A\n";
    workspace.write("texts.csv", texts);
    workspace.run("import river @texts.csv --create");

    workspace.write("keys.txt", "\u{feff}a\r\n\n c \na\n");
    insta::assert_snapshot!(workspace.run("study annotators river --overlap 10 --keys @keys.txt"), @"2 sources: 10 annotators each");
    insta::assert_snapshot!(workspace.json("study annotators river --keys @keys.txt"), @r#"{"annotators":3,"own":false,"schema":"study-annotators/1","sources":2,"study":"river"}"#);

    workspace.write("unknown.txt", "a\nd\n");
    insta::assert_snapshot!(workspace.error("study annotators river --overlap 10 --keys @unknown.txt"), @"line 2: the study has no source with the key “d”. Nothing was changed: correct the line, and try again");
    workspace.write("none.txt", "\n");
    insta::assert_snapshot!(workspace.error("study annotators river --keys @none.txt"), @"the file names no source: write the key of one on each line");
    insta::assert_snapshot!(workspace.error("study annotators river --keys @missing.txt"), @"@missing.txt cannot be read as text: No such file or directory (os error 2)");
    let error = workspace.error("study annotators river --overlap 0 --keys @keys.txt");
    assert!(error.contains("0 is not in 1..=100"), "{error}");

    workspace.write(
        "more.csv",
        "source_id,source,output,system\nt,A hen.,Hen.,A\n",
    );
    workspace.run("import river @more.csv --purpose training");
    workspace.write("keys.txt", "b\nt\n");
    insta::assert_snapshot!(workspace.error("study annotators river --overlap 10 --keys @keys.txt"), @"line 2: source “t” is for training, and everybody gets it. Nothing was changed: delete the line, and try again");

    workspace.run("study close river");
    let error = workspace.error("study annotators river --overlap 10 --keys @unknown.txt");
    assert!(error.contains("no source with the key"), "{error}");
}

#[test]
fn systems_are_given_kinds_renamed_and_hidden() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("system river"), @r#"
    system     kind  figures  outputs
    A       machine    shown        3
    B       machine    shown        3
    "#);

    insta::assert_snapshot!(workspace.json("system river B --kind human"), @r#"
    {
      "schema": "study-systems/1",
      "systems": [
        {"hidden":false,"kind":"machine","outputs":3,"system":"A"},
        {"hidden":false,"kind":"human","outputs":3,"system":"B"}
      ]
    }
    "#);
    insta::assert_snapshot!(workspace.error("system river C --kind human"), @r#"no system is called “C”; there are: A, B"#);
    insta::assert_snapshot!(workspace.run("system river A --rename C --hide"), @r#"
    system     kind  figures  outputs
    C       machine   hidden        3
    B         human    shown        3
    "#);

    let ranked = || {
        let figures = workspace.value("systems --study river");
        let systems = figures["rankings"][0]["systems"].as_array().cloned();
        let names = systems.expect("systems").into_iter();
        names
            .map(|system| system["system"].to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(ranked(), [r#""B""#]);
    let agreement = workspace.value("agreement --study river --by system");
    let parts = agreement["parts"].as_object().expect("parts");
    assert_eq!(parts.keys().collect::<Vec<_>>(), ["B"]);
    assert_eq!(agreement["units"], 6, "all count");
    workspace.run("system river C --show");
    assert_eq!(ranked().len(), 2);

    insta::assert_snapshot!(workspace.error("system river C --rename B"), @"The study has another system called “B”: choose another name.");
    insta::assert_snapshot!(workspace.error("system river C --rename="), @"A system needs a name.");
    for command in ["system river C", "system river --hide"] {
        let error = workspace.error(command);
        assert!(error.contains("required arguments"), "{error}");
    }
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

    insta::assert_snapshot!(without_password(workspace.run("user add lea --admin")), @r#"
    lea: added
    password (shown this once):
    "#);
    let added: serde_json::Value =
        serde_json::from_str(&workspace.json("user add ann")).expect("an account");
    let keys: Vec<_> = added.as_object().expect("an object").keys().collect();
    assert_eq!(
        keys,
        ["admin", "disabled", "id", "name", "password", "schema"]
    );

    insta::assert_snapshot!(workspace.run("user list"), @r#"
    ann
    lea  administrator
    "#);
    insta::assert_snapshot!(workspace.json("user list"), @r#"
    {
      "schema": "users/1",
      "users": [
        {"admin":false,"disabled":false,"id":"[id]","name":"ann"},
        {"admin":true,"disabled":false,"id":"[id]","name":"lea"}
      ]
    }
    "#);

    insta::assert_snapshot!(workspace.run("user role ann river annotator"), @r#"ann: annotator in river"#);
    insta::assert_snapshot!(workspace.json("user role ann river none"), @r#"{"name":"ann","role":"none","schema":"user-role/1","study":"river"}"#);
    insta::assert_snapshot!(without_password(workspace.run("user reset ann")), @r#"
    ann: has a new password
    password (shown this once):
    "#);
    insta::assert_snapshot!(workspace.error("user role nobody river lead"), @r#"nobody is called “nobody”: see `rankrate user list`"#);
}

#[test]
fn tokens_are_made_listed_and_revoked() {
    let workspace = Workspace::with_study();
    workspace.run("user add ann");
    insta::assert_snapshot!(workspace.error("token add ann --study river"), @"ann neither leads nor researches river");
    workspace.run("user role ann river researcher");

    let made = workspace.json("token add ann --study river --name notebook --days 7");
    let made: serde_json::Value = serde_json::from_str(&made).expect("a token");
    let secret = made["token"].as_str().expect("the secret");
    assert!(
        secret.starts_with("rankrate_") && secret.len() == 52,
        "{secret}"
    );
    assert_eq!(made["access"], "read");

    workspace.run("token add ann --all-studies --write --name loop");
    let listed = workspace.json("token list ann");
    assert!(!listed.contains(secret), "it is shown once");
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("tokens");
    let tokens = listed["tokens"].as_array().expect("a list");
    assert_eq!(tokens[0]["studies"], serde_json::Value::Null);
    assert_eq!(tokens[0]["access"], "write");
    assert_eq!(tokens[1]["studies"], serde_json::json!(["river"]));

    let stranger = "token revoke ann 00000000-0000-7000-8000-000000000000";
    assert!(workspace.error(stranger).contains("has no token"));
    let error = workspace.error("token add ann");
    assert!(error.contains("--study"), "{error}");

    workspace.run("user reset ann");
    insta::assert_snapshot!(workspace.json("token list ann"), @r#"{"schema":"tokens/1","tokens":[]}"#);
}

#[test]
fn webhooks_are_added_listed_and_removed() {
    let workspace = Workspace::with_study();
    let allow = "--webhooks-allow https://hooks.example.org/studies/";
    insta::assert_snapshot!(workspace.error("webhook add river https://hooks.example.org/studies/a"), @"Webhooks are switched off on this server. Its administrator switches them on by listing allowed addresses in its settings.");
    insta::assert_snapshot!(workspace.error(&format!("webhook add river https://hooks.example.org/b {allow}")), @"This server sends notices only to addresses that begin with https://hooks.example.org/studies/.");

    let add = format!("webhook add river https://hooks.example.org/studies/a {allow}");
    let made: serde_json::Value =
        serde_json::from_str(&workspace.json(&format!("{add} --notice job-ended"))).expect("one");
    assert_eq!(made["notices"], serde_json::json!(["job-ended"]));
    let secret = made["secret"].as_str().expect("the secret");
    assert!(
        secret.starts_with("whsec_") && secret.len() == 50,
        "{secret}"
    );
    assert!(
        workspace
            .run(&add)
            .contains("secret (shown this once): whsec_")
    );

    let listed = workspace.json("webhook list river");
    assert!(!listed.contains("whsec_"), "{listed}");
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("webhooks");
    let webhooks = listed["webhooks"].as_array().expect("a list");
    assert_eq!(webhooks.len(), 2);
    assert_eq!(webhooks[0]["id"], made["id"]);
    assert_eq!(webhooks[1]["notices"].as_array().map(Vec::len), Some(3));

    let unmasked = workspace.try_run_unmasked("webhook list river", false);
    let unmasked = unmasked.expect("they are listed");
    let id = unmasked.split_whitespace().next().expect("an id");
    let removed = workspace.run(&format!("webhook remove river {id}"));
    assert!(
        removed.starts_with("river: removed the webhook"),
        "{removed}"
    );
    let again = workspace.error(&format!("webhook remove river {id}"));
    assert!(again.contains("river has no webhook"), "{again}");
    assert!(
        workspace
            .run("webhook list river")
            .contains("  active  https://hooks.example.org/studies/a")
    );
}

#[test]
fn a_study_is_written_as_a_file_and_made_of_one() {
    let workspace = Workspace::new();
    workspace.run("study create river --template likert --tutorial --overlap 2");
    let written = workspace.run("study export river");
    insta::assert_snapshot!(workspace.run("study export river -o @river.json"), @r#"river: written to @river.json"#);
    insta::assert_snapshot!(workspace.json("study export river -o @river.json"), @r#"
{"file":"@river.json","schema":"study-file/1","study":"river"}
"#);
    assert_eq!(workspace.read("river.json"), written);

    insta::assert_snapshot!(workspace.run("study import @river.json --slug lake --name Lake"), @r#"
    lake  Lake
    annotators for each source: 2
    category rule: tuned, threshold 0.7
    steps: Rate
    way of working: steps
    hours until an unfinished source is given to someone else: 72
    dimensions: adequacy (1 to 5), fluency (1 to 5), simplicity (-2 to 2)
    "#);

    let renamed = |slug: &str, name: &str| {
        let slug = written.replace(r#""slug": "river""#, &format!(r#""slug": "{slug}""#));
        slug.replace(r#""title": "river""#, &format!(r#""title": "{name}""#))
    };
    assert_eq!(workspace.run("study export lake"), renamed("lake", "Lake"));
    workspace.run("study clone lake --slug sea --name Sea");
    assert_eq!(workspace.run("study export sea"), renamed("sea", "Sea"));

    insta::assert_snapshot!(workspace.error("study import @river.json"), @r#"The short name “river” is taken: use another."#);
    let faulty = written.replace(r#""overlap": 2"#, r#""overlap": 0"#);
    workspace.write("faulty.json", &faulty);
    insta::assert_snapshot!(workspace.error("study import @faulty.json --slug pond"), @r#"settings.overlap: 0 is not a number from 1 to 100. Nothing was stored: correct this and try again."#);
    insta::assert_snapshot!(workspace.error("study import @ratings.csv"), @r#"@ratings.csv: The file: it is not JSON: expected value at line 1 column 1. Nothing was stored: correct this and try again."#);
    insta::assert_snapshot!(workspace.error("study import @none.json"), @r#"@none.json cannot be read: No such file or directory (os error 2)"#);

    let kinds = audit_entries(&workspace)
        .into_iter()
        .map(|entry| entry.kind);
    let created = kinds
        .filter(|kind| *kind == AuditKind::StudyCreated)
        .count();
    assert_eq!(
        (created, workspace.run("study list").lines().count()),
        (3, 3)
    );
}

/// The log of changes, oldest first.
fn audit_entries(workspace: &Workspace) -> Vec<AuditEntry> {
    let url = store::sqlite_url(&workspace.folder.path().join("test.sqlite"));
    let read = async {
        let store = Store::open(&url).await.expect("the database opens");
        let entries = store.audit_entries(&AuditFilter::default(), 99).await;
        store.close().await;
        entries.expect("the entries read")
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let mut entries = runtime.block_on(read);
    entries.reverse();
    entries
}

#[test]
fn commands_are_in_the_log_of_changes() {
    let workspace = Workspace::with_study();
    for command in [
        "user add ann",
        "user add lea --admin",
        "user role ann river annotator",
        "user role ann river researcher",
        "user role ann river none",
        // Without a membership, nothing changes.
        "user role ann river none",
        "user reset ann",
        "export river --format tidy",
    ] {
        workspace.run(command);
    }

    let entries = audit_entries(&workspace);
    let lines = entries.iter().map(|entry| {
        assert_eq!((&entry.actor[..], &entry.address[..]), ("command line", ""));
        format!("{}: {}\n", entry.kind, entry.subject)
    });
    insta::assert_snapshot!(lines.collect::<String>(), @r#"
    study-created: river
    import-begun: ratings.csv
    account-added: ann
    admin-added: lea
    member-added: ann (annotator)
    role-changed: ann (researcher)
    member-removed: ann
    password-reset: ann
    exported: tidy
    "#);
}

#[test]
fn an_archived_study_takes_nothing_until_it_is_taken_out() {
    let workspace = Workspace::with_study();
    let archived = workspace.value("study archive river");
    assert_eq!(
        (&archived["closed"], &archived["archived"]),
        (&json!(true), &json!(true))
    );

    insta::assert_snapshot!(
        workspace.error("system river A --kind human"),
        @"This study is archived: nothing in it can be changed until its lead takes it out of the archive, in its settings."
    );
    insta::assert_snapshot!(
        workspace.error("import river @ratings.csv"),
        @"This study is archived: nothing in it can be changed until its lead takes it out of the archive, in its settings."
    );

    let shown = workspace.value("study unarchive river");
    assert_eq!(
        (&shown["closed"], &shown["archived"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn a_closed_study_is_erased() {
    let workspace = Workspace::with_study();
    insta::assert_snapshot!(workspace.run("study erase river"), @r#"
    river: nothing was erased; with --yes all of this goes
    sources: 3, outputs: 6, ratings: 36, participants: 0, members: 0
    "#);

    insta::assert_snapshot!(
        workspace.error("study erase river --yes"),
        @"This study is open: close it first, so that nobody works in it."
    );

    workspace.run("study close river");
    insta::assert_snapshot!(workspace.run("study erase river --yes"), @r#"
    river: erased with everything in it
    sources: 3, outputs: 6, ratings: 36, participants: 0, members: 0
    Backups made before still hold it.
    "#);
    insta::assert_snapshot!(workspace.run("check"), @"studies: 0, answers: 0, events: 0");
    insta::assert_snapshot!(
        workspace.error("study erase river --yes"),
        @"there is no study “river”: see `rankrate study list`"
    );

    // The short name is free again.
    workspace.run("study create river");
    let erasure = workspace.value("study erase river");
    assert_eq!(erasure["erased"], json!(false));
    assert_eq!(erasure["sources"], json!(0));
}

#[test]
fn an_account_is_erased_once_others_lead_its_studies() {
    let workspace = Workspace::with_study();
    workspace.run("user add ann");
    workspace.run("user add ben");
    workspace.run("user role ann river lead");

    insta::assert_snapshot!(workspace.run("user erase ann"), @r#"
    ann: nothing was erased; with --yes this goes: name, password, sessions and roles
    studies: river
    "#);
    insta::assert_snapshot!(
        workspace.error("user erase ann --yes"),
        @"Nobody would be left to lead “river”: make another member a lead first, or erase the study."
    );

    workspace.run("user role ben river lead");
    insta::assert_snapshot!(workspace.run("user erase ann --comments --ratings --yes"), @r#"
    ann: erased: name, password, sessions and roles; comments; ratings
    studies: river
    Backups made before still hold the account.
    "#);

    insta::assert_snapshot!(workspace.run("user list"), @"ben");
    insta::assert_snapshot!(
        workspace.error("user erase ann --yes"),
        @"nobody is called “ann”: see `rankrate user list`"
    );
    let erased = workspace.value("user erase ben");
    assert_eq!(erased["studies"], json!(["river"]));
}

#[test]
fn a_database_is_copied_and_checked() {
    let workspace = Workspace::with_study();
    let check = workspace.run("check");
    insta::assert_snapshot!(check, @"studies: 1, answers: 36, events: 2");

    let copied = workspace.run("backup -o @copy.sqlite");
    assert!(copied.starts_with("@copy.sqlite: "), "{copied}");
    assert!(
        copied
            .trim_end()
            .ends_with(&format!("checked: {}", check.trim_end())),
        "{copied}"
    );

    let found = workspace.value("check");
    assert_eq!(found["faults"], json!([]));
    assert_eq!(found["annotations"], 36);
    insta::assert_snapshot!(
        workspace.error("backup -o @copy.sqlite"),
        @"@copy.sqlite is there already: name a new file."
    );
}

#[test]
fn a_backup_is_restored_and_the_database_before_is_kept() {
    let workspace = Workspace::with_study();
    workspace.run("backup -o @copy.sqlite");
    let before = workspace.value("study list");
    workspace.run("study create meadow --name Meadow");
    assert_ne!(workspace.value("study list"), before);

    let restored = workspace.value("restore @copy.sqlite");
    assert_eq!(workspace.value("study list"), before);
    assert_eq!(workspace.value("check")["faults"], json!([]));

    // The backup can be restored again, and so can what was there before it.
    let kept = restored["kept"].as_str().unwrap();
    workspace.run(&format!("restore {kept}"));
    assert_ne!(workspace.value("study list"), before);
    workspace.run("restore @copy.sqlite");
    assert_eq!(workspace.value("study list"), before);
}

/// Runs `work` while the database is open, after an entry about “killed” was written to the log of changes.
fn while_open(workspace: &Workspace, work: impl FnOnce()) {
    let url = store::sqlite_url(&workspace.folder.path().join("test.sqlite"));
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let store = runtime.block_on(async {
        let store = Store::open(&url).await.expect("the database opens");
        let subject = AuditSubject::Named("killed".into());
        let entry = command_entry(AuditKind::Exported, None, subject);
        store.record_audit(entry).await.expect("it is stored");
        store
    });
    work();
    runtime.block_on(store.close());
}

#[test]
fn what_a_killed_server_left_in_the_log_is_in_the_file_that_is_kept() {
    let workspace = Workspace::with_study();
    workspace.run("backup -o @copy.sqlite");
    let folder = workspace.folder.path();
    let (file, log) = (folder.join("test.sqlite"), folder.join("test.sqlite-wal"));

    while_open(&workspace, || {
        fs::copy(&file, folder.join("killed")).unwrap();
        fs::copy(&log, folder.join("killed-wal")).unwrap();
    });
    fs::rename(folder.join("killed"), &file).unwrap();
    fs::rename(folder.join("killed-wal"), &log).unwrap();

    let restored = workspace.value("restore @copy.sqlite");
    assert!(
        !log.exists(),
        "it would be taken for that of the restored database"
    );
    let is_told = |workspace| {
        let entries = audit_entries(workspace);
        entries.iter().any(|entry| entry.subject == "killed")
    };
    assert!(!is_told(&workspace));

    let kept = restored["kept"].as_str().unwrap();
    workspace.run(&format!("restore {kept}"));
    assert!(is_told(&workspace));
}

#[test]
fn a_database_in_use_is_not_replaced() {
    let workspace = Workspace::with_study();
    workspace.run("backup -o @copy.sqlite");
    let before = workspace.value("study list");
    while_open(&workspace, || {
        insta::assert_snapshot!(
            workspace.error("restore @copy.sqlite"),
            @"@test.sqlite is in use: wait until every other command on it has ended, and try again."
        );
    });
    assert_eq!(workspace.value("study list"), before);
    workspace.run("restore @copy.sqlite");
}

#[test]
fn a_damaged_or_foreign_file_is_not_restored() {
    let workspace = Workspace::with_study();
    let before = workspace.value("check");
    workspace.run("backup -o @copy.sqlite");

    let mut bytes = fs::read(workspace.folder.path().join("copy.sqlite")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    fs::write(workspace.folder.path().join("damaged.sqlite"), bytes).unwrap();
    let damaged = workspace.error("restore @damaged.sqlite");
    assert!(damaged.contains("cannot be restored: "), "{damaged}");

    fs::write(
        workspace.folder.path().join("text.sqlite"),
        "source,output\n",
    )
    .unwrap();
    insta::assert_snapshot!(
        workspace.error("restore @text.sqlite"),
        @"@text.sqlite cannot be restored: it is not a SQLite database, or it is damaged."
    );

    assert_eq!(workspace.value("check"), before);
}

/// A changed letter leaves the file a sound database, but with another text.
#[test]
fn a_backup_with_a_changed_text_is_not_restored() {
    let workspace = Workspace::with_study();
    let digest = workspace.value("backup @copy.sqlite")["sha256"].clone();
    let line = workspace.read("copy.sqlite.sha256");
    assert_eq!(line, format!("{}  copy.sqlite\n", digest.as_str().unwrap()));
    workspace.run("restore @copy.sqlite");

    let path = workspace.folder.path().join("copy.sqlite");
    let mut bytes = fs::read(&path).unwrap();
    let text = b"Sank the vessel of boats.";
    let at = bytes.windows(text.len()).position(|part| part == text);
    bytes[at.unwrap()] = b'T';
    fs::write(&path, bytes).unwrap();
    let error = workspace.error("restore @copy.sqlite");
    assert!(
        error.starts_with("@copy.sqlite is not as it was when it was made: its SHA-256"),
        "{error}"
    );

    // Without the digest's file, the backup is taken for sound.
    fs::remove_file(workspace.folder.path().join("copy.sqlite.sha256")).unwrap();
    workspace.run("restore @copy.sqlite");
}

#[test]
fn the_demonstration_is_loaded_once() {
    let workspace = Workspace::new();
    assert_eq!(workspace.value("demo")["loaded"], true);
    let before = workspace.run("export demo --format jsonl");
    assert_eq!(workspace.value("demo")["loaded"], false);
    assert_eq!(workspace.run("export demo --format jsonl"), before);
}

#[test]
fn a_command_that_needs_a_database_makes_none_and_says_where_it_looked() {
    let workspace = Workspace::new();
    for command in [
        "study list",
        "study show river",
        "study close river",
        "user list",
        "user erase lea",
        "token list lea",
        "webhook list river",
        "system river",
        "check",
        "backup -o @copy.sqlite",
        "agreement --study river --dimension simplicity",
        "systems --study river --dimension simplicity",
        "raters --study river --dimension simplicity",
        "protocols river lake",
        "export river --format jsonl",
        "import river @ratings.csv",
        "import river --list",
    ] {
        let error = workspace.error(command);
        assert!(
            error.starts_with("there is no database at @test.sqlite: name its folder"),
            "{command}: {error}"
        );
        assert!(
            !workspace.folder.path().join("test.sqlite").exists(),
            "{command}"
        );
    }

    workspace.run("study create river");
    assert!(workspace.run("study list").contains("river"));
}

/// As on a read-only mount. Permissions do not keep root out, so the test shows less when run as root.
#[cfg(unix)]
#[test]
fn a_database_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let workspace = Workspace::with_study();
    let figures = "agreement --study river --dimension simplicity";
    let before = [figures, "check"].map(|command| (command, workspace.run(command)));
    let folder = workspace.folder.path();
    let set_rights = |folder_mode, file_mode| {
        let set = |path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        set(folder.join("test.sqlite"), file_mode);
        set(folder.to_owned(), folder_mode);
    };

    set_rights(0o500, 0o400);
    for (command, expect) in before {
        assert_eq!(workspace.run(command), expect);
    }
    assert!(workspace.run("study list").contains("river"));
    assert!(
        workspace
            .run("systems --study river --dimension simplicity")
            .contains('A')
    );
    set_rights(0o700, 0o600);
}

/// `head`, for example, closes the pipe after ten lines.
#[test]
fn a_reader_who_has_enough_is_no_fault() {
    struct ClosedPipe;
    impl io::Write for ClosedPipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    struct FullDisk;
    impl io::Write for FullDisk {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let arguments = |command: &str| {
        let arguments = ["rankrate"].into_iter().chain(command.split(' '));
        CliArgs::try_parse_from(arguments).unwrap()
    };

    for command in ["schema", "schema agreement", "schema --json"] {
        let output = CommandOutput::to_writer(false, ClosedPipe);
        print_to_reader(arguments(command), output).unwrap();
        let output = CommandOutput::to_writer(false, FullDisk);
        assert!(print_to_reader(arguments(command), output).is_err());
    }
}

#[test]
fn shells_and_the_manual_know_every_command() {
    let workspace = Workspace::new();
    for shell in ["bash", "zsh", "fish"] {
        let completions = workspace.run(&format!("completions {shell}"));
        assert!(completions.contains("meta-eval"), "{shell}: {completions}");
        assert!(
            !completions.contains("train-worker\n"),
            "{shell}: a hidden command"
        );
    }

    let told = workspace.run("man -o @pages");
    assert!(told.starts_with("the manual pages are in "), "{told}");
    assert!(workspace.read("pages/rankrate.1").contains("rankrate"));
    let page = workspace.read("pages/rankrate-meta-eval.1");
    assert!(page.contains("metrics"), "{page}");
}
