use std::sync::Arc;

use domain::{
    category::Category,
    ids::OutputId,
    work::{
        drag::{self, RowExtent},
        history::UndoGrouping,
        labels::format_output_count,
        order::{self, OrderDisagreement, OrderMove},
    },
};
use leptos::prelude::*;

use super::row::Row;
use crate::{
    browser,
    islands::{
        parts::drag::DragEvent,
        workspace::{WorkspaceState, state::place_id},
    },
};

/// State that the rows of a category share.
#[derive(Clone, Copy)]
pub(super) struct CategoryRanking {
    pub(super) work: WorkspaceState,
    pub(super) category: Category,
    /// The outputs, best first.
    pub(super) order: Memo<Vec<OutputId>>,
    /// Disagreements between order and scores, except the accepted ones.
    pub(super) disagreements: Memo<Vec<OrderDisagreement>>,
    /// The disagreements that the annotator accepts: an output and the one before it.
    kept: RwSignal<Vec<(OutputId, OutputId)>>,
    dragged: RwSignal<Option<DraggedRow>>,
}

/// A row that is being dragged.
#[derive(Debug, Clone, PartialEq)]
struct DraggedRow {
    output: OutputId,
    from: usize,
    to: usize,
    by: f64,
    rows: Arc<[RowExtent]>,
}

impl CategoryRanking {
    fn new(work: WorkspaceState, category: Category) -> Self {
        let order = Memo::new(move |_| work.draft.with(|draft| draft.outputs_in(category)));

        let kept = RwSignal::new(vec![]);
        let disagreements = Memo::new(move |_| {
            let mut disagreements = work.draft.with(|draft| {
                order.with(|order| {
                    order::find_disagreements(order, |output| draft.ranking_score(output))
                })
            });
            disagreements.retain(|disagreement| {
                kept.with(|kept: &Vec<_>| {
                    !kept.contains(&(disagreement.output, disagreement.before))
                })
            });
            disagreements
        });

        Self {
            work,
            category,
            order,
            disagreements,
            kept,
            dragged: RwSignal::new(None),
        }
    }

    /// The place of an output in the category, from 0.
    pub(super) fn place(self, output: OutputId) -> usize {
        self.order
            .with(|order| order.iter().position(|candidate| *candidate == output))
            .unwrap_or_default()
    }

    /// Moves an output, announces its new place, and keeps the focus on it.
    pub(super) fn shift(self, output: OutputId, by: OrderMove) {
        let moved = self
            .order
            .with_untracked(|order| order::move_output(order, output, by));
        if let Some(moved) = moved {
            self.put(&moved);
            self.say_place(output);
        }
        browser::focus_soon(place_id(output));
    }

    fn put(self, order: &[OutputId]) {
        let ordered = self
            .work
            .draft
            .with_untracked(|draft| draft.order_answer(order));
        self.work.act([ordered], UndoGrouping::Separate);
    }

    fn say_place(self, output: OutputId) {
        let (at, of) = (self.place(output), self.order.with_untracked(Vec::len));
        self.work
            .announce(order::announce_place(self.category, at, of));
    }

    /// Sorts the outputs of this category or of every category by score, best first.
    pub(super) fn sort(self, every: bool) {
        let (outputs, sorted) = self.work.draft.with_untracked(|draft| {
            let outputs = if every {
                draft.order()
            } else {
                draft.outputs_in(self.category)
            };
            let sorted = order::sort_by_score(&outputs, |output| draft.ranking_score(output));
            (outputs, sorted)
        });

        let may = self.work.draft.with_untracked(|draft| {
            let (slot, answer) = draft.order_answer(&sorted);
            draft.may_answer(&slot, &answer)
        });

        if may && outputs != sorted {
            self.put(&sorted);
            let name = if every { "All" } else { self.category.title() };
            self.work.announce(format!("{name} sorted by score"));
        }
    }

    /// Accepts a disagreement between order and scores.
    pub(super) fn keep(self, it: OrderDisagreement) {
        self.kept.update(|kept| kept.push((it.output, it.before)));
    }

    pub(super) fn follow(self, output: OutputId, drag: DragEvent) {
        match drag {
            DragEvent::Lift => self.dragged.set(self.lift(output)),
            DragEvent::Move { by, .. } => self.move_dragged(by.1),
            DragEvent::Cancel | DragEvent::Drop => {
                let dragged = self.dragged.get_untracked();
                self.dragged.set(None);
                browser::offset_row(&row_id(output), 0.0);
                browser::fold(&row_id(output), false);
                if let Some(row) = dragged.filter(|_| drag == DragEvent::Drop) {
                    self.shift(output, OrderMove::To(row.to));
                }
            }
        }
    }

    /// Moves the dragged row. The other rows are only notified when it reaches a new place.
    fn move_dragged(self, by: f64) {
        let Some(mut row) = self.dragged.get_untracked() else {
            return;
        };

        row.by = by;
        let to = drag::drop_place(&row.rows, row.from, by);
        if to == row.to {
            browser::offset_row(&row_id(row.output), row.by);
        } else {
            row.to = to;
            self.dragged.set(Some(row));
        }
    }

    fn lift(self, output: OutputId) -> Option<DraggedRow> {
        browser::fold(&row_id(output), true);

        let rows: Option<Vec<RowExtent>> = self.order.with_untracked(|order| {
            order
                .iter()
                .map(|ranked_output| browser::row_position(&row_id(*ranked_output)))
                .collect()
        });

        let from = self.place(output);
        Some(DraggedRow {
            output,
            from,
            to: from,
            by: 0.0,
            rows: rows?.into(),
        })
    }

    /// Whether this output is being dragged.
    pub(super) fn is_lifted(self, output: OutputId) -> bool {
        self.dragged
            .with(|dragged| dragged.as_ref().is_some_and(|row| row.output == output))
    }

    /// The offset of a row from its place, in pixels downwards.
    pub(super) fn offset(self, output: OutputId) -> f64 {
        self.dragged.with(|dragged| match dragged {
            Some(row) if row.output == output => row.by,
            Some(row) => drag::row_shift(&row.rows, row.from, row.to, self.place(output)),
            None => 0.0,
        })
    }

    /// The displayed place of a row: during a drag, the place it would get.
    pub(super) fn shown_place(self, output: OutputId) -> usize {
        let at = self.place(output);
        self.dragged.with(|dragged| match dragged {
            Some(row) if row.output == output => row.to,
            Some(row) if row.from < at && at <= row.to => at - 1,
            Some(row) if row.to <= at && at < row.from => at + 1,
            _ => at,
        })
    }
}

/// The id of a row.
pub(super) fn row_id(output: OutputId) -> String {
    format!("row-{output}")
}

/// One category: its name, its rows, and hints about the whole.
#[component]
pub(super) fn CategoryList(category: Category) -> impl IntoView {
    let ranking = CategoryRanking::new(expect_context::<WorkspaceState>(), category);

    let heading = format!("category-{category}");
    let len = Memo::new(move |_| ranking.order.with(Vec::len));
    let any = move || len.get() > 0;
    let several = move || len.get() > 1;

    let out_of_order = move || {
        ranking
            .disagreements
            .with(|disagreements| !disagreements.is_empty())
    };

    view! {
        <Show when=any>
            <section class="category" aria-labelledby=heading.clone()>
                <div class="category-head">
                    <h2 id=heading.clone()>{category.title()}" "<b>{move || format_output_count(len.get())}</b></h2>
                    <Show when=several>
                        <span class="hint">
                            <kbd>"↑"</kbd><kbd>"↓"</kbd>" move · "<kbd>"0"</kbd>"–"<kbd>"9"</kbd>" rate"
                        </span>
                        <button
                            class="small"
                            class:urgent=out_of_order
                            data-command=""
                            on:click=move |_| ranking.sort(false)
                        >
                            "Sort by score"
                        </button>
                    </Show>
                </div>
                <ol class="rank">
                    <For each=move || ranking.order.get() key=|output| *output let:output>
                        {ranking.work.in_turn(output, move || view! { <Row ranking output/> }.into_any())}
                    </For>
                </ol>
            </section>
        </Show>
    }
    .into_any()
}
