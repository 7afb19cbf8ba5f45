//! A study of reading comprehension from its set-up to its export, as browsers without scripts see it.

use domain::study::Role;

use super::testing::{Answer, Site};

const STUDY: (&str, &str) = ("slug", "river");

const FILE: &str = "passage,title,condition,text,question,question_text,a,b,c,d\n\
    p1,The ferry,Original,The ferry stopped at noon.,q1,When did it stop?,at noon,at night,at ten,never\n\
    p1,The ferry,Original,,q2,What stopped?,a boat,a bus,noon,rain\n\
    p1,The ferry,Original,,q3,Who rowed?,nobody,everybody,the ferry,cats\n";

struct Lead<'a> {
    site: &'a Site,
    cookie: String,
}

impl Lead<'_> {
    async fn call(&self, endpoint: &str, form: &[(&str, &str)]) -> Answer {
        let form = [&[STUDY], form].concat();
        self.site.call(Some(&self.cookie), endpoint, &form).await
    }

    async fn page(&self) -> String {
        self.site
            .open(Some(&self.cookie), "/s/river/reading")
            .await
            .body
    }

    /// Sends a file in; where it is shown.
    async fn send(&self, file: &str) -> String {
        let files = [("texts.csv", file.as_bytes())];
        let cookie = Some(self.cookie.as_str());
        let endpoint = "reading-upload";
        let answer = self.site.upload_to(endpoint, cookie, &[STUDY], &files);
        answer.await.location.expect("a page shows it")
    }

    async fn bring_in(&self, file: &str, columns: &[(&str, &str)]) -> Answer {
        let page = self.send(file).await;
        let (_, upload) = page.rsplit_once('/').unwrap();
        let form = [&[("upload", upload)], columns].concat();
        self.call("bring-in-reading", &form).await
    }

    /// The path of a new link.
    async fn link(&self) -> String {
        let answer = self
            .call(
                "invite",
                &[("role", "participant"), ("uses", "1"), ("days", "1")],
            )
            .await;
        let flash = answer
            .cookies
            .iter()
            .find(|it| it.starts_with("flash="))
            .unwrap();
        let at = flash
            .find("%2Ftake%2F")
            .map(|at| at + 10)
            .or(flash.find("/take/").map(|at| at + 6));
        let rest = &flash[at.unwrap()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"-_".contains(c));
        rest[..end.unwrap_or(rest.len())].to_owned()
    }
}

const SET_UP: &[(&str, &str)] = &[
    ("design[readers]", "1"),
    ("design[doubly]", "0"),
    ("design[texts]", "6"),
    ("design[spread]", "between"),
    ("design[ties]", "random"),
    ("session[goes_back]", "yes"),
    ("session[unanswerable]", "The text does not say."),
    ("session[screening]", "First language | English | another"),
    ("session[completion_code]", "C0DE"),
    ("session[return_link]", "https://platform.example.org/done"),
    ("design[lease_hours]", "3"),
];

/// The values of the fields of that name on a page, in their order.
fn values(page: &str, name: &str) -> Vec<String> {
    let tags = page.split('<').filter(|tag| tag.starts_with("input"));
    let named = tags.filter(|tag| tag.contains(&format!("name=\"{name}\"")));
    let value = |tag: &str| {
        let rest = tag.split("value=\"").nth(1)?;
        Some(rest.split('"').next()?.to_owned())
    };
    named.filter_map(value).collect()
}

#[tokio::test]
async fn a_participant_reads_answers_and_counts() {
    let site = Site::new().await;
    let study = site.study("river").await;
    let person = site.member(study, "lea", Role::Lead).await;
    let cookie = site.signed_in(person).await;
    let lead = Lead {
        site: &site,
        cookie,
    };

    // The lead: set-up, a file, a link.
    assert!(lead.page().await.contains("no reading comprehension yet"));
    let early = lead.bring_in(FILE, &[]).await;
    assert_eq!(early.status, 422, "{}", early.body);
    assert_eq!(lead.call("set-comprehension", SET_UP).await.status, 200);
    let bad = "passage,condition,text\n,Original,Rain.\n";
    let page = lead.send(bad).await;
    let shown = site.open(Some(&lead.cookie), &page).await.body;
    assert!(shown.contains("Rows that cannot be taken"), "{shown}");
    let bad = lead.bring_in(bad, &[]).await;
    assert!(
        bad.body.contains("Line 2, “passage”: is missing"),
        "{}",
        bad.body
    );
    let taken = lead.bring_in(FILE, &[]).await;
    assert_eq!(
        taken.location.as_deref(),
        Some("/s/river/reading"),
        "{}",
        taken.body
    );
    let page = lead.page().await;
    assert!(
        page.contains("1 passage, 1 condition, 3 questions."),
        "{page}"
    );
    assert!(
        page.contains("Answer A of question q1 stands word for word"),
        "{page}"
    );
    let token = lead.link().await;

    // The participant: information, consent, screening.
    let start = site
        .open(None, &format!("/take/{token}?PROLIFIC_PID=w1&STUDY_ID=s1"))
        .await;
    assert!(start.body.contains("First language"), "{}", start.body);
    assert_eq!(values(&start.body, "participant"), ["w1"]);
    let begin = async |form: &[(&str, &str)]| {
        let form = [&[("token", &*token), ("participant", "w1")], form].concat();
        site.call(None, "reading/begin", &form).await
    };
    assert!(begin(&[]).await.body.contains("Tick that you have read"));
    let unsaid = begin(&[("consent", "yes")]).await;
    assert!(unsaid.body.contains("First language"), "{}", unsaid.body);
    let begun = begin(&[("consent", "yes"), ("screening[0]", "English")]).await;
    assert_eq!(begun.location.as_deref(), Some("/read"), "{}", begun.body);
    let reader = begun
        .cookies
        .iter()
        .find(|it| it.starts_with("reader="))
        .unwrap();
    let reader = Some(reader.as_str());
    let again = begin(&[("consent", "yes"), ("screening[0]", "English")]).await;
    assert!(again.body.contains("used up"), "{}", again.body);

    // The text: no answer is chosen; one missing is told; unanswerable stands last.
    let text = site.open(reader, "/read").await.body;
    assert!(text.contains("The ferry stopped at noon."), "{text}");
    assert!(!text.contains(" checked"), "{text}");
    assert_eq!(
        values(&text, "answers[0][choice]").last().unwrap(),
        "unanswerable"
    );
    let reading = values(&text, "reading").remove(0);
    let fields: Vec<_> = (0..3)
        .flat_map(|at| {
            let of = |name| values(&text, &format!("answers[{at}][{name}]")).remove(0);
            let choice = ["A", "unanswerable", "B"][at];
            [
                ("id", of("id")),
                ("question", of("question")),
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
    let missing = site
        .call(reader, "reading/next", &form[..form.len() - 3])
        .await;
    assert!(
        missing.body.contains("One question has no answer yet"),
        "{}",
        missing.body
    );
    let text = site.open(reader, "/read").await.body;
    assert_eq!(
        text.matches(" checked").count(),
        2,
        "what was answered is kept"
    );
    let next = site.call(reader, "reading/next", &form).await;
    assert_eq!(next.location.as_deref(), Some("/read"), "{}", next.body);
    let last = site.open(reader, "/read").await.body;
    assert!(last.contains("You have read all texts"), "{last}");
    let finished = site
        .call(reader, "reading/finish", &[("comment", "calm")])
        .await;
    assert_eq!(finished.status, 200, "{}", finished.body);
    let end = site.open(reader, "/read").await.body;
    assert!(
        end.contains("C0DE") && end.contains("https://platform.example.org/done"),
        "{end}"
    );
    assert_eq!(site.open(None, "/read").await.status, 410);

    // The lead again: figures, the participant, the archive.
    let page = lead.page().await;
    assert!(
        page.contains("33.3 %") && page.contains("participant 1"),
        "{page}"
    );
    let zip = site
        .open(Some(&lead.cookie), "/s/river/reading/answers.zip")
        .await;
    assert_eq!(zip.status, 200);
    assert!(zip.body.contains("river-ats-eval.csv"));
    let entry = site.store.readers(study).await.unwrap().remove(0);
    let participant = entry.id.to_string();
    let out = [("participant", &*participant), ("reason", "asked to be")];
    assert_eq!(lead.call("exclude-reader", &out).await.status, 200);
    let page = lead.page().await;
    assert!(
        page.contains("left out: asked to be") && page.contains("No answers yet"),
        "{page}"
    );
    site.store.close().await;
}

/// A file whose columns have other names is shown with what each may be, and read as it is said.
#[tokio::test]
async fn columns_are_mapped_before_a_file_is_brought_in() {
    let site = Site::new().await;
    let study = site.study("river").await;
    let person = site.member(study, "lea", Role::Lead).await;
    let cookie = site.signed_in(person).await;
    let lead = Lead {
        site: &site,
        cookie,
    };
    assert_eq!(lead.call("set-comprehension", SET_UP).await.status, 200);
    let none = lead.call("take-sources", &[]).await;
    assert!(none.body.contains("has no sources"), "{}", none.body);
    let file = "item,who,words,note,use\n7,Original,Rain fell.,dry,practice\n";
    let page = lead.send(file).await;
    let shown = site.open(Some(&lead.cookie), &page).await.body;
    assert!(
        shown.contains("which column names the passage") && shown.contains("columns[4][field]"),
        "{shown}"
    );
    let fields = ["passage", "condition", "text", "", "purpose"];
    let names = ["item", "who", "words", "note", "use"];
    let form: Vec<_> = (0..5)
        .flat_map(|at| {
            let of = |what: &str| format!("columns[{at}][{what}]");
            [(of("name"), names[at]), (of("field"), fields[at])]
        })
        .collect();
    let form: Vec<_> = form.iter().map(|(name, value)| (&**name, *value)).collect();
    let taken = lead.bring_in(file, &form).await;
    assert_eq!(
        taken.location.as_deref(),
        Some("/s/river/reading"),
        "{}",
        taken.body
    );
    let material = site.store.material(study).await.unwrap();
    let passage = &material.passages[0].passage;
    assert_eq!(
        (passage.name.as_str(), passage.purpose.name()),
        ("7", "practice")
    );
    assert_eq!(passage.texts[0].1.as_str(), "Rain fell.");
    // A file of another study is not shown, and none is brought in twice.
    let other = site.study("sea").await;
    assert_eq!(site.store.material(other).await.unwrap().passages.len(), 0);
    let (_, upload) = page.rsplit_once('/').unwrap();
    let form = [("slug", "sea"), ("upload", upload)];
    let again = site.call(Some(&lead.cookie), "bring-in-reading", &form);
    assert_eq!(again.await.status, 404);
    site.store.close().await;
}
