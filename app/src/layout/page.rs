use leptos::prelude::*;

use super::{
    flash_message::flash_message,
    page_title::PageTitle,
    scripts::{LocalTimes, SignOut},
};
use crate::{
    api::{LogOut, SetTheme},
    enhanced::EnhancedForm,
    flash, links,
    page_script::script_address,
    request::visitor,
    theme::{self, Theme},
};

/// A page: title, header, content and footer.
#[component]
pub fn Page(
    /// The page's name, for the browser's tab.
    #[prop(into)]
    title: String,
    /// The current place, shown next to the brand: a study, a source.
    #[prop(optional, into)]
    place: Option<String>,
    /// The tabs of related pages.
    #[prop(optional, into)]
    tabs: Option<AnyView>,
    children: Children,
) -> impl IntoView {
    view! {
        <PageTitle text=format!("{title} · Rank & Rate")/>
        <a class="skip" href="#main">"Skip to the content"</a>
        <header class="site-header">
            <div class="bar">
                <a class="brand" href=links::to(links::HOME)>"Rank & Rate"</a>
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
        <LocalTimes/>
    }
    // One type for every page: otherwise the compiler processes each page's own type many times.
    .into_any()
}

/// The signed-in person with a sign-out button, or a link to sign in.
#[component]
fn Account() -> impl IntoView {
    let Some(session) = visitor().session else {
        return view! { <a class="account" href=links::to(links::LOGIN)>"Sign in"</a> }.into_any();
    };
    let (person, log_out) = (session.person, links::action::<LogOut>());
    // A crowd rater has no account to see, and no way back after signing out.
    if person.is_crowd {
        return ().into_any();
    }

    let people = person
        .is_admin
        .then(|| view! { <a href=links::to(links::PEOPLE)>"Accounts"</a> });

    view! {
        <nav class="account" aria-label="Your account">
            {people}
            <a href=links::to(links::ACCOUNT)>{person.name}</a>
            <form method="post" action=log_out data-sign-out=person.id.to_string() data-script=script_address("sign_out")>
                <button class="ghost">"Sign out"</button>
            </form>
            <SignOut/>
        </nav>
    }
    .into_any()
}

/// The colour theme: light, dark or the system's, with the current one marked.
#[component]
fn ThemeChoice() -> impl IntoView {
    let chosen = theme::from_cookie();
    let button = move |theme: Theme| {
        let label = match theme {
            Theme::System => "System",
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
