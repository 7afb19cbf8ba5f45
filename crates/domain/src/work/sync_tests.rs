//! A minimal model of the server, and drafts that talk to it over an unreliable connection.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{
    category::Category,
    ids::AnnotationId,
    questions::QuestionAnswer,
    score::RatingScale,
    span::Span,
    span_marks::SpanMark,
    work::{
        change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, SaveOutcome, StoredAnswer},
        draft::AnnotationDraft,
        history::UndoGrouping,
        test_tasks::{id, output, rating, task, unjudged},
        unjudged::UnjudgedReason,
    },
};

#[derive(Default)]
struct ModelServer {
    current: BTreeMap<AnnotationSlot, StoredAnswer>,
    history: Vec<AnnotationChange>,
}

impl ModelServer {
    fn accept(&mut self, change: &AnnotationChange) -> SaveOutcome {
        let AnnotationChange {
            id,
            supersedes,
            slot,
            answer,
        } = change.clone();
        if self
            .history
            .iter()
            .any(|earlier_change| earlier_change.id == id)
        {
            return SaveOutcome::Saved { id };
        }
        if self.is_barred(&slot, &answer) {
            let reason = "the output has scores, or a reason why it has none".to_owned();
            return SaveOutcome::Refused { id, reason };
        }
        let current = self.current.get(&slot);
        if current.map(|c| c.id) != supersedes {
            return SaveOutcome::Conflict {
                id,
                current: current.cloned(),
            };
        }
        self.history.push(change.clone());
        self.current
            .insert(slot.clone(), StoredAnswer { id, slot, answer });
        SaveOutcome::Saved { id }
    }

    /// Whether an output would have both scores and a reason why it has none.
    fn is_barred(&self, slot: &AnnotationSlot, answer: &AnnotationAnswer) -> bool {
        let others = self.current.values().filter(|stored| {
            stored.slot.output() == slot.output() && stored.answer != stored.slot.unanswered()
        });
        let is_rating = |answer: &AnnotationAnswer| matches!(answer, AnnotationAnswer::Rating(_));
        let is_reason = |answer: &AnnotationAnswer| matches!(answer, AnnotationAnswer::Unjudged(_));
        let mut others = others.map(|stored| &stored.answer);
        *answer != slot.unanswered()
            && others.any(|other| {
                (is_rating(answer) && is_reason(other)) || (is_reason(answer) && is_rating(other))
            })
    }

    fn draft(&self) -> AnnotationDraft {
        let mut task = task(4);
        task.answers = self.current.values().cloned().collect();
        AnnotationDraft::new(task)
    }
}

/// A browser with its queue.
struct ModelBrowser {
    draft: AnnotationDraft,
    queue: Vec<AnnotationChange>,
    next: u128,
}

impl ModelBrowser {
    fn new(server: &ModelServer, next: u128) -> Self {
        Self {
            draft: server.draft(),
            queue: vec![],
            next,
        }
    }

    fn id(&mut self) -> AnnotationId {
        self.next += 1;
        id(self.next)
    }

    fn act(&mut self, what: (AnnotationSlot, AnnotationAnswer)) {
        let next = &mut self.next;
        let new_id = || {
            *next += 1;
            id(*next)
        };
        self.queue.extend(
            self.draft
                .apply_action([what], UndoGrouping::Separate, new_id),
        );
    }

    /// Sends the first `n` changes of the queue; if the response is lost they stay in it.
    fn send(&mut self, server: &mut ModelServer, n: usize, answer_lost: bool) {
        let n = n.min(self.queue.len());
        let batch: Vec<AnnotationChange> = self.queue[..n].to_vec();
        let outcomes: Vec<SaveOutcome> = batch.iter().map(|c| server.accept(c)).collect();
        if !answer_lost {
            self.queue.drain(..n);
            for (change, outcome) in batch.iter().zip(&outcomes) {
                self.draft.apply_outcome(change, outcome);
            }
        }
    }

    fn reload(&mut self, server: &ModelServer) {
        self.draft = server.draft();
        self.draft.replay(self.queue.clone());
    }

    fn settle_all(&mut self, server: &mut ModelServer, mine: bool) {
        for _ in 0..3 {
            self.send(server, usize::MAX, false);
            for slot in self.draft.conflicts().keys().cloned().collect::<Vec<_>>() {
                if mine {
                    let id = self.id();
                    self.queue.extend(self.draft.keep_mine(&slot, || id));
                } else {
                    self.draft.take_theirs(&slot);
                }
            }
        }
    }
}

#[derive(Debug, Clone)]
enum ModelEvent {
    Rate(u32, Option<i32>),
    Unjudge(u32, Option<UnjudgedReason>),
    /// Marks an output from its start to an offset; none: takes its marks back.
    MarkSpan(u32, Option<usize>),
    /// Answers a question about an output, or about the source; none: takes the answer back.
    Answer(Option<u32>, Option<QuestionAnswer>),
    /// Writes a text; none: takes back the one that was written.
    Write(Option<String>),
    Put(u32, Category),
    Undo,
    Redo,
    Send(usize, bool),
    Reload,
}

fn event_with_reasons() -> impl Strategy<Value = ModelEvent> {
    let reasons = proptest::option::of(proptest::sample::select(UnjudgedReason::ALL));
    prop_oneof![
        4 => event(),
        1 => (1u32..=2, reasons).prop_map(|(o, reason)| ModelEvent::Unjudge(o, reason)),
    ]
}

fn question_answer() -> impl Strategy<Value = QuestionAnswer> {
    prop_oneof![
        "[ab]".prop_map(QuestionAnswer::One),
        Just(QuestionAnswer::Several(vec![
            "a".to_owned(),
            "b".to_owned()
        ])),
        "[a-c]{1,2}".prop_map(QuestionAnswer::Text),
    ]
}

/// The slot of a question about output `n`, or about the source.
fn question(n: Option<u32>) -> AnnotationSlot {
    AnnotationSlot::Question {
        output: n.map(output),
        key: "missing".to_owned(),
    }
}

fn event() -> impl Strategy<Value = ModelEvent> {
    prop_oneof![
        4 => (1u32..=2, proptest::option::of(0i32..3)).prop_map(|(o, s)| ModelEvent::Rate(o, s)),
        2 => (1u32..=2, proptest::sample::select(&Category::ALL[..])).prop_map(|(o, c)| ModelEvent::Put(o, c)),
        2 => (1u32..=2, proptest::option::of(1usize..4)).prop_map(|(o, end)| ModelEvent::MarkSpan(o, end)),
        2 => (proptest::option::of(1u32..=2), proptest::option::of(question_answer()))
            .prop_map(|(o, answer)| ModelEvent::Answer(o, answer)),
        2 => proptest::option::of("[a-c ]{0,2}").prop_map(ModelEvent::Write),
        1 => Just(ModelEvent::Undo),
        1 => Just(ModelEvent::Redo),
        3 => (0usize..5, any::<bool>()).prop_map(|(n, lost)| ModelEvent::Send(n, lost)),
        1 => Just(ModelEvent::Reload),
    ]
}

fn apply_event(browser: &mut ModelBrowser, server: &mut ModelServer, event: ModelEvent) {
    match event {
        ModelEvent::Rate(n, score) => browser.act(rating(n, score)),
        ModelEvent::Unjudge(n, reason) => browser.act(unjudged(n, reason)),
        ModelEvent::MarkSpan(n, end) => {
            let mark = |end| SpanMark {
                output: vec![Span::new(0, end)],
                ..SpanMark::default()
            };
            let marks = end.map(|end| vec![mark(end)]);
            let slot = AnnotationSlot::Marks { output: output(n) };
            browser.act((slot, AnnotationAnswer::Marks(marks)));
        }
        ModelEvent::Answer(n, answer) => {
            browser.act((question(n), AnnotationAnswer::Question(answer)));
        }
        ModelEvent::Write(text) => {
            browser.act((AnnotationSlot::Text, AnnotationAnswer::Text(text)));
        }
        ModelEvent::Put(n, category) => {
            browser.act(browser.draft.placement_answer(output(n), category))
        }
        ModelEvent::Undo | ModelEvent::Redo => {
            let mut next = browser.next;
            let new_id = || {
                next += 1;
                id(next)
            };
            let returned = match event {
                ModelEvent::Undo => browser.draft.undo(new_id),
                _ => browser.draft.redo(new_id),
            };
            browser.next = next;
            browser
                .queue
                .extend(returned.into_iter().flat_map(|r| r.changes));
        }
        ModelEvent::Send(n, lost) => browser.send(server, n, lost),
        ModelEvent::Reload => browser.reload(server),
    }
}

fn answers(draft: &AnnotationDraft) -> Vec<AnnotationAnswer> {
    let ratings = (1..=4).map(|n| draft.answer(&rating(n, None).0));
    let groups = (1..=4).map(|n| draft.answer(&AnnotationSlot::Category { output: output(n) }));
    let reasons = (1..=4).map(|n| draft.answer(&unjudged(n, None).0));
    let marks = (1..=4).map(|n| draft.answer(&AnnotationSlot::Marks { output: output(n) }));
    let questions = [None, Some(1), Some(2)].map(|n| draft.answer(&question(n)));
    let given = ratings.chain(groups).chain(reasons).chain(marks);
    let text = draft.answer(&AnnotationSlot::Text);
    given.chain(questions).chain([text]).collect()
}

fn holds_scores_beside_reason(server: &ModelServer, draft: &AnnotationDraft) -> bool {
    let stored = server.current.values();
    let mut stored = stored.filter(|stored| stored.answer != stored.slot.unanswered());
    let both =
        |n| draft.unjudged(output(n)).is_some() && draft.rating(output(n), "overall").is_some();
    (1..=4).any(both) || stored.any(|stored| server.is_barred(&stored.slot, &stored.answer))
}

proptest! {
    /// One browser, with any losses on the way: in the end it shows the server's state, and it
    /// never has a conflict with itself.
    #[test]
    fn one_browser_never_disagrees_with_itself(events in proptest::collection::vec(event_with_reasons(), 0..60)) {
        let mut server = ModelServer::default();
        let mut browser = ModelBrowser::new(&server, 0);
        for event in events {
            apply_event(&mut browser, &mut server, event);
            prop_assert!(browser.draft.conflicts().is_empty());
            for n in 1..=4 {
                let is_rated = browser.draft.answer(&rating(n, None).0) != AnnotationAnswer::Rating(None);
                prop_assert!(!is_rated || browser.draft.unjudged(output(n)).is_none());
            }
            prop_assert!(!holds_scores_beside_reason(&server, &browser.draft));
        }
        let shown = answers(&browser.draft);
        browser.send(&mut server, usize::MAX, false);
        prop_assert_eq!(browser.draft.unsaved_count(), 0);
        prop_assert_eq!(&answers(&browser.draft), &shown);
        prop_assert_eq!(&answers(&server.draft()), &shown);
    }

    /// Two devices at once: each conflict is shown, no answer is lost, and once all conflicts are
    /// resolved both show the server's state.
    #[test]
    fn two_devices_come_to_agree(events in proptest::collection::vec((any::<bool>(), event()), 0..60), mine: bool) {
        let mut server = ModelServer::default();
        let mut one = ModelBrowser::new(&server, 0);
        let mut two = ModelBrowser::new(&server, 1 << 64);
        for (first, event) in events {
            apply_event(if first { &mut one } else { &mut two }, &mut server, event);
        }
        one.settle_all(&mut server, mine);
        two.settle_all(&mut server, false);
        prop_assert!(one.queue.is_empty() && two.queue.is_empty());
        prop_assert!(one.draft.conflicts().is_empty() && two.draft.conflicts().is_empty());
        prop_assert_eq!(one.draft.unsaved_count() + two.draft.unsaved_count(), 0);
        one.reload(&server);
        prop_assert_eq!(answers(&one.draft), answers(&server.draft()));
        for slot in server.current.keys() {
            let live: Vec<_> = server.history.iter().filter(|c| c.slot == *slot).collect();
            for pair in live.windows(2) {
                prop_assert_eq!(pair[1].supersedes, Some(pair[0].id));
            }
        }
    }

    /// Whatever two devices answer, no output has both scores and a reason why it has none.
    #[test]
    fn no_output_has_scores_beside_a_reason(events in proptest::collection::vec((any::<bool>(), event_with_reasons()), 0..60)) {
        let mut server = ModelServer::default();
        let mut one = ModelBrowser::new(&server, 0);
        let mut two = ModelBrowser::new(&server, 1 << 64);
        for (first, event) in events {
            let browser = if first { &mut one } else { &mut two };
            apply_event(browser, &mut server, event);
            prop_assert!(!holds_scores_beside_reason(&server, &browser.draft));
        }
    }

    /// Undoing everything restores the initial answers; redoing it, the final ones.
    #[test]
    fn undo_and_redo_are_each_others_opposite(acts in proptest::collection::vec((1u32..=4, proptest::option::of(0i32..100), any::<bool>()), 0..30)) {
        let server = ModelServer::default();
        let mut browser = ModelBrowser::new(&server, 0);
        let start = answers(&browser.draft);
        for (n, score, is_judged) in acts {
            let reason = score.map(|_| UnjudgedReason::Unclear);
            browser.act(if is_judged { rating(n, score) } else { unjudged(n, reason) });
        }
        let end = answers(&browser.draft);
        let mut next = 1000;
        let mut new_id = || { next += 1; id(next) };
        while browser.draft.can_undo() { browser.draft.undo(&mut new_id); }
        prop_assert_eq!(answers(&browser.draft), start);
        while browser.draft.can_redo() { browser.draft.redo(&mut new_id); }
        prop_assert_eq!(answers(&browser.draft), end);
    }
}

#[test]
fn a_conflict_shows_what_is_stored_and_keeps_what_was_answered_here() {
    let mut server = ModelServer::default();
    let mut browser = ModelBrowser::new(&server, 0);
    let mut other_browser = ModelBrowser::new(&server, 1 << 64);
    other_browser.act(rating(1, Some(70)));
    other_browser.send(&mut server, 1, false);
    browser.act(rating(1, Some(40)));
    browser.act(rating(1, Some(45)));
    browser.send(&mut server, 2, false);

    let score = |n| AnnotationAnswer::Rating(Some(RatingScale::PERCENT.clamp(n)));
    let slot = rating(1, None).0;
    assert_eq!(browser.draft.answer(&slot), score(70));
    assert_eq!(browser.draft.conflicts()[&slot].mine, score(45));
    assert!(
        !browser.draft.can_undo(),
        "what came from elsewhere is not taken back here"
    );

    let changes = browser.draft.keep_mine(&slot, || id(99));
    assert_eq!(changes.len(), 1);
    assert_eq!(
        server.accept(&changes[0]),
        SaveOutcome::Saved { id: id(99) }
    );
    assert_eq!(browser.draft.answer(&slot), score(45));
}

#[test]
fn the_same_answer_given_twice_is_no_conflict() {
    let mut server = ModelServer::default();
    let mut browser = ModelBrowser::new(&server, 0);
    let mut other_browser = ModelBrowser::new(&server, 1 << 64);
    other_browser.act(rating(1, Some(70)));
    other_browser.send(&mut server, 1, false);
    browser.act(rating(1, Some(70)));
    browser.send(&mut server, 1, false);
    assert!(browser.draft.conflicts().is_empty());
    browser.act(rating(1, Some(71)));
    browser.send(&mut server, 1, false);
    assert_eq!(browser.draft.unsaved_count(), 0);
}

#[test]
fn the_keys_of_a_slider_are_one_action() {
    let mut browser = ModelBrowser::new(&ModelServer::default(), 0);
    let mut new_id = crate::work::test_tasks::counter(0);
    for (score, joining) in [
        (50, UndoGrouping::Separate),
        (51, UndoGrouping::MergeWithPrevious),
        (52, UndoGrouping::MergeWithPrevious),
    ] {
        browser
            .draft
            .apply_action([rating(1, Some(score))], joining, &mut new_id);
    }
    let returned = browser.draft.undo(&mut new_id).expect("an action");
    assert_eq!(returned.output, Some(output(1)));
    assert_eq!(browser.draft.rating(output(1), "overall"), None);
}

#[test]
fn a_history_is_taken_up_as_far_as_it_still_fits() {
    let mut browser = ModelBrowser::new(&ModelServer::default(), 0);
    browser.act(rating(1, Some(10)));
    browser.act(rating(2, Some(20)));
    browser.act(rating(1, Some(11)));
    let history = browser.draft.history().clone();

    let mut fresh = ModelServer::default().draft();
    let (slot, answer) = rating(1, Some(11));
    fresh.set_answer(slot, answer, id(500));
    fresh.restore_history(history);
    let mut new_id = crate::work::test_tasks::counter(600);
    fresh.undo(&mut new_id);
    assert_eq!(fresh.ranking_score(output(1)).map(|s| s.get()), Some(10));
    fresh.undo(&mut new_id);
    assert_eq!(fresh.ranking_score(output(1)), None);
    assert!(!fresh.can_undo(), "output 2 was never rated here");
}
