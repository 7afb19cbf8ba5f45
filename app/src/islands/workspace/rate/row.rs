use domain::{
    ids::OutputId,
    score::RatingScale,
    study::Dimension,
    work::{
        draft::AnnotationDraft,
        order::{OrderDisagreement, OrderMove},
        task::ExpectedAnswer,
    },
};
use leptos::{html::Li, prelude::*};

use super::{
    OpenPanels, keys,
    ranking::{CategoryRanking, row_id},
    score::ScoreOf,
};
use crate::{
    browser,
    islands::{
        parts::drag,
        workspace::{
            marked_output::MarkedOutput,
            state::{PointerTarget, place_id},
        },
    },
};

/// One output at its place, with its scores.
#[component]
pub(super) fn Row(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let work = ranking.work;
    let row = NodeRef::<Li>::new();
    Effect::new(move |_| {
        let offset = ranking.offset(output);
        if let Some(row) = row.get() {
            browser::set_style(&row, "--offset", &format!("{offset}px"));
        }
    });
    let dimensions = work
        .draft
        .with_untracked(|draft| draft.task().dimensions.clone());
    let several = dimensions.len() > 1;
    let todo = Memo::new(move |_| work.draft.with(|draft| is_unrated(draft, output)));
    let unpoint = move |_| work.pointed.set(None);
    let point = move || work.pointed.set(Some(PointerTarget { output, edit: None }));
    view! {
        <li
            node_ref=row
            id=row_id(output)
            class="row"
            class:todo=todo
            class:lift=move || ranking.is_lifted(output)
            on:pointerenter=move |_| point()
            on:pointerleave=unpoint
            on:focusin=move |_| point()
        >
            <Handle ranking output/>
            <Output ranking output/>
            <div class="scores" class:several=several>
                {dimensions
                    .into_iter()
                    .enumerate()
                    .map(|(at, dimension): (usize, Dimension)| view! { <ScoreOf ranking output dimension at/> })
                    .collect_view()}
            </div>
            <Disagrees ranking output/>
            <Note ranking output/>
        </li>
    }
    .into_any()
}

fn is_unrated(draft: &AnnotationDraft, output: OutputId) -> bool {
    draft
        .task()
        .dimensions
        .iter()
        .any(|dimension| draft.rating(output, &dimension.name).is_none())
}

/// The handle of the row: its number and grip, with the keys of the row.
#[component]
fn Handle(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let open = expect_context::<OpenPanels>();
    let work = ranking.work;
    let place = Memo::new(move |_| ranking.shown_place(output) + 1);
    let text = work
        .draft
        .with_untracked(|d| d.item(output).map(|item| item.text.clone()));
    let name = move || {
        let output_count = ranking.order.with(Vec::len);
        let title = ranking.category.title();
        format!(
            "{title}, number {place} of {output_count}: {text}",
            place = place.get(),
            text = text.as_deref().unwrap_or_default()
        )
    };
    let dragged = StoredValue::new(false);
    let press = move |event| {
        dragged.set_value(false);
        if work.takes_answers() {
            drag::follow(&event, move |drag| {
                dragged.set_value(true);
                ranking.follow(output, drag);
            });
        }
    };
    let click = move |_| {
        if !dragged.get_value() && work.takes_answers() {
            open.output.set(Some(output));
            open.menu.set(Some(place_id(output)));
        }
    };
    view! {
        <button
            id=place_id(output)
            class="handle"
            aria-label=name
            aria-haspopup="dialog"
            on:pointerdown=press
            on:click=click
            on:keydown=move |event| keys::press(ranking, open, output, &event)
        >
            <span class="n">{place}</span>
            <span class="grip" aria-hidden="true">"⠿"</span>
        </button>
    }
}

/// The output's text.
#[component]
fn Output(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let work = ranking.work;
    let item = work
        .draft
        .with_untracked(|draft| draft.item(output).cloned());
    let scale = work.draft.with_untracked(|draft| {
        draft
            .task()
            .dimensions
            .first()
            .map(|dimension| dimension.scale)
    });
    let (text, copies, expected) = item
        .map(|item| (item.text, item.copies, item.expected))
        .unwrap_or_default();
    view! {
        <div class="out" on:click=move |_| browser::focus(&place_id(output))>
            <MarkedOutput output text/>
            {(copies > 1).then(|| view! { <p class="aside">{copies}" systems wrote this · rated once"</p> })}
            {expected.map(|answer| view! { <p class="expected">{expectation(&answer, scale)}</p> })}
        </div>
    }
}

fn expectation(expected: &ExpectedAnswer, scale: Option<RatingScale>) -> String {
    let within = |score: i32| scale.map_or(score, |scale| scale.clamp(score).get());
    let mut parts = vec![];
    parts.extend(
        expected
            .category
            .map(|category| category.title().to_owned()),
    );
    parts.extend(expected.rating.map(|rating| match expected.tolerance {
        0 => rating.to_string(),
        by => format!(
            "{} to {}",
            within(rating.saturating_sub(by)),
            within(rating.saturating_add(by))
        ),
    }));
    let answer = parts.join(", ");
    format!("Expected: {answer}. {}", expected.explanation)
}

/// A warning that order and score disagree, with the possible fixes.
#[component]
fn Disagrees(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let disagreement = Memo::new(move |_| {
        ranking.disagreements.with(|all| {
            all.iter()
                .find(|disagreement| disagreement.output == output)
                .copied()
        })
    });
    let fix = move |disagreement: OrderDisagreement| {
        ranking.shift(output, OrderMove::To(disagreement.place))
    };
    view! {
        {move || disagreement.get().map(|disagreement| view! {
            <p class="warn">
                {disagreement.sentence()}" "
                <button class="link" on:click=move |_| fix(disagreement)>
                    {if disagreement.adjacent { "Swap them" } else { "Move it there" }}
                </button>
                ", or "
                <button class="link" on:click=move |_| ranking.keep(disagreement)>"keep both as they are"</button>
                "."
            </p>
        })}
    }
}

/// The note, where there is one or one is being written.
#[component]
fn Note(ranking: CategoryRanking, output: OutputId) -> impl IntoView {
    let open = expect_context::<OpenPanels>();
    let text = Memo::new(move |_| ranking.work.draft.with(|draft| draft.note(output)));
    let shown =
        Memo::new(move |_| open.note.get() == Some(output) || text.with(|text| !text.is_empty()));
    let save = move |event| keys::save_note(ranking.work, output, event_target_value(&event));
    view! {
        <Show when=move || shown.get()>
            <p class="note-of">
                <label for=keys::note_id(output)>"Note"</label>
                <textarea
                    id=keys::note_id(output)
                    rows="1"
                    prop:value=text
                    disabled=move || !ranking.work.takes_answers()
                    on:change=save
                    on:keydown=move |event| {
                        if event.key() == "Escape" {
                            browser::focus(&place_id(output));
                        }
                    }
                ></textarea>
            </p>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_lies_on_the_scale() {
        let check = |rating, tolerance, expect: &str| {
            let expected = ExpectedAnswer {
                category: None,
                rating: Some(rating),
                tolerance,
                explanation: "So it is.".to_owned(),
            };
            assert_eq!(expectation(&expected, Some(RatingScale::PERCENT)), expect);
        };
        check(5, 10, "Expected: 0 to 15. So it is.");
        check(97, 10, "Expected: 87 to 100. So it is.");
        check(50, 10, "Expected: 40 to 60. So it is.");
        check(50, 0, "Expected: 50. So it is.");
    }
}
