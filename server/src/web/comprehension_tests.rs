//! A study of reading comprehension from its set-up to its export, as browsers without scripts see it.

use domain::{ids::StudyId, study::Role};

use super::testing::{TestResponse, TestSite, TextAssertions as _};
use crate::clock;

const STUDY: (&str, &str) = ("slug", "river");

pub(super) const FILE: &str = "passage,title,condition,text,question,question_text,a,b,c,d\n\
    p1,The ferry,Original,The ferry stopped at noon.,q1,When did it stop?,at noon,at night,at ten,never\n\
    p1,The ferry,Original,,q2,What stopped?,a boat,a bus,noon,rain\n\
    p1,The ferry,Original,,q3,Who rowed?,nobody,everybody,the ferry,cats\n";

pub(super) struct LeadBrowser<'a> {
    site: &'a TestSite,
    study: StudyId,
    pub(super) cookie: String,
}

impl<'a> LeadBrowser<'a> {
    /// Creates the study `river`, and signs its lead in.
    pub(super) async fn new(site: &'a TestSite) -> Self {
        let study = site.study("river").await;
        let cookie = site.sign_in_member(study, "lea", Role::Lead).await;
        Self {
            site,
            study,
            cookie,
        }
    }

    pub(super) async fn call(&self, endpoint: &str, form: &[(&str, &str)]) -> TestResponse {
        let form = [&[STUDY], form].concat();
        self.site.call(Some(&self.cookie), endpoint, &form).await
    }

    async fn page(&self) -> String {
        self.site
            .open(Some(&self.cookie), "/s/river/reading")
            .await
            .body
    }

    /// Uploads a file, and returns the path of the page that shows it.
    async fn send(&self, file: &str) -> String {
        let files = [("texts.csv", file.as_bytes())];
        let cookie = Some(self.cookie.as_str());
        let endpoint = "reading-upload";
        let answer = self.site.upload_to(endpoint, cookie, &[STUDY], &files);
        answer.await.location.expect("a page shows it")
    }

    pub(super) async fn bring_in(&self, file: &str, columns: &[(&str, &str)]) -> TestResponse {
        let page = self.send(file).await;
        let (_, upload) = page.rsplit_once('/').unwrap();
        let form = [&[("upload", upload)], columns].concat();
        self.call("bring-in-reading", &form).await
    }

    /// Makes a link, and returns its token.
    pub(super) async fn new_link(&self, uses: &str) -> String {
        let form = [("role", "participant"), ("uses", uses), ("days", "1")];
        let answer = self.call("invite", &form).await;
        assert_eq!(answer.status, 200, "{}", answer.body);

        let flash = answer.cookie("flash");
        let at = flash
            .find("%2Ftake%2F")
            .map(|at| at + 10)
            .or(flash.find("/take/").map(|at| at + 6));

        let rest = &flash[at.unwrap()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
        rest[..end.unwrap_or(rest.len())].to_owned()
    }
}

pub(super) const SET_UP: &[(&str, &str)] = &[
    ("design[readers]", "1"),
    ("design[doubly]", "0"),
    ("design[texts]", "6"),
    ("design[spread]", "between"),
    ("design[ties]", "random"),
    ("session[goes_back]", "yes"),
    ("session[unanswerable]", "The text does not say."),
    ("session[information]", "You read *short texts*."),
    ("session[screening]", "First language | English | another"),
    ("session[completion_code]", "C0DE"),
    ("session[return_link]", "https://platform.example.org/done"),
    ("design[lease_hours]", "3"),
];

/// The values of all fields of this name on a page, in order.
fn values(page: &str, name: &str) -> Vec<String> {
    let tags = page.split('<').filter(|tag| tag.starts_with("input"));
    let named = tags.filter(|tag| tag.contains(&format!("name=\"{name}\"")));
    let value = |tag: &str| {
        let rest = tag.split("value=\"").nth(1)?;
        Some(rest.split('"').next()?.to_owned())
    };

    named.filter_map(value).collect()
}

/// The value of the answer that shows this text.
fn answer_value<'a>(page: &'a str, answer: &str) -> &'a str {
    let before = page.split(&format!("<span>{answer}")).next().unwrap();
    assert!(before.len() < page.len(), "{answer} is shown");
    let value = before.rsplit("value=\"").next().unwrap();
    value.split('"').next().unwrap()
}

/// A reader whose screening answers do not fit gets a code of their own, and no texts.
#[tokio::test]
async fn a_reader_is_screened_out() {
    let site = TestSite::new().await;
    let lead = LeadBrowser::new(&site).await;

    let mut set_up = SET_UP.to_vec();
    set_up.retain(|(name, _)| *name != "session[screening]");
    let refused = [&set_up[..], &[("session[screening]", "Age | young")]].concat();
    let refused = lead.call("set-comprehension", &refused).await;
    refused.assert_shows(&["line 1"]);

    set_up.extend([
        ("session[screening]", "First language | + English | another"),
        ("session[screened_out_code]", "OUT"),
    ]);
    assert_eq!(lead.call("set-comprehension", &set_up).await.status, 200);
    lead.page()
        .await
        .assert_shows(&["First language | + English | another"]);

    lead.bring_in(FILE, &[]).await;
    let token = lead.new_link("2").await;
    let form = [
        ("token", &*token),
        ("consent", "yes"),
        ("screening[0]", "another"),
    ];

    let begun = site.call(None, "reading/begin", &form).await;
    assert_eq!(begun.location.as_deref(), Some("/read"), "{}", begun.body);
    let reader = Some(begun.cookie("reader"));

    for path in ["/read".to_owned(), format!("/take/{token}")] {
        let page = site.open(reader, &path).await.body;
        page.assert_shows(&["looking for other people", "OUT"]);
        page.assert_lacks(&["C0DE"]);
    }

    lead.page().await.assert_shows(&["screened out"]);
}

/// No page for participants gives the right answer away: the value of an answer is its place, each place holds the
/// right one about equally often, and the letters of the file do not appear.
#[tokio::test]
async fn no_page_tells_which_answer_is_right() {
    const PARTICIPANTS: usize = 96;

    let site = TestSite::new().await;
    let lead = LeadBrowser::new(&site).await;
    let mut set_up = SET_UP.to_vec();
    set_up[0].1 = "96";
    assert_eq!(lead.call("set-comprehension", &set_up).await.status, 200);
    lead.bring_in(FILE, &[]).await;
    let token = lead.new_link("96").await;

    // How often each place holds the right answer, for each question.
    let mut right = [[0_usize; 4]; 3];
    let answers = [
        ["at noon", "at night", "at ten", "never"],
        ["a boat", "a bus", "noon", "rain"],
        ["nobody", "everybody", "the ferry", "cats"],
    ];

    for participant in 0..PARTICIPANTS {
        let form = [
            ("token", &*token),
            ("consent", "yes"),
            ("screening[0]", "English"),
        ];
        let address = format!("192.0.2.{participant}");
        let begun = site.call_from(&address, None, "reading/begin", &form).await;
        let reader = Some(begun.cookie("reader"));
        let page = site.open(reader, "/read").await.body;
        let again = site.open(reader, "/read").await.body;

        for (question, answers) in answers.iter().enumerate() {
            let field = format!("answers[{question}][choice]");
            assert_eq!(values(&page, &field), ["1", "2", "3", "4", "5"]);
            let mut places: Vec<_> = answers
                .iter()
                .map(|answer| answer_value(&page, answer))
                .collect();
            let before: Vec<_> = answers
                .iter()
                .map(|answer| answer_value(&again, answer))
                .collect();
            assert_eq!(places, before, "a resumed session shows the same order");
            let place: usize = places[0].parse().unwrap();
            right[question][place - 1] += 1;
            places.sort_unstable();
            assert_eq!(places, ["1", "2", "3", "4"]);
        }

        let form = page.split("<form").nth(1).unwrap();
        for letter in ["\"A\"", "\"B\"", "\"C\"", "\"D\"", "unanswerable"] {
            assert!(!form.contains(letter), "{letter} is in {form}");
        }
    }

    // Each place is expected 24 times. Chi-squared with 3 degrees of freedom exceeds 24.3 in 2 of 100,000 tries.
    for counts in right {
        let far = |count: &usize| (*count as f64 - 24.0).powi(2) / 24.0;
        assert!(counts.iter().map(far).sum::<f64>() < 24.3, "{right:?}");
    }

    // Once all places are taken, a link says so before anybody fills in a form.
    let token = lead.new_link("1").await;
    let full = site.open(None, &format!("/take/{token}")).await.body;
    full.assert_shows(&["All places are taken"]);
    assert!(
        !full.contains("Take part"),
        "no form is filled in for nothing"
    );
    site.store.close().await;
}

/// Readers have an information sheet of their own, without which they cannot be invited.
#[tokio::test]
async fn readers_have_an_information_sheet_of_their_own_and_honest_numbers() {
    let site = TestSite::new().await;
    let lead = LeadBrowser::new(&site).await;

    let describe = [("guidelines", ""), ("information", "You rate texts.")];
    assert_eq!(lead.call("describe-study", &describe).await.status, 200);
    let without: Vec<_> = SET_UP
        .iter()
        .copied()
        .filter(|(name, _)| *name != "session[information]")
        .collect();
    assert_eq!(lead.call("set-comprehension", &without).await.status, 200);

    lead.bring_in(FILE, &[]).await;
    let page = lead.page().await;
    page.assert_shows(&["There is no information sheet for readers yet"]);
    let overview = site.open(Some(&lead.cookie), "/s/river").await.body;
    overview.assert_shows(&["Write the information sheet for readers"]);

    let form = [("role", "participant"), ("uses", "3"), ("days", "1")];
    let early = lead.call("invite", &form).await;
    early.assert_is(422, &["Write it under Set-up"]);

    // A link from before sheets were required still works, but does not show the sheet of the rating study.
    let hash = service::accounts::SecretToken::from_text("an-old-link").hash();
    let old = store::NewInvitation {
        token_hash: &hash,
        target: store::InvitationTarget::Comprehension,
        label: "",
        uses: 5,
        expires_at: clock::now_ms() + 60_000,
        created_by: None,
        group: None,
    };
    let creation = site
        .store
        .create_invitation(lead.study, &old, clock::now_ms());
    creation.await.unwrap();
    let start = site.open(None, "/take/an-old-link").await.body;
    start.assert_shows(&["You will read one short text"]);
    start.assert_lacks(&["You rate texts."]);
    lead.page()
        .await
        .assert_shows(&["Links that were made earlier still work"]);

    assert_eq!(lead.call("set-comprehension", SET_UP).await.status, 200);
    let page = lead.page().await;
    page.assert_shows(&["Places left: 1.", "admit 5 more people"]);
    let start = site.open(None, "/take/an-old-link").await.body;
    start.assert_shows(&[
        "You read <em>short texts</em>.",
        "I have read the information sheet and want to take part",
    ]);

    // The lead is told that more people are invited than there are places.
    let many = lead.call("invite", &form).await;
    let flash = many.cookie("flash").replace("%20", " ").replace('+', " ");
    assert!(flash.contains("Only 1 of the 3 people"), "{flash}");
    site.store.close().await;
}

#[tokio::test]
async fn a_participant_reads_answers_and_counts() {
    let site = TestSite::new().await;
    let lead = LeadBrowser::new(&site).await;

    // The lead: set-up, a file, a link.
    lead.page()
        .await
        .assert_shows(&["no reading comprehension yet"]);
    let early = lead.bring_in(FILE, &[]).await;
    assert_eq!(early.status, 422, "{}", early.body);
    assert_eq!(lead.call("set-comprehension", SET_UP).await.status, 200);

    let bad = "passage,condition,text\n,Original,Rain.\n";
    let page = lead.send(bad).await;
    let shown = site.open(Some(&lead.cookie), &page).await.body;
    shown.assert_shows(&["These rows cannot be imported"]);

    let bad = lead.bring_in(bad, &[]).await;
    bad.assert_shows(&["Line 2, “passage”: is missing"]);

    let response = lead.bring_in(FILE, &[]).await;
    assert_eq!(
        response.location.as_deref(),
        Some("/s/river/reading"),
        "{}",
        response.body
    );

    let page = lead.page().await;
    page.assert_shows(&[
        "1 passage, 1 condition, 3 questions.",
        "Answer A of question q1 appears word for word",
    ]);

    let token = lead.new_link("1").await;

    // The participant: information, consent, screening.
    let start = site
        .open(None, &format!("/take/{token}?PROLIFIC_PID=w1&STUDY_ID=s1"))
        .await;
    start.assert_shows(&[
        "First language",
        "You read <em>short texts</em>.",
        "You will read one short text",
    ]);
    assert_eq!(values(&start.body, "participant"), ["w1"]);

    let begin = async |form: &[(&str, &str)]| {
        let form = [&[("token", &*token), ("participant", "w1")], form].concat();
        site.call(None, "reading/begin", &form).await
    };
    assert!(
        begin(&[])
            .await
            .body
            .contains("Tick the box to confirm that you have read")
    );
    let unsaid = begin(&[("consent", "yes")]).await;
    unsaid.assert_shows(&["First language"]);

    let begun = begin(&[("consent", "yes"), ("screening[0]", "English")]).await;
    assert_eq!(begun.location.as_deref(), Some("/read"), "{}", begun.body);
    let reader = Some(begun.cookie("reader"));

    let again = begin(&[("consent", "yes"), ("screening[0]", "English")]).await;
    again.assert_shows(&["used up"]);

    // The text: no answer is preselected, a missing one is reported, and “unanswerable” comes last.
    let text = site.open(reader, "/read").await.body;
    text.assert_shows(&["The ferry stopped at noon."]);
    text.assert_lacks(&[" checked"]);
    let places = values(&text, "answers[0][choice]");
    assert_eq!(places, ["1", "2", "3", "4", "5"]);
    let reading = values(&text, "reading").remove(0);

    let fields: Vec<_> = (0..3)
        .flat_map(|at| {
            let field_text = |name| values(&text, &format!("answers[{at}][{name}]")).remove(0);
            let choice = [
                answer_value(&text, "at noon"),
                "5",
                answer_value(&text, "everybody"),
            ][at];
            [
                ("id", field_text("id")),
                ("question", field_text("question")),
                ("choice", choice.to_owned()),
            ]
            .map(|(name, value)| (format!("answers[{at}][{name}]"), value))
        })
        .collect();

    let form: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    let form = [&[("reading", reading.as_str())], &form[..]].concat();

    let mut lettered = form.clone();
    lettered[3].1 = "A";
    let lettered = site.call(reader, "reading/next", &lettered).await;
    lettered.assert_shows(&["a whole number from 1 to 5"]);

    let missing = site
        .call(reader, "reading/next", &form[..form.len() - 3])
        .await;
    missing.assert_shows(&["One question has no answer yet"]);

    let text = site.open(reader, "/read").await.body;
    assert_eq!(
        text.matches(" checked").count(),
        2,
        "what was answered is kept"
    );

    let next = site.call(reader, "reading/next", &form).await;
    assert_eq!(next.location.as_deref(), Some("/read"), "{}", next.body);
    let last = site.open(reader, "/read").await.body;
    last.assert_shows(&["You have read all texts"]);

    let finished = site
        .call(reader, "reading/finish", &[("comment", "calm")])
        .await;
    assert_eq!(finished.status, 200, "{}", finished.body);

    let end = site.open(reader, "/read").await.body;
    end.assert_shows(&["C0DE", "https://platform.example.org/done"]);
    assert_eq!(site.open(None, "/read").await.status, 410);

    // The lead again: figures, the participant, the archive.
    let page = lead.page().await;
    page.assert_shows(&["33.3 %", "participant 1"]);
    let zip = site
        .open(Some(&lead.cookie), "/s/river/reading/answers.zip")
        .await;
    zip.assert_is(200, &["river-ats-eval.csv"]);

    let entry = site.store.participants(lead.study).await.unwrap().remove(0);
    let participant = entry.id.to_string();
    let out = [("participant", &*participant), ("reason", "asked to be")];
    assert_eq!(lead.call("exclude-reader", &out).await.status, 200);
    let page = lead.page().await;
    page.assert_shows(&["excluded: asked to be", "No answers yet"]);
    site.store.close().await;
}

/// A file with other column names is shown with a choice for each of them, and is read as chosen.
#[tokio::test]
async fn columns_are_mapped_before_a_file_is_brought_in() {
    let site = TestSite::new().await;
    let lead = LeadBrowser::new(&site).await;
    assert_eq!(lead.call("set-comprehension", SET_UP).await.status, 200);

    let none = lead.call("take-sources", &[]).await;
    none.assert_shows(&["has no sources"]);
    let file = "item,who,words,note,use\n7,Original,Rain fell.,dry,practice\n";
    let page = lead.send(file).await;
    let shown = site.open(Some(&lead.cookie), &page).await.body;
    shown.assert_shows(&[
        "No column is known to name the passage",
        "columns[4][field]",
    ]);

    let fields = ["passage", "condition", "text", "", "purpose"];
    let names = ["item", "who", "words", "note", "use"];
    let form: Vec<_> = (0..5)
        .flat_map(|at| {
            let field_name = |key: &str| format!("columns[{at}][{key}]");
            [
                (field_name("name"), names[at]),
                (field_name("field"), fields[at]),
            ]
        })
        .collect();
    let form: Vec<_> = form.iter().map(|(name, value)| (&**name, *value)).collect();

    let response = lead.bring_in(file, &form).await;
    assert_eq!(
        response.location.as_deref(),
        Some("/s/river/reading"),
        "{}",
        response.body
    );
    let material = site.store.comprehension_material(lead.study).await.unwrap();
    let passage = &material.passages[0].passage;
    assert_eq!(
        (passage.name.as_str(), passage.purpose.name()),
        ("7", "practice")
    );
    assert_eq!(passage.texts[0].1.as_str(), "Rain fell.");

    // A file of one study cannot be imported into another.
    let other = site.study("sea").await;
    assert_eq!(
        site.store
            .comprehension_material(other)
            .await
            .unwrap()
            .passages
            .len(),
        0
    );

    let (_, upload) = page.rsplit_once('/').unwrap();
    let form = [("slug", "sea"), ("upload", upload)];
    let again = site.call(Some(&lead.cookie), "bring-in-reading", &form);
    assert_eq!(again.await.status, 404);
    site.store.close().await;
}
