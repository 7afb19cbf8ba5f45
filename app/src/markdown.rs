//! What leads write, as HTML that can do no harm.

use std::sync::LazyLock;

use ammonia::Builder;
use leptos::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

/// A text in Markdown, as part of a page.
#[component]
pub fn Markdown(
    /// The text.
    text: String,
) -> impl IntoView {
    view! { <div class="prose" inner_html=html(&text)></div> }
}

/// What is left of the HTML of a text: words, lists, tables, links. Images are not, since the page
/// may load nothing from elsewhere.
static HARMLESS: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    builder
        .rm_tags(["img", "map", "area"])
        .link_rel(Some("noopener noreferrer nofollow"));
    builder
});

/// A text in Markdown as HTML without scripts, styles or images. Its headings begin at the second
/// level: the first is the page's own.
pub fn html(text: &str) -> String {
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH);
    let mut html = String::with_capacity(text.len() * 3 / 2);
    push_html(&mut html, parser.map(lower_heading));
    HARMLESS.clean(&html).to_string()
}

fn lower_heading(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Start(Tag::Heading {
            level,
            id,
            classes,
            attrs,
        }) => Event::Start(Tag::Heading {
            level: lower(level),
            id,
            classes,
            attrs,
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(lower(level))),
        event => event,
    }
}

fn lower(level: HeadingLevel) -> HeadingLevel {
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

    use super::html;

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
