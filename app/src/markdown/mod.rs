//! Markdown written by leads, rendered to safe HTML in bounded time.

mod nesting;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use ammonia::Builder;
use domain::ids::PersonId;
use leptos::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};
use tokio::{sync::Semaphore, task::spawn_blocking};

use crate::error::Refusal;

/// A Markdown text as part of a page.
#[component]
pub fn Markdown(text: String) -> impl IntoView {
    Suspend::new(async move {
        let html = lay_out(text).await;
        view! { <div class="prose" inner_html=html></div> }
    })
}

/// The sanitiser: it keeps words, lists, tables and links. Images are removed, since a page may load
/// nothing from other sites.
static HARMLESS: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .rm_tags(["img", "map", "area"])
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

/// The deepest nesting of quotations, lists and the like; deeper ones are rendered at this depth. Sanitising
/// takes time quadratic in the depth.
const DEEPEST: usize = 24;

/// The most parser events (runs of words, marks, line breaks) of a text that are rendered; 100,000 bytes of
/// prose have a few thousand.
const MOST_EVENTS: usize = 200_000;

/// The number of texts rendered at the same time, which leaves processors for other work.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// Rendered texts. Pages show the same guidelines again and again.
static CACHE: LazyLock<Mutex<HashMap<String, Arc<str>>>> = LazyLock::new(Mutex::default);

/// The most bytes of texts in [`CACHE`]; it is emptied before it grows larger.
const CACHE_BYTES: usize = 4 << 20;

/// The people who have a preview in progress.
static PREVIEWING: LazyLock<Mutex<HashSet<PersonId>>> = LazyLock::new(Mutex::default);

/// The HTML of a text, from the cache or rendered on a blocking thread.
pub async fn lay_out(text: String) -> String {
    if let Some(html) = cached(&text) {
        return html.to_string();
    }

    let permit = AT_ONCE
        .acquire()
        .await
        .expect("the semaphore is never closed");

    // The permit moves into the task, because a rendering that nobody awaits any more counts until it ends.
    let rendering = spawn_blocking(move || {
        let _permit = permit;
        let html: Arc<str> = html(&text).into();
        keep(text, &html);
        html
    });

    rendering
        .await
        .expect("laying out does not panic and is not cancelled")
        .to_string()
}

/// The HTML of a text without caching, one at a time for each person.
///
/// # Errors
/// [`Refusal::TooMany`] while the person's last preview is still being rendered, even if nobody awaits it.
pub async fn preview(person: PersonId, text: String) -> Result<String, Refusal> {
    let turn = PreviewGuard::begin(person).ok_or_else(|| {
        Refusal::TooMany("Your last preview is still being made. Try again in a moment.".to_owned())
    })?;

    let permit = AT_ONCE
        .acquire()
        .await
        .expect("the semaphore is never closed");

    let rendering = spawn_blocking(move || {
        let _held = (turn, permit);
        html(&text)
    });

    Ok(rendering
        .await
        .expect("laying out does not panic and is not cancelled"))
}

/// A person's preview in progress, until it is dropped.
struct PreviewGuard(PersonId);

impl PreviewGuard {
    fn begin(person: PersonId) -> Option<Self> {
        let mut previewing = PREVIEWING.lock().unwrap_or_else(PoisonError::into_inner);
        // Created only if the person has none: dropping one takes the lock and releases their turn.
        previewing.insert(person).then(|| Self(person))
    }
}

impl Drop for PreviewGuard {
    fn drop(&mut self) {
        let mut previewing = PREVIEWING.lock().unwrap_or_else(PoisonError::into_inner);
        previewing.remove(&self.0);
    }
}

fn cached(text: &str) -> Option<Arc<str>> {
    let cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    cache.get(text).cloned()
}

fn keep(text: String, html: &Arc<str>) {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let bytes = cache.iter().map(|(text, html)| text.len() + html.len());
    if bytes.sum::<usize>() + text.len() + html.len() > CACHE_BYTES {
        cache.clear();
    }
    cache.insert(text, html.clone());
}

/// A Markdown text as HTML without scripts, styles or images. Its headings begin at the second level: the
/// first is the page's own. HTML in the text is kept if its tags are plain and properly nested; otherwise all
/// of its tags are removed, and the words between them stay.
///
/// The time is linear in the text's length; see `nesting` for how depth is bounded.
fn html(text: &str) -> String {
    let mut html = rendered(text, true);
    if !nesting::is_plain(&html) {
        html = rendered(text, false);
    }
    HARMLESS.clean(&html).to_string()
}

/// The HTML before it is sanitised.
fn rendered(text: &str, keeps_tags: bool) -> String {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);

    let mut depth = 0;
    let events = parser.take(MOST_EVENTS).filter_map(|event| match event {
        Event::Start(tag) => {
            depth += 1;
            (depth <= DEEPEST).then(|| Event::Start(lower_start(tag)))
        }
        Event::End(end) => {
            let kept = depth <= DEEPEST;
            depth -= 1;
            kept.then(|| Event::End(lower_end(end)))
        }
        Event::Html(html) | Event::InlineHtml(html) if !keeps_tags => {
            Some(Event::Text(nesting::without_tags(&html).into()))
        }
        event => Some(event),
    });

    let mut html = String::with_capacity(text.len() * 3 / 2);
    push_html(&mut html, events);
    html
}

fn lower_start(tag: Tag<'_>) -> Tag<'_> {
    match tag {
        Tag::Heading {
            level,
            id,
            classes,
            attrs,
        } => Tag::Heading {
            level: lower(level),
            id,
            classes,
            attrs,
        },
        tag => tag,
    }
}

const fn lower_end(end: TagEnd) -> TagEnd {
    match end {
        TagEnd::Heading(level) => TagEnd::Heading(lower(level)),
        end => end,
    }
}

const fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        HeadingLevel::H3 => HeadingLevel::H4,
        HeadingLevel::H4 => HeadingLevel::H5,
        HeadingLevel::H5 | HeadingLevel::H6 => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use domain::ids::PersonId;

    use super::html;
    use crate::error::Refusal;

    #[test]
    fn what_leads_write_is_laid_out() {
        for (text, expect) in [
            (
                "# One\n\nTwo *three*.",
                "<h2>One</h2>\n<p>Two <em>three</em>.</p>\n",
            ),
            ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
            (
                "a | b\n-|-\n1 | 2",
                "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n<tr><td>1</td><td>2</td></tr>\n</tbody></table>\n",
            ),
            (
                "[a](https://a.example)",
                "<p><a href=\"https://a.example\" rel=\"noopener noreferrer nofollow\">a</a></p>\n",
            ),
        ] {
            assert_eq!(html(text), expect, "{text}");
        }
    }

    #[test]
    fn nothing_runs_and_nothing_is_loaded() {
        for text in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "![x](https://other.example/x.png)",
            "[x](javascript:alert(1))",
            "[x](data:text/html,x)",
            "<a href=\"jav&#x09;ascript:alert(1)\">x</a>",
            "<p style=\"background:url(//x)\" onclick=\"x\">x</p>",
            "<iframe src=x></iframe><form action=x><input></form><svg onload=x>",
            "<style>*{}</style><base href=x><meta http-equiv=refresh content=0>",
        ] {
            let html = html(text).to_lowercase();
            for bad in [
                "script", "src=", "onerror", "onclick", "onload", "style", "data:", "<iframe",
                "<form", "<input", "<svg", "<base", "<meta", "<img",
            ] {
                assert!(!html.contains(bad), "{text} gave {html}");
            }
        }
    }

    #[test]
    fn html_in_a_text_stays_where_it_is_properly_nested() {
        for (text, expect) in [
            ("H<sub>2</sub>O", "<p>H<sub>2</sub>O</p>\n"),
            ("a<br>b", "<p>a<br>b</p>\n"),
            ("<b>a", "<p>a</p>\n"),
            ("<b><i>a</b></i>", "<p>a</p>\n"),
            ("<div>\na\n\n<p>b\n</div>\n", "\na\nb\n\n"),
            ("<!-- a -->b", "b"),
        ] {
            assert_eq!(html(text), expect, "{text}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_stays_readable() {
        let deep = html(&format!("{}word", "> ".repeat(1_000)));
        assert_eq!(deep.matches("<blockquote>").count(), super::DEEPEST);
        assert!(deep.contains("word"), "{deep}");
    }

    /// Texts that once took quadratic time, or resemble those.
    const HOSTILE: &[(&str, &str)] = &[
        ("quotations", ">"),
        ("quotations with blanks", "> "),
        ("lists", "- "),
        ("numbers", "1. "),
        ("emphasis", "*a "),
        ("emphasis and strong", "*a **b "),
        ("strike", "~~a "),
        ("brackets", "["),
        ("links", "[a](b "),
        ("images", "![a]("),
        ("ticks", "`a"),
        ("tags", "<b>"),
        ("tags that are told apart", "<b id=a>\n\n"),
        ("blocks", "<div>\n"),
        ("rows", "|a"),
        ("entities", "&amp"),
        ("escapes", "\\<"),
        ("comments", "<!-- "),
        ("declarations", "<?"),
        ("quotations by the line", ">a\n>>b\n"),
    ];

    /// The deepest nesting of elements in the HTML.
    fn depth(html: &str) -> usize {
        let (mut open, mut deepest) = (0_usize, 0);
        for tag in html.split('<').skip(1) {
            let name: String = tag
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            if tag.starts_with('/') {
                open = open.saturating_sub(1);
            } else if !["br", "hr", ""].contains(&name.as_str()) {
                open += 1;
                deepest = deepest.max(open);
            }
        }
        deepest
    }

    // Quadratic time came from depth: the sanitiser searches through all open elements.
    #[test]
    fn no_text_makes_html_that_is_deep_or_long() {
        for (name, unit) in HOSTILE {
            let text = unit.repeat(100_000 / unit.len());
            let html = html(&text);
            assert!(depth(&html) <= 100, "{name}: {}", depth(&html));
            assert!(html.len() <= 20 * text.len(), "{name}: {}", html.len());
        }
    }

    #[tokio::test]
    async fn a_person_has_one_preview_at_a_time() {
        let person = PersonId(uuid::Uuid::nil());
        let turn = super::PreviewGuard::begin(person).unwrap();
        let refused = super::preview(person, "a".into()).await;
        assert!(matches!(refused, Err(Refusal::TooMany(_))), "{refused:?}");
        let other = PersonId(uuid::Uuid::max());
        assert_eq!(
            super::preview(other, "a".into()).await.unwrap(),
            "<p>a</p>\n"
        );
        drop(turn);
        assert!(super::preview(person, "a".into()).await.is_ok());
        assert_eq!(
            super::lay_out("*b*".into()).await,
            super::lay_out("*b*".into()).await
        );
    }

    proptest! {
        #[test]
        fn any_text_has_some_html(text in any::<String>()) {
            html(&text);
        }

        #[test]
        fn no_tag_of_any_text_is_one_that_acts(text in "[<>a-z/='\" #*\\[\\]()!:`\n-]{0,60}") {
            let html = html(&text);
            for bad in ["<script", "<img", "<style", "<iframe", "<svg", "<form"] {
                prop_assert!(!html.contains(bad), "{text:?} gave {html}");
            }
        }
    }
}
