//! The consensus on one source: what its raters said side by side, the differences first.

use std::collections::BTreeMap;

use domain::{
    consensus::{ConsensusQuestion, MarkQuestion},
    ids::OutputId,
    span_marks::taxonomy::SpanTaxonomy,
    study::StudySettings,
    work::change::AnnotationSlot,
};
use leptos::prelude::*;
use store::consensus::{ConsensusState, SourceConsensus};

use super::{
    question::{AnswerRow, MarkRow, QuestionRow},
    require_part,
};
use crate::{rater_names::RaterNames, sources::explain_mark_lines};
use app::{
    api::{BeginConsensus, DIFFERENCES, DecideConsensus, FINISH, ReopenConsensus},
    components::{Moment, TextArea},
    enhanced::EnhancedForm,
    error::Refusal,
    layout::{StudyTab, study_page},
    links::{self, StudyPage},
    request::{RequestAccess, parse, path_parameter, refuse},
    services,
};
use service::wording::{count_noun, list_words};

/// The consensus on the source that the address names.
#[component]
pub fn SourceConsensusPage() -> impl IntoView {
    let source = path_parameter("source");
    study_page(
        "Consensus",
        StudyTab::Consensus,
        require_part,
        async move |access| content(access, &source).await,
    )
}

async fn content(access: RequestAccess, source: &str) -> Result<AnyView, Refusal> {
    let source = parse::id(source).map_err(|_| Refusal::NotFound)?;
    let store = services().store;
    let consensus = store.source_consensus(access.study.id, source);
    let mut consensus = consensus.await.map_err(refuse)?.ok_or(Refusal::NotFound)?;
    let names = RaterNames::load(&access).await?;
    for rater in &mut consensus.entry.raters {
        rater.label = names.label(&rater.label);
    }

    let is_lead = access.require_lead().is_ok();
    let is_rater = consensus.entry.is_of(access.person.id);
    if access.require_panel_access().is_err() && !is_rater {
        return Err(Refusal::NotFound);
    }

    let decides = (is_lead || is_rater) && access.study.archived_at.is_none();
    let slug = access.study.slug.to_string();
    let entry = consensus.entry.clone();
    let raters: Vec<_> = entry
        .raters
        .iter()
        .map(|rater| rater.label.clone())
        .collect();

    let body = match entry.state {
        // Answers are shown once the consensus has begun: from then on their raters cannot change them.
        ConsensusState::NotBegun => {
            let (slug, source) = (slug.clone(), entry.source.to_string());
            view! { <BeginForm slug source decides/> }.into_any()
        }
        ConsensusState::Open | ConsensusState::Agreed(_) => {
            let settings = &access.study.settings;
            let takes = decides && entry.state == ConsensusState::Open;
            let cards = list_cards(&consensus, settings);
            view! { <Cards slug=slug.clone() consensus=consensus.clone() settings cards takes decides/> }
                .into_any()
        }
    };

    let all = StudyPage::Consensus.address(&slug);

    Ok(view! {
        <p class="crumb"><a href=all>"Consensus"</a></p>
        <h1>{format!("Consensus: {}", entry.key)}</h1>
        <p class="lead">{format!("Submitted by {}.", list_words(&raters))}</p>
        <section class="consensus-source">
            <h2>"Source"</h2>
            <p class="text">{consensus.text.clone()}</p>
        </section>
        {body}
    }
    .into_any())
}

/// The form that begins the consensus.
#[component]
fn BeginForm(slug: String, source: String, decides: bool) -> impl IntoView {
    let action = links::action::<BeginConsensus>();
    let form = decides.then(|| {
        view! {
            <EnhancedForm action label="Begin">
                <input type="hidden" name="slug" value=slug/>
                <input type="hidden" name="source" value=source/>
                <div class="actions">
                    <button class="primary">"Begin the consensus"</button>
                </div>
            </EnhancedForm>
        }
    });

    view! {
        <p>
            "Nobody has begun to agree on this source. Once you begin, its raters see each other's answers, and \
             can no longer change their own. What all of them said is taken over."
        </p>
        {form}
    }
}

/// An output, or compared outputs, with all that raters said about them.
#[derive(Debug, Clone)]
struct ConsensusCard {
    /// Its place on the page.
    place: String,
    title: String,
    /// The texts that it is about, each with a letter if there are several.
    texts: Vec<(String, String)>,
    rows: Vec<QuestionRow>,
    /// The output to which marks can be added.
    marked: Option<OutputId>,
}

impl ConsensusCard {
    fn open(&self) -> usize {
        self.rows.iter().filter(|row| row.is_open()).count()
    }
}

fn list_cards(consensus: &SourceConsensus, settings: &StudySettings) -> Vec<ConsensusCard> {
    let basis = consensus.basis(settings);
    let raters = consensus.entry.raters.iter();
    let raters: Vec<_> = raters.map(|rater| rater.label.clone()).collect();
    let decided: BTreeMap<_, _> = consensus
        .decided
        .iter()
        .map(|answer| (answer.stored.slot.clone(), answer.clone()))
        .collect();
    let open = basis.open_questions(&consensus.decided);
    let text = |output: &OutputId| {
        let text = consensus.output_text(*output);
        text.unwrap_or_default().to_owned()
    };
    let questions = basis.questions(&consensus.decided);

    let mut cards = vec![];
    let is_about_source =
        |slot: &AnnotationSlot| matches!(slot, AnnotationSlot::Question { output: None, .. });
    let about_source = questions
        .iter()
        .filter(|question| is_about_source(&question.slot));
    let about_source = about_source.map(|question| {
        QuestionRow::Answer(AnswerRow::new(question, &decided, &open, settings, &raters))
    });
    cards.push(ConsensusCard {
        place: "about-source".to_owned(),
        title: "The source".to_owned(),
        texts: vec![],
        rows: about_source.collect(),
        marked: None,
    });

    for (number, of) in (1..).zip(&consensus.outputs) {
        let output = of.output;
        let about = |question: &&ConsensusQuestion| question.slot.output() == Some(output);
        let mut rows: Vec<_> = questions
            .iter()
            .filter(about)
            .map(|question| {
                QuestionRow::Answer(AnswerRow::new(question, &decided, &open, settings, &raters))
            })
            .collect();

        if let Some(slot) = basis.marks_slot(output) {
            let marks = basis.mark_questions(output, &consensus.decided).into_iter();
            rows.extend(marks.map(|question: MarkQuestion| {
                let decided = decided.get(&slot);
                let texts = (consensus.text.as_str(), of.text.as_str());
                let slot = slot.clone();
                QuestionRow::Mark(MarkRow::new(
                    slot, question, decided, &open, texts, settings,
                ))
            }));
        }

        cards.push(ConsensusCard {
            place: format!("output-{number}"),
            title: format!("Output {number}"),
            texts: vec![(String::new(), of.text.clone())],
            rows,
            marked: settings.protocol.mark_spans_step().map(|_| output),
        });
    }

    let mut compared: Vec<(Vec<OutputId>, Vec<QuestionRow>)> = vec![];
    for question in &questions {
        let AnnotationSlot::Comparison { outputs, .. } = &question.slot else {
            continue;
        };
        let row = QuestionRow::Answer(AnswerRow::new(question, &decided, &open, settings, &raters));
        match compared.iter_mut().find(|(known, _)| known == outputs) {
            Some((_, rows)) => rows.push(row),
            None => compared.push((outputs.clone(), vec![row])),
        }
    }

    for (number, (outputs, rows)) in (1..).zip(compared) {
        let letters = ('A'..='Z').map(|letter| letter.to_string());
        cards.push(ConsensusCard {
            place: format!("comparison-{number}"),
            title: format!("Comparison {number}"),
            texts: letters.zip(outputs.iter().map(text)).collect(),
            rows,
            marked: None,
        });
    }

    cards.retain(|card| !card.rows.is_empty() || card.marked.is_some());
    cards
}

#[component]
fn Cards<'a>(
    slug: String,
    consensus: SourceConsensus,
    settings: &'a StudySettings,
    cards: Vec<ConsensusCard>,
    /// Whether answers can be changed now.
    takes: bool,
    /// Whether the person takes part in the consensus.
    decides: bool,
) -> impl IntoView {
    let source = consensus.entry.source.to_string();
    let open: usize = cards.iter().map(ConsensusCard::open).sum();
    let differences: usize = cards
        .iter()
        .flat_map(|card| &card.rows)
        .filter(|row| !row.is_shared())
        .count();
    let questions: usize = cards.iter().map(|card| card.rows.len()).sum();
    let raters = consensus.entry.raters.iter();
    let raters: Vec<_> = raters.map(|rater| rater.label.clone()).collect();

    let (differing, shared): (Vec<_>, Vec<_>) = cards
        .into_iter()
        .partition(|card| !card.rows.iter().all(QuestionRow::is_settled));
    let state = match consensus.entry.state {
        ConsensusState::Agreed(at) => view! {
            <p class="done">"Finished " <Moment ms=at/> ". Figures of consensus count these answers."</p>
        }
        .into_any(),
        _ => (open == 0)
            .then(|| view! { <p>"Everything is decided. Finish the consensus so that it counts."</p> })
            .into_any(),
    };

    let hidden = || {
        view! {
            <input type="hidden" name="slug" value=slug.clone()/>
            <input type="hidden" name="source" value=source.clone()/>
        }
    };
    let (deciding_fields, reopening_fields) = (hidden(), hidden());
    let (deciding, reopening) = (
        links::action::<DecideConsensus>(),
        links::action::<ReopenConsensus>(),
    );

    let (mut first_row, mut cards_before) = (0, 0);
    let mut list = |cards: Vec<ConsensusCard>| {
        let card = |card: ConsensusCard| {
            let first = first_row;
            first_row += card.rows.len();
            cards_before += 1;
            let taxonomy = settings.protocol.mark_spans_step().filter(|_| takes);
            let adding = card.marked.zip(taxonomy).map(|(output, step)| {
                draw_adding(cards_before, (output, &card.title), &step.taxonomy)
            });
            view! { <OutputCard raters=raters.clone() card first takes adding/> }
        };
        view! { <ol class="consensus-cards">{cards.into_iter().map(card).collect_view()}</ol> }
    };

    let (differ, same) = (!differing.is_empty(), shared.len());
    let differing = list(differing);
    let shared = (same > 0).then(|| {
        view! {
            <details class="consensus-shared" open=!differ>
                <summary>{format!("All raters say the same of {}", count_noun(same, "output"))}</summary>
                {list(shared)}
            </details>
        }
    });
    let cards = view! {
        {differ.then(|| view! { <h2 id=DIFFERENCES>"Where the raters differ"</h2> })}
        {differing}
        {shared}
    };

    // One form with one button, so that no decision is left unsaved.
    let form = match takes {
        false => cards.into_any(),
        true => view! {
            <EnhancedForm action=deciding label="Consensus">
                {deciding_fields}
                {cards}
                <div class="actions sticky-actions">
                    <button>"Save"</button>
                    <button class="primary" name="then" value=FINISH>"Finish the consensus"</button>
                    {(open > 0).then(|| view! {
                        <span class="soft">{format!("{} left to decide", count_noun(open, "question"))}</span>
                    })}
                </div>
            </EnhancedForm>
        }
        .into_any(),
    };

    let is_finished = matches!(consensus.entry.state, ConsensusState::Agreed(_));
    let reopen = (decides && is_finished).then(|| {
        view! {
            <EnhancedForm action=reopening label="Reopen">
                {reopening_fields}
                <div class="actions"><button>"Reopen the consensus"</button></div>
            </EnhancedForm>
        }
    });

    view! {
        <dl class="facts">
            <div><dt>"Questions"</dt><dd>{questions}</dd></div>
            <div><dt>"Answered differently"</dt><dd>{differences}</dd></div>
            <div><dt>"Left to decide"</dt><dd>{open}</dd></div>
        </dl>
        {state}
        {form}
        {reopen}
    }
}

/// The control that adds marks that no rater made to an output, the `number`th card of the page.
fn draw_adding(
    number: usize,
    (output, title): (OutputId, &str),
    taxonomy: &SpanTaxonomy,
) -> AnyView {
    let field = |part: &str| format!("additions[{}][{part}]", number - 1);
    let help = format!("add-marks-{number}");

    view! {
        <details class="add-marks">
            <summary>"Add a mark that nobody made"</summary>
            <input type="hidden" name=field("output") value=output.to_string()/>
            <TextArea
                name=field("lines")
                value=""
                rows=2
                described_by=help.clone()
                label=format!("Marks to add to {title}")
            />
            <p class="soft" id=help>
                {explain_mark_lines("mark", taxonomy)}
                {(!taxonomy.levels.is_empty()).then_some(" You choose the level once the mark is saved.")}
            </p>
        </details>
    }
    .into_any()
}

/// Questions, each with its place among those of the page, as a table.
fn rows_table(
    rows: Vec<(usize, QuestionRow)>,
    raters: &[String],
    takes: bool,
) -> impl IntoView + use<> {
    let rows = rows.into_iter();
    let rows = rows.map(|(at, row)| row.into_view(at, raters, takes));
    let heads = raters.iter().cloned();
    let heads = heads.map(|label| view! { <th scope="col">{label}</th> });

    view! {
        <table class="fold consensus-table">
            <thead>
                <tr>
                    <th scope="col">"Question"</th>
                    {heads.collect_view()}
                    <th scope="col">"Consensus"</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

#[component]
fn OutputCard(
    /// The raters as the page names them.
    raters: Vec<String>,
    card: ConsensusCard,
    /// The number of rows before it on the page.
    first: usize,
    takes: bool,
    /// The control that adds marks, if marks can be added.
    adding: Option<AnyView>,
) -> impl IntoView {
    let open = card.open();
    let id = card.place;
    let heading = format!("{id}-title");
    let labelled_by = heading.clone();
    let text = |(letter, text): (String, String)| {
        let letter = (!letter.is_empty()).then(|| view! { <b>{letter}": "</b> });
        view! { <p class="text">{letter} {text}</p> }
    };

    let rows = (first..).zip(card.rows);
    let (settled, others): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row.is_settled());
    let count = settled.len();
    let table = match (others.is_empty(), settled.is_empty()) {
        (true, true) => view! { <p class="soft">"Nobody marked anything."</p> }.into_any(),
        // The card is folded as a whole.
        (true, false) => rows_table(settled, &raters, takes).into_any(),
        (false, true) => rows_table(others, &raters, takes).into_any(),
        (false, false) => view! {
            {rows_table(others, &raters, takes)}
            <details class="consensus-shared">
                <summary>{format!("All raters say the same on {}", count_noun(count, "question"))}</summary>
                {rows_table(settled, &raters, takes)}
            </details>
        }
        .into_any(),
    };

    let state = match open {
        0 => view! { <span class="tag">"decided"</span> }.into_any(),
        open => view! { <span class="tag open">{format!("{open} to decide")}</span> }.into_any(),
    };

    view! {
        <li class="card" id=id aria-labelledby=labelled_by>
            <header>
                <h3 id=heading>{card.title}</h3>
                {state}
            </header>
            {card.texts.into_iter().map(text).collect_view()}
            {table}
            {adding}
        </li>
    }
}
