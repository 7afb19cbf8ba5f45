//! Imports in a browser without JavaScript: upload, preview, report and undo.

use std::time::Duration;

use domain::{ids::StudyId, study::Role};

use super::{plain_browser::PlainBrowser, testing::TestSite};

/// A table with a row that has no source.
const TABLE: &str = "\
key,complex,model,simplified,who,overall score
f1,\"The old ferry, which carried timber, was withdrawn.\",Alpha,The old ferry stopped. It carried wood.,one,88
f1,\"The old ferry, which carried timber, was withdrawn.\",Beta,The old ferry was withdrawn.,one,61
f2,The harbour was reconstructed after the storm.,Alpha,The harbour was rebuilt after the storm.,two,93
f2,,Beta,This row has no source.,two,40
f3,Inspectors discovered corrosion beneath the hull.,Alpha,Inspectors found rust under the hull.,one,79
";

/// The columns of the table whose meaning is guessed from their names.
const GUESSED: [(&str, &str); 5] = [
    ("key is", "source_id"),
    ("complex is", "source"),
    ("model is", "system"),
    ("simplified is", "output"),
    ("overall score is", "rating"),
];

/// A site whose worker imports files, with the study `river` and the cookie of its lead.
async fn working_site() -> (TestSite, StudyId, String) {
    let site = TestSite::new().await;
    site.start_worker();
    let study = site.study("river").await;
    let lead = site.sign_in_member(study, "lea", Role::Lead).await;
    (site, study, lead)
}

async fn upload(browser: &mut PlainBrowser<'_>, name: &str, file: &str) {
    browser.open("/s/river/import").await;
    let files = [(name, file.as_bytes())];
    browser.send_files("Upload", &[], &files).await;
}

/// Reloads an import's page, as the page asks browsers to, until it shows the text.
async fn reload_until(browser: &mut PlainBrowser<'_>, text: &str) {
    let address = browser.address.clone();
    assert!(address.contains("/import/jobs/"), "{address}");

    for _ in 0..600 {
        if browser.shows(text) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        browser.open(&address).await;
    }
    panic!("{text}: {}", browser.body);
}

/// Uploads the table and imports it.
async fn import_table(browser: &mut PlainBrowser<'_>) {
    upload(browser, "rows.csv", TABLE).await;
    browser.assert_shows(&[
        "Read as CSV, separated by commas, UTF-8, 6 lines.",
        "5 rows → 3 sources, 2 systems, 4 outputs (1 to 2 per source), 1 problem.",
        "Rows that will be left out (1)",
        "Line 5 complex",
    ]);
    for (label, field) in GUESSED {
        assert_eq!(browser.value(label), field, "{label}");
    }
    let guesses = browser.body.matches("guessed from its name").count();
    assert_eq!(guesses, GUESSED.len());

    let who = [("who is", "rater: who rated")];
    browser.send("Import", &who).await;
    reload_until(browser, "See the sources").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_imported_again_without_effect_and_its_import_undone() {
    let (site, _, lead) = working_site().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    let report = [
        "new sources 3",
        "new outputs 4",
        "new raters 2",
        "new ratings 4",
        "Rows left out (1)",
        "Line 5 complex",
    ];

    import_table(&mut browser).await;
    browser.assert_shows(&report);
    browser.follow("Undo this import…").await;
    browser.assert_shows(&["Undo this import?"]);
    browser.open("/s/river/sources").await;
    for key in ["f1", "f2", "f3"] {
        browser.link(key);
    }

    import_table(&mut browser).await;
    browser.assert_shows(&["Nothing changed"]);
    browser.open("/s/river/import").await;
    browser.assert_shows(&["3 sources, 2 systems, 4 outputs, 2 raters, 4 ratings"]);
    assert_eq!(
        browser
            .body
            .replace("<!>", "")
            .matches(">rows.csv</a>")
            .count(),
        2
    );

    // The file was the wrong one, and nothing in it has been judged.
    browser.follow("Undo…").await;
    browser.send("Undo the import", &[]).await;
    assert_eq!(browser.address, "/s/river/import");
    browser.assert_shows(&["undone"]);
    browser.assert_lacks(&["Undo…"]);
    browser.open("/s/river/sources").await;
    browser.assert_shows(&["This study has no sources yet"]);
    import_table(&mut browser).await;
    browser.assert_shows(&report);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_imported_is_refused_with_a_sentence() {
    let (site, _, lead) = working_site().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    upload(&mut browser, "empty.csv", "source,output,system\n").await;
    browser.assert_shows(&["The file has a header and no rows"]);
    browser.open("/s/river/import").await;
    browser.assert_lacks(&["empty.csv"]);

    upload(&mut browser, "rows.csv", TABLE).await;
    browser.send("Import", &[("complex is", "")]).await;
    browser.assert_shows(&["Say which column holds the sources."]);
    let strict = [
        ("who is", "rater"),
        ("Import nothing unless every row is valid", "on"),
    ];
    browser.send("Import", &strict).await;
    reload_until(
        &mut browser,
        "every row had to be valid, and 1 of 5 are not",
    )
    .await;
    browser.follow("Import it with other settings").await;
    browser.assert_shows(&["rows.csv", "What the columns mean"]);

    let gap = "Original,System,Simplified\nThe boat sails.,A,It sails.\nThe boat sails.,B,\n";
    upload(&mut browser, "gap.csv", gap).await;
    browser.assert_shows(&["1 output is empty. Annotators see “(This output is empty.)”"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_in_a_known_format_needs_only_its_raters() {
    let (site, _, lead) = working_site().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    let released = "\
original_id,original,generation,system,sentence_type,rating_1,rating_2,rating_1_zscore,rating_2_zscore
1,The old ferry was withdrawn from service.,The ferry stopped.,Alpha,Paraphrases,90.0,80.0,0.5,0.1
2,The harbour was rebuilt.,They rebuilt it.,Alpha,Paraphrases,40.0,50.0,-0.5,-0.1
";

    upload(&mut browser, "in2022.csv", released).await;
    browser.assert_shows(&["Read as SimpEval 2022, separated by commas, UTF-8, 3 lines."]);
    let raters =
        b"original_id,system,slot,rater\n1,Alpha,1,one\n1,Alpha,2,two\n2,Alpha,1,two\n2,Alpha,2,one";
    let files = [("raters.csv", &raters[..])];
    browser.send_files("Add it", &[], &files).await;
    browser.assert_shows(&["is taken from raters.csv"]);

    browser.send("Import", &[]).await;
    reload_until(&mut browser, "new raters 2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_around_sources_is_recognised_by_its_columns() {
    let (site, study, lead) = working_site().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    let table = "\
source_id,source,context_before,context_after,output,system
1,The ferry was withdrawn.,It carried timber.,A bus replaces it.,It stopped.,A
1,The ferry was withdrawn.,It carried timber.,A bus replaces it.,It is gone.,B
";

    browser.open("/s/river/import").await;
    browser.assert_shows(&["context_before and context_after"]);
    upload(&mut browser, "context.csv", table).await;
    browser.assert_shows(&["2 contexts"]);
    assert_eq!(browser.value("context_before is"), "context_before");
    browser.send("Import", &[]).await;
    reload_until(&mut browser, "See the sources").await;

    let sources = site.store.sources(study).await.unwrap();
    browser
        .open(&format!("/s/river/sources/{}", sources[0].id))
        .await;
    browser.assert_shows(&["Before: It carried timber.", "After: A bus replaces it."]);
}

/// Likert ratings by two workers of the outputs of a person, a copy and a machine for three sources.
fn likert() -> String {
    let mut table =
        "WorkerId,Input.original,Input.simplified,Input.system,Answer.fluency,Answer.simplicity\n"
            .to_owned();
    let sources = [
        "The old ferry was withdrawn from service.",
        "The harbour was reconstructed.",
        "Corrosion was found.",
    ];
    for (at, source) in (0_i32..).zip(sources) {
        for (worker, output, system, fluency, simplicity) in [
            (
                "w1",
                format!("It stopped ({at})."),
                "human 1",
                "5".to_owned(),
                at - 1,
            ),
            (
                "w2",
                format!("It stopped ({at})."),
                "human 1",
                "4.5".to_owned(),
                at,
            ),
            ("w1", source.to_owned(), "copy", (at + 2).to_string(), -2),
            ("w2", source.to_owned(), "copy", (at + 1).to_string(), -2),
            ("w1", format!("Stop {at}."), "T5", (at + 1).to_string(), 2),
            ("w2", format!("Stop {at}."), "T5", "1.5".to_owned(), 1),
        ] {
            table += &format!("{worker},{source},{output},{system},{fluency},{simplicity}\n");
        }
    }
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn dimensions_and_kinds_of_systems_are_shown_imported_and_changed() {
    let (site, _, lead) = working_site().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    upload(&mut browser, "likert.csv", &likert()).await;
    browser.assert_shows(&[
        "Read as Likert ratings",
        "fluency 1 to 5 18 new",
        "simplicity -2 to 2 18 new",
    ]);
    for (label, kind) in [
        ("human 1 is", "human"),
        ("copy is", "baseline"),
        ("T5 is", "machine"),
    ] {
        assert_eq!(browser.value(label), kind, "{label}");
    }

    let ends = ["Lowest rating of fluency", "Highest rating of fluency"];
    let stated = [(ends[0], "0"), (ends[1], "10")];
    browser.send("Update the preview", &stated).await;
    browser.assert_shows(&["fluency 0 to 10"]);
    assert_eq!(browser.value(ends[1]), "10");
    // The lead chooses the wrong kind for T5.
    let fields = [(ends[0], ""), (ends[1], ""), ("T5 is", "human")];
    browser.send("Import", &fields).await;
    reload_until(
        &mut browser,
        "New dimensions of the study: fluency (from 1 to 5), simplicity (from -2 to 2).",
    )
    .await;

    for panel in ["agreement", "quality", "systems", "ratings"] {
        browser.open(&format!("/s/river/{panel}")).await;
        assert_eq!(browser.value("Dimension"), "fluency", "{panel}");
        browser.assert_lacks(&["No ratings yet"]);
        let simplicity = [("Dimension", "simplicity")];
        browser.send("Show", &simplicity).await;
        assert!(
            browser.address.contains("dimension=simplicity"),
            "{}",
            browser.address
        );
        assert_eq!(browser.value("Dimension"), "simplicity", "{panel}");
        browser.assert_lacks(&["No ratings yet"]);
    }
    browser.open("/s/river").await;
    let held = &browser.texts("#held")[0];
    assert!(held.contains("ratings 36"), "{held}");

    browser.open("/s/river/systems").await;
    browser.assert_shows(&["Written by people"]);
    browser.assert_lacks(&["Written by machines"]);
    browser.follow("Edit systems").await;
    let fields = [
        ("T5 is", "machine"),
        ("Name of human 1", "Ann"),
        ("Hide copy", "on"),
    ];
    browser.send("Save the systems", &fields).await;
    browser.assert_shows(&["3 systems changed."]);
    let chart = &browser.texts("figure .wide")[0];
    for words in ["Written by people", "Written by machines", "Ann"] {
        assert!(chart.contains(words), "{words}: {chart}");
    }
    assert!(!chart.contains("copy"), "{chart}");
}
