use domain::{
    ids::OutputId,
    score::RatingScore,
    study::Dimension,
    work::{
        change::{AnnotationAnswer, AnnotationSlot},
        history::UndoGrouping,
    },
};
use leptos::prelude::*;

use super::{group::RatingGroup, number::Number, slider::Slider};
use crate::islands::workspace::WorkspaceState;

/// One score, as its slider and its number share it.
#[derive(Clone, Copy)]
pub(super) struct ScoreControl {
    pub(super) work: WorkspaceState,
    pub(super) group: RatingGroup,
    pub(super) output: OutputId,
    /// The number of the dimension, from 0.
    pub(super) at: usize,
    pub(super) dimension: StoredValue<Dimension>,
    /// The score that was given.
    pub(super) given: Memo<Option<RatingScore>>,
    /// Where the slider is while it is being moved.
    pub(super) live: RwSignal<Option<RatingScore>>,
    /// Why what was typed is no score.
    pub(super) wrong: RwSignal<Option<String>>,
}

impl ScoreControl {
    /// The score that is shown.
    pub(super) fn shown(self) -> Option<RatingScore> {
        self.live.get().or_else(|| self.given.get())
    }

    /// Gives the score, or takes it back.
    pub(super) fn give(self, score: Option<RatingScore>, joining: UndoGrouping) {
        let dimension = self.dimension.with_value(|it| it.name.clone());
        let slot = AnnotationSlot::Rating {
            output: self.output,
            dimension,
        };
        self.work
            .act([(slot, AnnotationAnswer::Rating(score))], joining);
        self.live.set(None);
        self.wrong.set(None);
    }

    /// What the fields are called: the dimension and where the output stands.
    pub(super) fn label(self) -> String {
        let name = self.dimension.with_value(|it| it.name.clone());
        let place = format!(
            "{}, {}",
            self.group.category.title(),
            self.group.place(self.output) + 1
        );
        if name == domain::study::OVERALL {
            format!("Score of {place}")
        } else {
            format!("{name} of {place}")
        }
    }
}

/// Slider and number of one dimension.
#[component]
pub(super) fn ScoreOf(
    group: RatingGroup,
    output: OutputId,
    dimension: Dimension,
    /// The number of the dimension, from 0.
    at: usize,
) -> impl IntoView {
    let work = group.work;
    let several = work
        .draft
        .with_untracked(|draft| draft.task().dimensions.len() > 1);
    let name = dimension.name.clone();
    let given = {
        let name = name.clone();
        Memo::new(move |_| work.draft.with(|draft| draft.rating(output, &name)))
    };
    let scoring = ScoreControl {
        work,
        group,
        output,
        at,
        dimension: StoredValue::new(dimension),
        given,
        live: RwSignal::new(None),
        wrong: RwSignal::new(None),
    };
    view! {
        <div class="score">
            {several.then(|| view! { <span class="dimension" aria-hidden="true">{name}</span> })}
            <Slider scoring/>
            <Number scoring/>
            {move || scoring.wrong.get().map(|it| view! { <p class="warn" role="alert">{it}</p> })}
        </div>
    }
    .into_any()
}
