//! Texts that close the HTML around them and continue with an element, in every text of a study. No page may contain
//! that element.

use std::collections::BTreeSet;

use domain::ids::PersonId;
use scraper::{ElementRef, Html, Selector};

use super::{
    former_member_tests,
    study_fixture::{StudyFixture, form},
};

/// The ending of each text.
const ENDING: &str = "\"'></title></textarea></option></script><planted>";

/// Forms that remove what other pages show, or end the sender's session.
const EXCLUDED: [&str; 16] = [
    "archive-study",
    "cancel-import",
    "close-study",
    "exclude-reader",
    "log-out",
    "release",
    "remove-member",
    "remove-metric",
    "revoke-invitation",
    "set-disabled",
    "set-purpose",
    "set-role",
    "set-visibility",
    "undo-import",
    "withdraw",
    "withdraw-question",
];

/// Pages outside of a study.
const OTHER_PAGES: [&str; 12] = [
    "/",
    "/audit",
    "/account",
    "/account/erase",
    "/login?next=%22%27%3E%3Cplanted%3E",
    "/people",
    "/people/{person}/erase",
    "/studies/new",
    "/invite/{token}",
    "/take/{reading-token}",
    "/read",
    "/read/1",
];

/// Planted texts on a page.
#[derive(Debug, Default)]
struct PlantedParts {
    /// The number that became elements.
    elements: usize,
    /// The number that is shown as text.
    texts: usize,
}

fn find_planted(page: &str) -> PlantedParts {
    let page = Html::parse_document(page);
    let text = page.root_element().text().collect::<String>();
    let values = page.tree.nodes().filter_map(ElementRef::wrap);
    let attributes = values.flat_map(|element| element.value().attrs().map(|(_, value)| value));

    let as_attributes = attributes
        .filter(|value| value.contains("<planted>"))
        .count();

    PlantedParts {
        elements: page.select(&selector("planted")).count(),
        texts: text.matches("<planted>").count() + as_attributes,
    }
}

fn selector(css: &str) -> Selector {
    Selector::parse(css).expect("it is a selector")
}

/// The forms of a page that a lead can fill in: each server function with its fields, whose texts end in [`ENDING`].
fn planted_forms(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    let page = Html::parse_document(page);
    let forms = selector("form[action*='/api/']:not([enctype])");
    let fields = selector("input[name], textarea[name], select[name]");

    let read_form = |form: ElementRef<'_>| {
        let action = form.attr("action").unwrap_or_default();
        let endpoint = action.split("/api/").nth(1).unwrap_or_default().to_owned();
        let values = form.select(&fields).filter_map(planted_value);
        (endpoint, values.collect::<Vec<_>>())
    };

    let filled = page.select(&forms).map(read_form);
    filled
        .filter(|(endpoint, _)| !EXCLUDED.contains(&endpoint.as_str()))
        .collect()
}

/// The name and the value of a field; `None` if a browser would not send it.
fn planted_value(field: ElementRef<'_>) -> Option<(String, String)> {
    let name = field.attr("name")?.to_owned();
    let value = field.attr("value").unwrap_or_default();
    let value = match (field.value().name(), field.attr("type").unwrap_or("text")) {
        // Lines of marks must quote the texts.
        ("textarea", _) if name.ends_with("[marks]") => field.text().collect(),
        ("textarea", _) => field.text().collect::<String>() + ENDING,
        ("select", _) => {
            let chosen = field.select(&selector("option[selected]")).next();
            let first = field.select(&selector("option")).next();
            chosen.or(first)?.attr("value")?.to_owned()
        }
        (_, "text") => format!("{value}{ENDING}"),
        (_, "url") => format!("https://example.org/{ENDING}"),
        (_, "checkbox" | "radio") => {
            field.attr("checked")?;
            value.to_owned()
        }
        _ => value.to_owned(),
    };
    Some((name, value))
}

/// The addresses of all pages, without files.
fn all_pages(furnished: &StudyFixture) -> Vec<String> {
    let of_the_study = former_member_tests::PAGES.iter().map(|(path, _)| *path);

    let shown = of_the_study
        .filter(|path| !path.ends_with("/news") && !path.ends_with(".zip"))
        .filter(|path| !path.ends_with("/{file}") && !path.contains("/models/"))
        .filter(|path| !path.ends_with(".json"));
    shown
        .chain(OTHER_PAGES)
        .map(|path| furnished.replace_names(&path.replace("{slug}", "a-study")))
        .collect()
}

/// A study with planted texts, and the cookies of its visitors.
async fn planted_study() -> (StudyFixture, Vec<(&'static str, Option<String>)>) {
    let mut furnished = StudyFixture::with_ending(ENDING).await;
    let (annotator, own) = furnished.annotator("an annotator").await;
    furnished.names.insert("own", own.to_string());
    let open = furnished.next_assignment(annotator).await;
    furnished.names.insert("open", open.to_string());

    let site = &furnished.site;
    let lead = furnished.lead;
    site.store.set_admin(lead, true).await.unwrap();
    // Only training sources have expected answers with explanations.
    let training = furnished.replace_names("slug=a-study&source={source}&purpose=training");
    let session = site.sign_in(lead).await;
    let status = furnished
        .call(Some(&session), "set-purpose", &form(&training))
        .await;
    assert_eq!(status, 200);

    let cookie = async |person: PersonId| Some(site.sign_in(person).await);
    let visitors = vec![
        ("the lead", cookie(lead).await),
        ("an annotator", cookie(annotator).await),
        ("a reader", Some(furnished.names["reader"].clone())),
        ("nobody", None),
    ];
    (furnished, visitors)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_text_of_a_study_becomes_an_element() {
    let (furnished, visitors) = planted_study().await;
    let pages = all_pages(&furnished);
    let mut sent = BTreeSet::new();
    let mut refused = vec![];

    let lead = visitors[0].1.as_deref();
    for page in &pages {
        let body = furnished.site.open(lead, page).await.body;
        for (endpoint, fields) in planted_forms(&body) {
            let status = furnished.call(lead, &endpoint, &fields).await;
            assert!(status < 500, "{endpoint} with {fields:?}: {status}");
            if status == 200 {
                sent.insert(endpoint);
            } else {
                refused.push(format!("{endpoint}: {status} {fields:?}"));
            }
        }
    }

    // The forms whose texts others see were stored.
    for endpoint in [
        "describe-study",
        "discuss",
        "record-final-value",
        "set-comprehension",
        "set-expected",
    ] {
        assert!(
            sent.contains(endpoint),
            "{endpoint} took no planted text: {}",
            refused.join("\n")
        );
    }

    let mut shown = 0;
    let mut wrong = vec![];
    for (name, cookie) in &visitors {
        for page in &pages {
            let answer = furnished.site.open(cookie.as_deref(), page).await;
            let found = find_planted(&answer.body);
            if found.elements > 0 || answer.status.is_server_error() {
                wrong.push(format!("{page} for {name}: {} {found:?}", answer.status));
            }
            shown += usize::from(found.texts > 0);
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(shown > 25, "the planted texts are on {shown} pages only");
}

#[test]
fn a_planted_element_is_found() {
    let found = find_planted(&format!(
        "<title>a{ENDING}</title><p title='&lt;planted>'>b"
    ));
    assert_eq!((found.elements, found.texts), (1, 1));
}
