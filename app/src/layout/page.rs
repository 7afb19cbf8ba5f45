use leptos::prelude::*;
use leptos_meta::Title;

use super::flash_message::flash_message;
use crate::{
    api::{LogOut, SetTheme},
    flash,
    islands::EnhancedForm,
    links,
    request::visitor,
    theme::{self, Theme},
};

/// A page: its title, where one is, the header, and what the page holds.
#[component]
pub fn Page(
    /// The page's name, for the browser's tab.
    #[prop(into)]
    title: String,
    /// Where one is, shown beside the brand: a study, a source.
    #[prop(optional, into)]
    place: Option<String>,
    /// The pages that belong together with this one.
    #[prop(optional, into)]
    tabs: Option<AnyView>,
    /// What the page holds.
    children: Children,
) -> impl IntoView {
    view! {
        <Title text=format!("{title} · Rank & Rate")/>
        <a class="skip" href="#main">"Skip to the content"</a>
        <header class="site-header">
            <div class="bar">
                <a class="brand" href=links::to("/")>"Rank & Rate"</a>
                {place.map(|place| view! { <span class="where">{place}</span> })}
                <span class="grow"></span>
                <Account/>
            </div>
            {tabs}
        </header>
        <main id="main" tabindex="-1">
            {flash::take().map(flash_message)}
            {children()}
        </main>
        <footer class="site-footer">
            <div class="bar">
                <ThemeChoice/>
            </div>
        </footer>
    }
    // One type for every page, or the compiler works through each page's own many times over.
    .into_any()
}

/// Who is signed in, and the way out; or the way in.
#[component]
fn Account() -> impl IntoView {
    let Some(session) = visitor().session else {
        return view! { <a class="account" href=links::to("/login")>"Sign in"</a> }.into_any();
    };
    let (person, log_out) = (session.person, links::action::<LogOut>());
    let people = person
        .is_admin
        .then(|| view! { <a href=links::to("/people")>"Accounts"</a> });
    view! {
        <nav class="account" aria-label="Your account">
            {people}
            <a href=links::to("/account")>{person.name}</a>
            <form method="post" action=log_out>
                <button class="ghost">"Sign out"</button>
            </form>
        </nav>
    }
    .into_any()
}

/// Light, dark or as the system: one button each, the chosen one marked.
#[component]
fn ThemeChoice() -> impl IntoView {
    let chosen = theme::from_cookie();
    let button = move |theme: Theme| {
        let label = match theme {
            Theme::System => "As the system",
            Theme::Light => "Light",
            Theme::Dark => "Dark",
        };
        view! {
            <button name="theme" value=theme.name() aria-pressed=(theme == chosen).to_string()>
                {label}
            </button>
        }
    };
    let action = links::action::<SetTheme>();
    view! {
        <EnhancedForm action=action class="segments" label="Colours">
            {Theme::ALL.map(button)}
        </EnhancedForm>
    }
}
