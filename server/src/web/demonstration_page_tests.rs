//! Pages of the demonstration, which has data for each of them, as browsers without scripts show them.

use domain::study::Role;
use scraper::{ElementRef, Html, Selector};

use super::{plain_browser::PlainBrowser, testing::TestSite};
use crate::demo;

/// The demonstration, and a signed-in lead.
struct Demonstration {
    site: TestSite,
    cookie: String,
}

impl Demonstration {
    async fn new() -> Self {
        let site = TestSite::new().await;
        demo::load(&site.store, None, false).await.unwrap();
        let study = site.store.study_by_slug(&"demo".parse().unwrap()).await;
        let study = study.unwrap().unwrap().id;
        let cookie = site.sign_in_member(study, "lea", Role::Lead).await;
        Self { site, cookie }
    }

    async fn open(&self, path: &str) -> Html {
        let path = format!("/s/demo/{path}");
        let answer = self.site.open(Some(&self.cookie), &path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        Html::parse_document(&answer.body.replace("<!>", ""))
    }
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(selector).unwrap()).collect()
}

/// The texts of all elements that match the selector.
fn texts(page: &Html, selector: &str) -> Vec<String> {
    let text = |element: ElementRef| element.text().collect::<String>();
    all(page, selector).into_iter().map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_studies_counts_the_annotators_that_the_overview_lists() {
    let demonstration = Demonstration::new().await;
    let page = demonstration.open("").await;
    let listed = all(&page, "section[aria-labelledby=progress] tbody tr").len();
    assert_eq!(listed, 4);

    let mut browser = PlainBrowser::with_session(&demonstration.site, &demonstration.cookie);
    browser.open("/").await;
    browser.assert_shows(&[&format!("· {listed} annotators ·")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_activity_has_a_line_for_the_work_on_a_source() {
    let demonstration = Demonstration::new().await;
    let page = demonstration.open("").await;
    let lines = texts(&page, ".activity li > span:last-child");
    let works: Vec<_> = lines
        .iter()
        .filter(|line| line.contains("submitted"))
        .collect();
    assert!(!works.is_empty(), "{lines:?}");

    let mut sources: Vec<_> = works.iter().map(|line| line.split(':').next()).collect();
    let all = sources.len();
    sources.sort_unstable();
    sources.dedup();
    assert_eq!(sources.len(), all, "{lines:?}");

    for line in &lines {
        for event in ["was assigned", "saved", "was submitted"] {
            assert!(!line.contains(event), "{line}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_reference_lines_stand_above_the_lines_of_the_plot() {
    let demonstration = Demonstration::new().await;
    let page = demonstration.open("agreement").await;
    let number = |name: &str, of: ElementRef| -> f64 { of.attr(name).unwrap().parse().unwrap() };
    for form in ["wide", "narrow"] {
        let chart = format!("[data-file=agreement-by-category] .{form}");
        let lines = all(&page, &format!("{chart} .reference"));
        let grid = all(&page, &format!("{chart} .grid"));
        let words = all(&page, &format!("{chart} .tick")).into_iter();
        let words: Vec<_> = words
            .filter(|words| ["0.67", "0.80"].contains(&words.text().collect::<String>().as_str()))
            .filter(|words| words.attr("text-anchor") != Some("middle"))
            .collect();
        assert_eq!((lines.len(), words.len()), (2, 2), "{form}");

        for (words, line) in words.iter().zip(&lines) {
            assert_eq!(words.attr("x"), line.attr("x1"));
            let top = number("y", *words);
            assert!(top < number("y1", *line) && top > 10.0, "{form}");
            assert!(grid.iter().all(|line| top < number("y1", *line)), "{form}");
        }

        let anchors: Vec<_> = words
            .iter()
            .filter_map(|words| words.attr("text-anchor"))
            .collect();
        assert_eq!(anchors, ["end", "start"], "{form}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ratings_are_listed_by_disagreement() {
    let demonstration = Demonstration::new().await;
    let page = demonstration.open("ratings").await;
    assert_eq!(all(&page, ".disputed > li").len(), 20);

    let apart = texts(&page, ".apart").into_iter().map(|text| {
        let number = text.split(' ').next().unwrap();
        number.parse::<f64>().unwrap()
    });
    let apart: Vec<_> = apart.collect();
    assert!(
        apart.len() == 20 && apart.is_sorted_by(|a, b| a >= b),
        "{apart:?}"
    );

    let three = all(&page, ".disputed > li dl > div:nth-of-type(3)");
    assert!(!three.is_empty(), "three raters judged an output");

    let mut browser = PlainBrowser::with_session(&demonstration.site, &demonstration.cookie);
    browser.open("/s/demo/ratings").await;
    browser.follow("Next").await;
    let page = Html::parse_document(&browser.body.replace("<!>", ""));
    let words = texts(&page, "main").concat();
    assert!(words.contains("Page 2 of "), "{words}");
    let first = &texts(&page, ".disputed > li h2")[0];
    assert!(first.contains("21."), "{first}");

    let page = demonstration.open("ratings?category=split").await;
    let tag = Selector::parse(".tag").unwrap();
    let cards = all(&page, ".disputed > li");
    assert!(!cards.is_empty());
    for card in cards {
        let tag = card.select(&tag).next().map(|tag| tag.text().collect());
        assert_eq!(tag, Some("Split".to_owned()));
    }

    let chosen = texts(&page, "select[name=category] option[selected]");
    assert_eq!(chosen, ["Split"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn raters_are_listed_most_unusual_first_with_the_counts_behind_their_figures() {
    let demonstration = Demonstration::new().await;
    let page = demonstration.open("quality").await;
    let rows = texts(&page, "section[aria-labelledby=summary] tbody tr");
    let expected: [&[&str]; 3] = [
        &[
            "simulated 3",
            "lowers agreement",
            "faster than anyone can read",
        ],
        &["simulated 2", "round numbers"],
        &["simulated 1", "nothing stands out"],
    ];

    assert_eq!(rows.len(), 3);
    for (row, words) in rows.iter().zip(expected) {
        assert!(words.iter().all(|words| row.contains(words)), "{row}");
    }

    let cards = texts(&page, "article");
    let card = |name: &str| cards.iter().find(|card| card.contains(name)).unwrap();
    let careless = card("simulated 3");
    for words in [
        "The others agree better without this rater",
        "Done faster than anyone can read: 1 of ",
    ] {
        assert!(careless.contains(words), "{words}: {careless}");
    }

    let rounds = card("simulated 2");
    let multiples = rounds.split("Multiples of five: ").nth(1).unwrap();
    let numbers: Vec<_> = multiples.split(' ').take(4).collect();
    assert_eq!(numbers[0], numbers[2], "{multiples}");
    assert!(numbers[3].starts_with("(100"), "{multiples}");

    let images = all(&page, "article [role=img]").into_iter();
    let mut names = images.filter_map(|image| image.attr("aria-label"));
    assert!(names.any(|name| name.starts_with("Scores of simulated 3: mean")));

    let terms = texts(&page, "details.terms");
    let alpha = "Interval Krippendorff's α of the z-scores";
    assert!(terms.iter().any(|text| text.contains(alpha)), "{terms:?}");

    for (query, count) in [("", 0), ("?count=in-work", 1)] {
        let page = demonstration.open(&format!("quality{query}")).await;
        let checked = all(&page, "input[type=checkbox][value=in-work][checked]");
        assert_eq!(checked.len(), count, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn systems_and_their_values_can_be_read_without_scripts() {
    let demonstration = Demonstration::new().await;
    let page = demonstration.open("systems").await;

    for kind in ["Written by people", "Written by machines", "Baselines"] {
        let words = texts(&page, "[data-file=systems-z] .wide text.group");
        assert!(words.iter().any(|text| text == kind), "{words:?}");
    }

    let marks = "[data-file=systems-z] .wide [aria-label]";
    let ranks = |page: &Html| {
        let marks = all(page, marks).into_iter();
        let named = marks.filter_map(|mark| mark.attr("aria-label").map(str::to_owned));
        named
            .filter(|name| name.contains(", rank "))
            .collect::<Vec<_>>()
    };

    let of_all = ranks(&page);
    let is_first = |name: &String| name.contains("rank 1 of ");
    assert!(
        of_all.len() > 5 && of_all.iter().any(is_first),
        "{of_all:?}"
    );

    for buttons in all(&page, ".chart-downloads") {
        assert!(buttons.attr("hidden").is_some(), "they need scripts");
    }

    // A table is on the page only if the address opens it, and there is a link for that.
    assert!(all(&page, "[data-file=systems-z] table").is_empty());
    let link = &all(&page, "[data-file=systems-z] [data-later] a")[0];
    let address = link.attr("href").unwrap();
    let (query, _) = address.split_once('#').unwrap();
    let page = demonstration.open(&format!("systems{query}")).await;
    assert_eq!(all(&page, "details[data-fold=systems-z][open]").len(), 1);
    let heads = texts(&page, "[data-file=systems-z] thead th");
    assert!(
        heads.iter().any(|head| head.starts_with("Mean z")),
        "{heads:?}"
    );

    // The study has too few sources to tell that many systems apart.
    let cautions = texts(&page, "#systems .caution");
    let says = |words: &str| cautions.iter().any(|text| text.contains(words));
    assert!(says(
        "No difference could have been found: with 9 sources in common at most"
    ));
    assert!(says(
        "0.18 after the correction for 45 pairs of systems. From 11 sources"
    ));

    let page = demonstration.open("systems?category=split").await;
    let chosen = texts(&page, "select[name=category] option[selected]");
    assert_eq!(chosen, ["Split"]);
    let of_split = ranks(&page);
    assert!(!of_split.is_empty());
    assert_ne!(of_split, of_all);
}

#[tokio::test(flavor = "multi_thread")]
async fn passages_are_made_from_the_studys_own_sources_once() {
    let demonstration = Demonstration::new().await;
    let counts = async || {
        let page = demonstration.open("reading").await;
        let mut lines = texts(&page, "main *").into_iter();
        let is_count = |line: &String| line.contains(" passages, ") && line.len() < 80;
        lines.find(is_count).unwrap()
    };
    assert_eq!(counts().await, "4 passages, 2 conditions, 12 questions.");

    let mut told = vec![];
    for _ in 0..2 {
        let cookie = Some(demonstration.cookie.as_str());
        let site = &demonstration.site;
        let taken = site.call(cookie, "take-sources", &[("slug", "demo")]).await;
        assert_eq!(taken.location.as_deref(), Some("/s/demo/reading"));
        let with_message = format!("{}; {}", demonstration.cookie, taken.cookie("flash"));
        let page = site.open(Some(&with_message), "/s/demo/reading").await;
        let none = page.body.contains("Passages added: 0; texts added: 0.");
        told.push((none, counts().await));
    }

    assert!(!told[0].0 && told[1].0, "{told:?}");
    assert_eq!(told[0].1, told[1].1);
    assert_ne!(told[0].1, "4 passages, 2 conditions, 12 questions.");
    assert!(told[0].1.ends_with(", 12 questions."), "{told:?}");
}
