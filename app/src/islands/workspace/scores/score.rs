use domain::{
    ids::OutputId,
    score::RatingScore,
    score_input::ScoreInput,
    study::Dimension,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        history::UndoGrouping,
    },
};
use leptos::prelude::*;

use super::{anchors::ScoreMeaning, levels::Levels, number::Number, slider::Slider};
use crate::islands::workspace::{
    WorkspaceState,
    unjudged::{CannotJudge, ChosenReason},
};

/// State that the controls of one score share.
#[derive(Clone, Copy)]
pub(super) struct ScoreControl {
    pub(super) work: WorkspaceState,
    pub(super) output: OutputId,
    /// The output's place, as the annotator sees it: `Split 3`.
    place: Signal<String>,
    /// The number of the dimension, from 0.
    pub(super) at: usize,
    pub(super) dimension: StoredValue<Dimension>,
    /// The saved score.
    pub(super) given: Memo<Option<RatingScore>>,
    /// The position of the slider while it is being moved.
    pub(super) live: RwSignal<Option<RatingScore>>,
    /// The reason why the typed text is not a valid score.
    pub(super) wrong: RwSignal<Option<String>>,
}

impl ScoreControl {
    /// The displayed score.
    pub(super) fn shown(self) -> Option<RatingScore> {
        self.live.get().or_else(|| self.given.get())
    }

    /// Saves the score, or clears it.
    pub(super) fn give(self, score: Option<RatingScore>, joining: UndoGrouping) {
        let dimension = self
            .dimension
            .with_value(|dimension| dimension.name.clone());
        let slot = AnnotationSlot::Rating {
            output: self.output,
            dimension,
        };
        self.work
            .act([(slot, AnnotationAnswer::Rating(score))], joining);
        self.live.set(None);
        self.wrong.set(None);
    }

    /// The label of the fields: the dimension and the output's place.
    pub(super) fn label(self) -> String {
        let name = self
            .dimension
            .with_value(|dimension| dimension.name.clone());

        let place = self.place.get();
        if name == domain::study::OVERALL {
            format!("Score of {place}")
        } else {
            format!("{name} of {place}")
        }
    }
}

/// The scores of an output, one for each dimension.
#[component]
pub(crate) fn Scores(
    output: OutputId,
    /// The output's place, as the annotator sees it.
    #[prop(into)]
    place: Signal<String>,
    /// Whether the button that says that the output cannot be judged is next to them.
    #[prop(optional)]
    in_row: bool,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let dimensions = work
        .draft
        .with_untracked(|draft| draft.task().dimensions.clone());
    let several = dimensions.len() > 1;
    let score = |(at, dimension): (usize, Dimension)| view! { <ScoreOf output place dimension at several/> };

    view! {
        <div class="scores" class:several=several>
            {dimensions.into_iter().enumerate().map(score).collect_view()}
            <ChosenReason output/>
            {in_row.then(|| view! { <CannotJudge output place short=true/> })}
        </div>
    }
    .into_any()
}

/// The score on one dimension.
#[component]
fn ScoreOf(
    output: OutputId,
    place: Signal<String>,
    dimension: Dimension,
    /// The number of the dimension, from 0.
    at: usize,
    /// Whether there are other dimensions.
    several: bool,
) -> impl IntoView {
    let work = expect_context::<WorkspaceState>();
    let Dimension { name, input, .. } = dimension.clone();

    let given = {
        let name = name.clone();
        Memo::new(move |_| work.draft.with(|draft| draft.rating(output, &name)))
    };

    let scoring = ScoreControl {
        work,
        output,
        place,
        at,
        dimension: StoredValue::new(dimension),
        given,
        live: RwSignal::new(None),
        wrong: RwSignal::new(None),
    };

    let controls = match input {
        ScoreInput::Levels(labels) => view! { <Levels scoring labels/> }.into_any(),
        ScoreInput::Slider(slider) => {
            // The meaning of a score names its number, so it is hidden with the number.
            let shown = !slider.hides_number;
            let number = shown.then(|| view! { <Number scoring/> });
            let meaning = (shown && at == 0).then(|| view! { <ScoreMeaning scoring/> });
            view! { <Slider scoring slider/> {number} {meaning} }.into_any()
        }
    };

    view! {
        <div class="score">
            {several.then(|| view! { <span class="dimension" aria-hidden="true">{name}</span> })}
            {controls}
            {move || scoring.wrong.get().map(|sentence| view! { <p class="warn" role="alert">{sentence}</p> })}
        </div>
    }
    .into_any()
}
