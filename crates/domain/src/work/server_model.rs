//! What a server does with changes, in thirty lines, and drafts that talk to it over a bad line.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{
    category::Category,
    ids::AnnotationId,
    score::Scale,
    work::{
        change::{Answer, Change, Outcome, Slot, Stored},
        draft::Draft,
        history::Joining,
        testing::{id, output, rating, task},
    },
};

#[derive(Default)]
struct Server {
    current: BTreeMap<Slot, Stored>,
    history: Vec<Change>,
}

impl Server {
    fn take(&mut self, change: &Change) -> Outcome {
        let Change {
            id,
            supersedes,
            slot,
            answer,
        } = change.clone();
        if self.history.iter().any(|known| known.id == id) {
            return Outcome::Saved { id };
        }
        let current = self.current.get(&slot);
        if current.map(|c| c.id) != supersedes {
            return Outcome::Conflict {
                id,
                current: current.cloned(),
            };
        }
        self.history.push(change.clone());
        self.current
            .insert(slot.clone(), Stored { id, slot, answer });
        Outcome::Saved { id }
    }

    fn draft(&self) -> Draft {
        let mut task = task(4);
        task.answers = self.current.values().cloned().collect();
        Draft::new(task)
    }
}

/// A browser with its queue.
struct Browser {
    draft: Draft,
    queue: Vec<Change>,
    next: u128,
}

impl Browser {
    fn new(server: &Server, next: u128) -> Self {
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

    fn act(&mut self, what: (Slot, Answer)) {
        let id = self.id();
        self.queue
            .extend(self.draft.act([what], Joining::Apart, || id));
    }

    /// Sends the first `n` of the queue; where the answer is lost they stay in it.
    fn send(&mut self, server: &mut Server, n: usize, answer_lost: bool) {
        let n = n.min(self.queue.len());
        let batch: Vec<Change> = self.queue[..n].to_vec();
        let outcomes: Vec<Outcome> = batch.iter().map(|c| server.take(c)).collect();
        if !answer_lost {
            self.queue.drain(..n);
            for (change, outcome) in batch.iter().zip(&outcomes) {
                self.draft.settle(change, outcome);
            }
        }
    }

    fn reload(&mut self, server: &Server) {
        self.draft = server.draft();
        self.draft.replay(self.queue.clone());
    }

    fn settle_all(&mut self, server: &mut Server, mine: bool) {
        for _ in 0..3 {
            self.send(server, usize::MAX, false);
            for slot in self.draft.conflicts().keys().cloned().collect::<Vec<_>>() {
                if mine {
                    let id = self.id();
                    self.queue.extend(self.draft.keep_mine(&slot, id));
                } else {
                    self.draft.take_theirs(&slot);
                }
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Event {
    Rate(u32, Option<i32>),
    Put(u32, Category),
    Undo,
    Redo,
    Send(usize, bool),
    Reload,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => (1u32..=2, proptest::option::of(0i32..3)).prop_map(|(o, s)| Event::Rate(o, s)),
        2 => (1u32..=2, proptest::sample::select(&Category::ALL[..])).prop_map(|(o, c)| Event::Put(o, c)),
        1 => Just(Event::Undo),
        1 => Just(Event::Redo),
        3 => (0usize..5, any::<bool>()).prop_map(|(n, lost)| Event::Send(n, lost)),
        1 => Just(Event::Reload),
    ]
}

fn play(browser: &mut Browser, server: &mut Server, event: Event) {
    match event {
        Event::Rate(n, score) => browser.act(rating(n, score)),
        Event::Put(n, category) => browser.act(browser.draft.placed(output(n), category)),
        Event::Undo | Event::Redo => {
            let mut next = browser.next;
            let new_id = || {
                next += 1;
                id(next)
            };
            let returned = match event {
                Event::Undo => browser.draft.undo(new_id),
                _ => browser.draft.redo(new_id),
            };
            browser.next = next;
            browser
                .queue
                .extend(returned.into_iter().flat_map(|r| r.changes));
        }
        Event::Send(n, lost) => browser.send(server, n, lost),
        Event::Reload => browser.reload(server),
    }
}

fn answers(draft: &Draft) -> Vec<Answer> {
    let ratings = (1..=4).map(|n| draft.answer(&rating(n, None).0));
    let groups = (1..=4).map(|n| draft.answer(&Slot::Category { output: output(n) }));
    ratings.chain(groups).collect()
}

proptest! {
    /// One browser, whatever is lost on the way: what it shows is what the server has in the end,
    /// and there is never a conflict with itself.
    #[test]
    fn one_browser_never_disagrees_with_itself(events in proptest::collection::vec(event(), 0..60)) {
        let mut server = Server::default();
        let mut browser = Browser::new(&server, 0);
        for event in events {
            play(&mut browser, &mut server, event);
            prop_assert!(browser.draft.conflicts().is_empty());
        }
        let shown = answers(&browser.draft);
        browser.send(&mut server, usize::MAX, false);
        prop_assert_eq!(browser.draft.unsaved(), 0);
        prop_assert_eq!(&answers(&browser.draft), &shown);
        prop_assert_eq!(&answers(&server.draft()), &shown);
    }

    /// Two devices at once: each conflict is shown, none is lost, and once all are decided both show
    /// what the server has.
    #[test]
    fn two_devices_come_to_agree(events in proptest::collection::vec((any::<bool>(), event()), 0..60), mine: bool) {
        let mut server = Server::default();
        let mut one = Browser::new(&server, 0);
        let mut two = Browser::new(&server, 1 << 64);
        for (first, event) in events {
            play(if first { &mut one } else { &mut two }, &mut server, event);
        }
        one.settle_all(&mut server, mine);
        two.settle_all(&mut server, false);
        prop_assert!(one.queue.is_empty() && two.queue.is_empty());
        prop_assert!(one.draft.conflicts().is_empty() && two.draft.conflicts().is_empty());
        prop_assert_eq!(one.draft.unsaved() + two.draft.unsaved(), 0);
        one.reload(&server);
        prop_assert_eq!(answers(&one.draft), answers(&server.draft()));
        for slot in server.current.keys() {
            let live: Vec<_> = server.history.iter().filter(|c| c.slot == *slot).collect();
            for pair in live.windows(2) {
                prop_assert_eq!(pair[1].supersedes, Some(pair[0].id));
            }
        }
    }

    /// Undoing everything gives the answers at the start back; redoing it, those at the end.
    #[test]
    fn undo_and_redo_are_each_others_opposite(acts in proptest::collection::vec((1u32..=4, proptest::option::of(0i32..100)), 0..30)) {
        let server = Server::default();
        let mut browser = Browser::new(&server, 0);
        let start = answers(&browser.draft);
        for (n, score) in acts {
            browser.act(rating(n, score));
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
    let mut server = Server::default();
    let mut here = Browser::new(&server, 0);
    let mut there = Browser::new(&server, 1 << 64);
    there.act(rating(1, Some(70)));
    there.send(&mut server, 1, false);
    here.act(rating(1, Some(40)));
    here.act(rating(1, Some(45)));
    here.send(&mut server, 2, false);

    let score = |n| Answer::Rating(Some(Scale::PERCENT.clamp(n)));
    let slot = rating(1, None).0;
    assert_eq!(here.draft.answer(&slot), score(70));
    assert_eq!(here.draft.conflicts()[&slot].mine, score(45));
    assert!(
        !here.draft.can_undo(),
        "what came from elsewhere is not taken back here"
    );

    let change = here.draft.keep_mine(&slot, id(99)).expect("a change");
    assert_eq!(server.take(&change), Outcome::Saved { id: id(99) });
    assert_eq!(here.draft.answer(&slot), score(45));
}

#[test]
fn the_same_answer_given_twice_is_no_conflict() {
    let mut server = Server::default();
    let mut here = Browser::new(&server, 0);
    let mut there = Browser::new(&server, 1 << 64);
    there.act(rating(1, Some(70)));
    there.send(&mut server, 1, false);
    here.act(rating(1, Some(70)));
    here.send(&mut server, 1, false);
    assert!(here.draft.conflicts().is_empty());
    here.act(rating(1, Some(71)));
    here.send(&mut server, 1, false);
    assert_eq!(here.draft.unsaved(), 0);
}

#[test]
fn the_keys_of_a_slider_are_one_action() {
    let mut browser = Browser::new(&Server::default(), 0);
    let mut new_id = crate::work::testing::counter(0);
    for (score, joining) in [
        (50, Joining::Apart),
        (51, Joining::Onward),
        (52, Joining::Onward),
    ] {
        browser
            .draft
            .act([rating(1, Some(score))], joining, &mut new_id);
    }
    let returned = browser.draft.undo(&mut new_id).expect("an action");
    assert_eq!(returned.output, Some(output(1)));
    assert_eq!(browser.draft.rating(output(1), "overall"), None);
}

#[test]
fn a_history_is_taken_up_as_far_as_it_still_fits() {
    let mut browser = Browser::new(&Server::default(), 0);
    browser.act(rating(1, Some(10)));
    browser.act(rating(2, Some(20)));
    browser.act(rating(1, Some(11)));
    let kept = browser.draft.history().clone();

    let mut fresh = Server::default().draft();
    let (slot, answer) = rating(1, Some(11));
    fresh.give(slot, answer, id(500));
    fresh.resume_history(kept);
    let mut new_id = crate::work::testing::counter(600);
    fresh.undo(&mut new_id);
    assert_eq!(fresh.ranking_score(output(1)).map(|s| s.get()), Some(10));
    fresh.undo(&mut new_id);
    assert_eq!(fresh.ranking_score(output(1)), None);
    assert!(!fresh.can_undo(), "output 2 was never rated here");
}
