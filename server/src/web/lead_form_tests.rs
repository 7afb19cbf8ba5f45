//! The forms of a lead in a browser without JavaScript, and what they refuse.

use domain::study::Role;

use super::{plain_browser::PlainBrowser, study_fixture::StudyFixture, testing::TestSite};

#[tokio::test]
async fn a_study_begins_with_as_many_annotators_as_its_template_suggests() {
    let (site, lead) = led_study().await;
    for (template, title, overlap) in [
        ("writing", "Writing simplifications", "1"),
        ("expert-evaluation", "Expert evaluation", "2"),
        ("likert", "Likert scales", "3"),
    ] {
        let mut browser = PlainBrowser::with_session(&site, &lead);
        browser.open("/studies/new").await;
        let fields = [("Name", template), (title, "on")];
        browser.send("Create the study", &fields).await;
        browser.open(&format!("/s/{template}/settings")).await;
        assert_eq!(
            browser.value("Annotators for each source"),
            overlap,
            "{template}"
        );
    }

    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/studies/new").await;
    let fields = [
        ("Name", "own"),
        ("Writing simplifications", "on"),
        ("Annotators for each source", "4"),
    ];
    browser.send("Create the study", &fields).await;
    browser.open("/s/own/settings").await;
    assert_eq!(browser.value("Annotators for each source"), "4");
}

#[tokio::test]
async fn a_tutorial_that_a_lead_chose_is_their_import() {
    let (site, lead) = led_study().await;
    for (name, template) in [("one", "Likert scales"), ("two", "Writing simplifications")] {
        let mut browser = PlainBrowser::with_session(&site, &lead);
        browser.open("/studies/new").await;
        let fields = [
            ("Name", name),
            (template, "on"),
            ("Begin with a tutorial", "on"),
        ];
        browser.send("Create the study", &fields).await;
        browser.open(&format!("/s/{name}/import")).await;
        let cells = browser.texts("section[aria-labelledby=imports] tbody tr > *");
        assert_eq!(cells[0], "Tutorial of the template");
        assert_eq!(cells[2], "lea");
    }

    // The same holds for training items of a study that is created from another study's file.
    let file = site.open(Some(&lead), "/s/one/settings/study.json").await;
    let files = [("study.json", file.body.as_bytes())];
    let fields = [("name", "Copy"), ("short_name", "copy")];
    let sent = site.upload_to("study-file", Some(&lead), &fields, &files);
    assert_eq!(sent.await.location.as_deref(), Some("/s/copy"));
    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/s/copy/import").await;
    let cells = browser.texts("section[aria-labelledby=imports] tbody tr > *");
    assert_eq!(cells[0], "Training items of another study");
    assert_eq!(cells[2], "lea");
}

/// A site with the study `river`, and the cookie of its lead.
async fn led_study() -> (TestSite, String) {
    let site = TestSite::new().await;
    let study = site.study("river").await;
    let lead = site.sign_in_member(study, "lea", Role::Lead).await;
    (site, lead)
}

#[tokio::test]
async fn a_study_is_created_and_each_page_of_its_settings_saved() {
    let (site, lead) = led_study().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/studies/new").await;
    assert_eq!(browser.value("Add quality-control items"), "on");
    let fields = [
        ("Name", "Harbour study, part 2"),
        ("Annotators for each source", "2"),
        ("As the paper states it", "on"),
        ("Threshold", ""),
    ];
    browser.send("Create the study", &fields).await;
    assert_eq!(browser.address, "/s/harbour-study-part-2");
    browser.assert_shows(&["Harbour study, part 2", "Import sources"]);

    let page = |path: &str| format!("/s/harbour-study-part-2/settings{path}");
    browser.open(&page("")).await;
    assert_eq!(browser.value("Annotators for each source"), "2");
    browser.open(&page("/advanced")).await;
    assert_eq!(browser.value("As the paper states it"), "on");
    assert_eq!(browser.value("Threshold"), "0.5");
    browser.open(&page("/quality-control")).await;
    assert_eq!(browser.value("An unchanged copy"), "10");

    for (path, button, fields, sentence) in [
        (
            "",
            "Save",
            &[("when a lead approves", "on"), ("Hours until", "48")][..],
            "The settings have been saved.",
        ),
        (
            "/texts",
            "Save the texts",
            &[("Guidelines", "# Be fair\n\nA copy scores 50.")],
            "The texts have been saved.",
        ),
        (
            "/scales",
            "Save the dimensions",
            &[
                ("Name of dimension 2", "fluency"),
                ("Worst of dimension 2", "-2"),
                ("Best of dimension 2", "2"),
            ],
            "The dimensions have been saved.",
        ),
        (
            "/advanced",
            "Save and re-categorise",
            &[
                ("Tuned to the released labels", "on"),
                ("Threshold", "0.65"),
            ],
            "No output changed its category",
        ),
        (
            "/quality-control",
            "Save quality control",
            &[("An unchanged copy", "5")],
            "The quality-control items have been saved.",
        ),
    ] {
        browser.open(&page(path)).await;
        browser.send(button, fields).await;
        browser.assert_shows(&[sentence]);
        browser.open(&page(path)).await;
        for (label, value) in fields {
            assert_eq!(browser.value(label), *value, "{label}");
        }
    }
}

#[tokio::test]
async fn invitations_are_made_and_revoked_and_roles_changed() {
    let (site, lead) = led_study().await;
    let study = site.store.study_by_slug(&"river".parse().unwrap()).await;
    let study = study.unwrap().unwrap().id;
    site.member(study, "ann", Role::Annotator).await;

    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/s/river/members").await;
    let fields = [("Label", "Spring course"), ("Number of people", "12")];
    browser.send("Make a link", &fields).await;
    browser.link("/invite/");
    browser.assert_shows(&["Spring course", "works for 12 more people"]);
    browser.open("/s/river/members").await;
    browser.assert_lacks(&["/invite/"]);
    browser.send("Revoke", &[]).await;
    let rows = browser.texts("tr");
    let link = rows.iter().find(|row| row.contains("Spring course"));
    assert!(link.is_some_and(|row| row.contains("revoked")), "{rows:?}");
    assert!(!browser.body.contains(">Revoke<"), "{}", browser.body);

    let refused = [("Role of lea", "annotator")];
    browser.send("Change", &refused).await;
    browser.assert_shows(&["Nobody would be left to lead the study"]);

    browser
        .send("Change", &[("Role of ann", "researcher")])
        .await;
    browser.assert_shows(&["The role has been changed."]);
    assert_eq!(browser.value("Role of ann"), "researcher");

    browser.send("Remove ann", &[]).await;
    assert!(!browser.body.contains("Role of ann"), "{}", browser.body);
}

#[tokio::test]
async fn a_lead_closes_a_study_and_opens_it_again() {
    let (site, lead) = led_study().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/s/river").await;
    browser.send("Close the study", &[]).await;
    browser.assert_shows(&["This study has been closed since"]);
    browser.send("Open again", &[]).await;
    browser.assert_lacks(&["This study has been closed since"]);
}

#[tokio::test]
async fn a_study_is_archived_and_taken_out_again() {
    let furnished = StudyFixture::new().await;
    let site = &furnished.site;
    let cookie = site.sign_in(furnished.lead).await;
    let mut lead = PlainBrowser::with_session(site, &cookie);

    let cookie = site
        .sign_in_member(furnished.study, "ann", Role::Annotator)
        .await;
    let mut annotator = PlainBrowser::with_session(site, &cookie);
    annotator.open("/s/a-study/work").await;
    annotator.send("Next source", &[]).await;

    lead.open("/s/a-study/settings").await;
    lead.send("Archive the study", &[]).await;
    lead.assert_shows(&["The study has been archived."]);
    lead.open("/s/a-study").await;
    lead.assert_shows(&["This study has been archived since"]);
    lead.assert_lacks(&["Open again"]);
    lead.open("/").await;
    lead.assert_shows(&["Archived (1)"]);

    lead.open("/s/a-study/import").await;
    lead.assert_shows(&["This study is archived."]);
    lead.open("/s/a-study/settings/scales").await;
    lead.send("Save the dimensions", &[]).await;
    lead.assert_shows(&["nothing in it can be changed"]);

    annotator.open("/s/a-study/work").await;
    annotator.assert_shows(&["This study is finished and in the archive."]);
    annotator.assert_lacks(&["Continue"]);

    let link = furnished.replace_names("/invite/{token}");
    let mut newcomer = PlainBrowser::new(site);
    newcomer.open(&link).await;
    newcomer.assert_shows(&["is archived: nobody can join it"]);

    lead.open("/s/a-study").await;
    lead.follow("Take it out of the archive").await;
    lead.send("Take it out of the archive", &[]).await;
    lead.open("/s/a-study").await;
    lead.assert_shows(&["This study has been closed since"]);
    lead.send("Open again", &[]).await;
    lead.assert_lacks(&["This study has been closed since"]);
}

#[tokio::test]
async fn groups_are_made_renamed_and_removed() {
    let (site, lead) = led_study().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    browser.open("/s/river/settings/scales").await;
    let fields = [
        ("Name of dimension 2", "fluency"),
        ("Worst of dimension 2", "0"),
        ("Best of dimension 2", "100"),
    ];
    browser.send("Save the dimensions", &fields).await;

    browser.open("/s/river/settings/groups").await;
    let groups = [
        ("groups[0][name]", "Experts"),
        ("groups[0][overlap]", "1"),
        ("groups[0][dimensions][0]", "on"),
        ("groups[1][name]", "Target readers"),
        ("groups[1][overlap]", "1"),
        ("groups[1][dimensions][1]", "on"),
    ];
    browser.send("Save the groups", &groups).await;
    browser.assert_shows(&["The groups have been saved.", "Experts, 0 annotators"]);
    assert_eq!(browser.value("groups[1][dimensions][0]"), "");
    assert_eq!(browser.value("groups[1][dimensions][1]"), "on");

    let renamed = [
        ("groups[0][name]", "Professionals"),
        ("groups[1][name]", ""),
    ];
    browser.send("Save the groups", &renamed).await;
    browser.assert_shows(&["Professionals, 0 annotators", "Another group (2)"]);
    browser.assert_lacks(&["Experts", "Target readers, 0 annotators"]);
}

#[tokio::test]
async fn a_new_study_says_what_there_is_to_do() {
    let (site, lead) = led_study().await;
    let mut browser = PlainBrowser::with_session(&site, &lead);
    for (task, path) in [
        ("Import sources and system outputs", "/s/river/import"),
        ("Write the information sheet", "/s/river/settings/texts"),
        ("Invite annotators", "/s/river/members"),
    ] {
        browser.open("/s/river").await;
        browser.assert_shows(&["To do"]);
        let link = browser.link(task);
        assert_eq!(link.split('#').next(), Some(path), "{task}");
    }
}

#[tokio::test]
async fn invalid_input_is_refused_with_a_sentence() {
    let (site, lead) = led_study().await;

    let nobody = "00000000-0000-7000-8000-000000000000";
    let own_overlap = format!("source={nobody}&overlap=0");
    for (endpoint, fields, sentence) in [
        ("create-study", "name=", "The name is missing"),
        ("create-study", "name=研究", "Enter a short name"),
        ("create-study", "name=River&short_name=river", "is taken"),
        (
            "create-study",
            "name=Lake&template=other",
            "is not a template",
        ),
        (
            "set-protocol",
            "rating=other&layout=steps&outputs=all",
            "Choose how annotators judge outputs",
        ),
        (
            "set-general",
            "name=Other&overlap=0&lease_hours=72&qualification=none",
            "a whole number from 1 to 100",
        ),
        (
            "set-category-rule",
            "category_rule=tuned&category_threshold=2",
            "from 0 to 1",
        ),
        (
            "set-category-rule",
            "category_rule=other",
            "is not a category rule",
        ),
        (
            "set-dimensions",
            "dimensions[0][name]=",
            "Name at least one dimension",
        ),
        (
            "set-groups",
            "groups[0][name]=Experts&groups[0][overlap]=0",
            "a whole number from 1 to 100",
        ),
        (
            "set-groups",
            "groups[0][name]=A&groups[1][name]=a",
            "two groups are called",
        ),
        (
            "invite",
            "role=annotator&uses=1&days=1&group=none",
            "no longer has this group",
        ),
        ("invite", "role=admin&uses=1&days=1", "is not a role"),
        (
            "set-purpose",
            "source=1&purpose=training",
            "no source called",
        ),
        (
            "set-own-overlap",
            &own_overlap,
            "a whole number from 1 to 100",
        ),
    ] {
        let fields = fields
            .split('&')
            .map(|field| field.split_once('=').unwrap());
        let mut form: Vec<_> = [("slug", "river")].into_iter().chain(fields).collect();
        if endpoint == "create-study" {
            let made = [
                ("template", "likert"),
                ("overlap", "3"),
                ("category_rule", "tuned"),
            ];
            let is_stated = |name: &str| form.iter().any(|(stated, _)| *stated == name);
            let missing: Vec<_> = made
                .into_iter()
                .filter(|(name, _)| !is_stated(name))
                .collect();
            form.extend(missing);
        }

        let answer = site.call(Some(&lead), endpoint, &form).await;
        assert_eq!(answer.status, 422, "{endpoint}: {form:?}");
        assert!(answer.body.contains(sentence), "{form:?}: {}", answer.body);
    }
}
