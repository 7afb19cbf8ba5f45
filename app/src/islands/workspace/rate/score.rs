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

use super::{
    anchors::ScoreMeaning, keys, number::Number, ranking::CategoryRanking, slider::Slider,
};
use crate::{
    browser,
    islands::workspace::{WorkspaceState, state::place_id},
};

/// One score, as its slider and its number field share it.
#[derive(Clone, Copy)]
pub(super) struct ScoreControl {
    pub(super) work: WorkspaceState,
    pub(super) ranking: CategoryRanking,
    pub(super) output: OutputId,
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

    /// Goes to the row's next score, and after the last one to the next row.
    pub(super) fn go_on(self) {
        let next = self.at + 1;
        if next < (self.work.draft).with_untracked(|draft| draft.task().dimensions.len()) {
            browser::select_text(&keys::number_id(self.output, next));
        } else {
            self.work.travel(self.output, 1, place_id);
        }
    }

    /// The label of the fields: the dimension and the output's place.
    pub(super) fn label(self) -> String {
        let name = self
            .dimension
            .with_value(|dimension| dimension.name.clone());
        let place = format!(
            "{} {}",
            self.ranking.category.title(),
            self.ranking.place(self.output) + 1
        );
        if name == domain::study::OVERALL {
            format!("Score of {place}")
        } else {
            format!("{name} of {place}")
        }
    }
}

/// The slider and number field of one dimension.
#[component]
pub(super) fn ScoreOf(
    ranking: CategoryRanking,
    output: OutputId,
    dimension: Dimension,
    /// The number of the dimension, from 0.
    at: usize,
) -> impl IntoView {
    let work = ranking.work;
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
        ranking,
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
            {(at == 0).then(|| view! { <ScoreMeaning scoring/> })}
            {move || scoring.wrong.get().map(|sentence| view! { <p class="warn" role="alert">{sentence}</p> })}
        </div>
    }
    .into_any()
}
