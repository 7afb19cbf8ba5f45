use domain::study::StudySettings;
use leptos::prelude::*;
use service::templates::StudyTemplate;

use crate::settings::{NewStudyName, RuleFields};
use app::{
    api::{CreateStudy, require_study_creator},
    components::{Field, ShortNameField},
    enhanced::EnhancedForm,
    layout::{Page, allow_anyone, signed_in_page},
    links,
};

/// The page to create a study.
#[component]
pub fn NewStudy() -> impl IntoView {
    signed_in_page(allow_anyone, async |person| {
        require_study_creator(&person).await?;

        let action = links::action::<CreateStudy>();
        Ok(view! {
            <Page title="New study">
                <h1>"New study"</h1>
                <p class="lead">
                    "A study holds sources, systems' outputs for them, and people's ratings. You will \
                     lead it. You can change everything later except the short name."
                </p>
                <EnhancedForm action=action label="New study">
                    <Field id="name" label="Name">
                        <input id="name" name="name" required maxlength="120" autocomplete="off"/>
                    </Field>
                    <Templates/>
                    <Field
                        id="overlap"
                        label="Annotators for each source"
                        help="Leave it empty for as many as the template suggests: two in Expert evaluation, one in \
                              Writing simplifications, three in the others. Agreement can only be computed where at \
                              least two annotators rate the same source."
                    >
                        <input
                            id="overlap"
                            name="overlap"
                            type="number"
                            min="1"
                            max="100"
                            class="short"
                            aria-describedby="overlap-help"
                        />
                    </Field>
                    <Advanced/>
                    <div class="actions">
                        <button class="primary">"Create the study"</button>
                        <a href=links::to(links::HOME)>"Cancel"</a>
                    </div>
                </EnhancedForm>
                <FromFile/>
            </Page>
        })
    })
}

/// The choice of a template, each with a picture of what annotators will see.
#[component]
fn Templates() -> impl IntoView {
    let choice = |template: &StudyTemplate| {
        let template = *template;
        let name = template.name();
        let id = format!("template-{name}");
        let help = format!("{id}-help");
        let checked = template == StudyTemplate::default();
        view! {
            <div class="card template">
                <Picture template/>
                <div class="choice">
                    <input type="radio" id=id.clone() name="template" value=name checked=checked aria-describedby=help.clone()/>
                    <label for=id>{template.title()}</label>
                </div>
                <p class="help" id=help>{template.summary()}</p>
                <a href=links::template_preview(name)>"Try it"<span class="visually-hidden">": "{template.title()}</span></a>
            </div>
        }
    };

    view! {
        <fieldset>
            <legend>"Annotators work with"</legend>
            <div class="cards">{StudyTemplate::ALL.iter().map(choice).collect_view()}</div>
            <p class="help">
                "Steps and scales can be changed later under Settings. Each comes with guidelines for annotators."
            </p>
            <div class="choice">
                <input
                    type="checkbox"
                    id="tutorial"
                    name="tutorial"
                    value="yes"
                    aria-describedby="tutorial-help"
                />
                <div>
                    <label for="tutorial">"Begin with a tutorial"</label>
                    <p class="help" id="tutorial-help">
                        "Before the first source, annotators judge one with five outputs, and see after each what is \
                         expected and why."
                    </p>
                </div>
            </div>
        </fieldset>
    }
}

/// A sketch of what annotators see.
#[component]
fn Picture(template: StudyTemplate) -> impl IntoView {
    let rows = 0..3;
    let row = move |at: i32| {
        let y = 30 + at * 22;
        match template {
            StudyTemplate::RankAndRate => view! {
                <text x="6" y=y + 9>{at + 1}</text>
                <path d=format!("M16 {} h62 M16 {} h44", y + 3, y + 10) stroke="var(--edge)" stroke-width="4"/>
                <path d=format!("M90 {} h60", y + 7) stroke="var(--line)" stroke-width="4"/>
                <circle cx=142 - at * 19 cy=y + 7 r="4"/>
            }
            .into_any(),
            StudyTemplate::DirectAssessment => view! {
                <path d=format!("M6 {} h46", y + 7) stroke="var(--edge)" stroke-width="4"/>
                <path d=format!("M62 {} h88", y + 7) stroke="var(--line)" stroke-width="4"/>
                <circle cx=140 - (at * 37) % 60 cy=y + 7 r="4"/>
            }
            .into_any(),
            StudyTemplate::Likert => view! {
                <path d=format!("M6 {} h46", y + 7) stroke="var(--edge)" stroke-width="4"/>
                {(0..5).map(|level| {
                    let fill = if level == 4 - (at * 2) % 3 { "var(--accent)" } else { "var(--card)" };
                    view! { <circle cx=70 + level * 19 cy=y + 7 r="5" fill=fill stroke="var(--edge)"/> }
                }).collect_view()}
            }
            .into_any(),
            StudyTemplate::Pairwise => view! {
                <path d=format!("M6 {} h52 M102 {} h46", y + 7, y + 7) stroke="var(--edge)" stroke-width="4"/>
                {(0..3).map(|answer| {
                    let fill = if answer == (at * 2) % 3 { "var(--accent)" } else { "var(--card)" };
                    view! { <circle cx=66 + answer * 14 cy=y + 7 r="5" fill=fill stroke="var(--edge)"/> }
                }).collect_view()}
            }
            .into_any(),
            StudyTemplate::BestWorst => view! {
                <path d=format!("M6 {} h96", y + 7) stroke="var(--edge)" stroke-width="4"/>
                {(0..2).map(|answer| {
                    let fill = if answer == 0 && at == 1 || answer == 1 && at == 2 { "var(--accent)" } else { "var(--card)" };
                    view! { <circle cx=120 + answer * 20 cy=y + 7 r="5" fill=fill stroke="var(--edge)"/> }
                }).collect_view()}
            }
            .into_any(),
            StudyTemplate::ExpertEvaluation | StudyTemplate::EditQuality => view! {
                <path d=format!("M6 {} h100", y + 7) stroke="var(--edge)" stroke-width="4"/>
                <path d=format!("M{} {} h26", 14 + at * 28, y + 7) stroke="var(--accent)" stroke-width="9" opacity="0.45"/>
                {(0..3).map(|level| {
                    let fill = if level == (at * 2) % 3 { "var(--accent)" } else { "var(--card)" };
                    view! { <circle cx=120 + level * 14 cy=y + 7 r="4" fill=fill stroke="var(--edge)"/> }
                }).collect_view()}
            }
            .into_any(),
            StudyTemplate::Questions => view! {
                <path d=format!("M6 {} h62", y + 7) stroke="var(--edge)" stroke-width="4"/>
                {(0..2).map(|answer| {
                    let fill = if answer == at % 2 { "var(--accent)" } else { "var(--card)" };
                    view! { <circle cx=82 + answer * 16 cy=y + 7 r="5" fill=fill stroke="var(--edge)"/> }
                }).collect_view()}
                {(at != 1).then(|| view! {
                    <path d=format!("M112 {} h38", y + 7) stroke="var(--line)" stroke-width="9"/>
                })}
            }
            .into_any(),
            StudyTemplate::Writing => view! {
                <path d=format!("M6 {} h{}", y + 7, 148 - at * 46) stroke="var(--edge)" stroke-width="4"/>
                {(at == 2).then(|| view! {
                    <path d=format!("M68 {y} v14") stroke="var(--accent)" stroke-width="3"/>
                })}
            }
            .into_any(),
            StudyTemplate::SpanErrors => view! {
                <path d=format!("M6 {} h88", y + 7) stroke="var(--edge)" stroke-width="4"/>
                {(at != 1).then(|| view! {
                    <path d=format!("M{} {} h26", 10 + at * 22, y + 7) stroke="var(--del)" stroke-width="9" opacity="0.45"/>
                })}
                <path d=format!("M104 {} h46", y + 7) stroke="var(--line)" stroke-width="4"/>
                <circle cx=110 + at * 30 % 40 cy=y + 7 r="4"/>
            }
            .into_any(),
        }
    };

    view! {
        <svg viewBox="0 0 160 100" width="128" height="80" fill="var(--accent)" font-size="9" aria-hidden="true">
            <path d="M6 10 h140 M6 18 h96" stroke="var(--edge)" stroke-width="4"/>
            {rows.map(row).collect_view()}
        </svg>
    }
}

/// The settings that most studies leave as they are.
#[component]
fn Advanced() -> impl IntoView {
    view! {
        <details class="more">
            <summary>"Advanced"</summary>
            <ShortNameField
                id="short-name"
                label="Short name"
                help="Used in addresses and commands: letters a to z, digits and hyphens. \
                      Leave it empty to derive it from the name."
            />
            <div class="choice">
                <input
                    type="checkbox"
                    id="attention"
                    name="quality_control"
                    value="yes"
                    checked
                    aria-describedby="attention-help"
                />
                <div>
                    <label for="attention">"Add quality-control items"</label>
                    <p class="help" id="attention-help">
                        "One source in ten each gets a copy of the source, a scrambled output, and an output \
                         twice. They reveal raters who click without reading."
                    </p>
                </div>
            </div>
            <RuleFields settings=StudySettings::default()/>
        </details>
    }
}

/// The form that makes a study from a file.
#[component]
fn FromFile() -> impl IntoView {
    view! {
        <section aria-labelledby="from-file">
            <h2 id="from-file">"From a file"</h2>
            <p class="soft">
                "Begin with the settings, texts and training items of another study. Its lead downloads the file under \
                 Settings."
            </p>
            <EnhancedForm action=links::to(links::STUDY_FILE) label="New study from a file" multipart=true>
                <Field id="study-file" label="File">
                    <input id="study-file" name="files" type="file" accept=".json" required/>
                </Field>
                <NewStudyName optional=true/>
                <div class="actions">
                    <button>"Create it from the file"</button>
                </div>
            </EnhancedForm>
        </section>
    }
}
