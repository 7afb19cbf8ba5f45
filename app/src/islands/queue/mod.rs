//! The way of an answer to the server: kept by the browser first, sent by one tab at a time, in
//! order, until the server has said what became of it.

mod lock;
mod record;
mod sender;
mod shelf;
mod tabs;

use std::{cell::Cell, rc::Rc};

use domain::{
    ids::{AssignmentId, PersonId, StudyId},
    work::{
        activity::Report,
        change::{Change, Slot},
        known::Known,
        saving::Line,
    },
};
use leptos::{prelude::*, task::spawn_local};
use uuid::Uuid;

use record::{Record, State};
use shelf::{Place, Settlement, Shelf};
pub use tabs::News;
use tabs::Tabs;

/// Whose answers, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Who answers.
    pub person: PersonId,
    /// In which study.
    pub study: StudyId,
    /// To which source.
    pub assignment: AssignmentId,
}

/// What the annotator is shown of the queue.
#[derive(Debug, Clone, Copy)]
pub struct Saving {
    /// How the last attempt to send went.
    pub line: RwSignal<Line>,
    /// Changes that wait to be sent, in all tabs of this person and study.
    pub waiting: RwSignal<usize>,
    /// Why changes were refused, a sentence each.
    pub refused: RwSignal<Vec<String>>,
    /// Changes that the browser does not keep yet: leaving the page would lose them.
    pub unkept: RwSignal<usize>,
}

impl Default for Saving {
    /// Nothing waits.
    fn default() -> Self {
        Self {
            line: RwSignal::new(Line::Up),
            waiting: RwSignal::new(0),
            refused: RwSignal::new(vec![]),
            unkept: RwSignal::new(0),
        }
    }
}

/// What the browser kept of a source from before.
#[derive(Debug, Default)]
pub struct Found {
    /// Answers that the server confirmed, perhaps after the page was made.
    pub known: Vec<Known>,
    /// Changes that the server has not taken, in their order.
    pub waiting: Vec<Change>,
}

/// The queue of one person in one study, as one tab holds it.
#[derive(Clone)]
pub struct Queue(Rc<Inner>);

struct Inner {
    scope: Scope,
    tab: Uuid,
    saving: Saving,
    shelf: Shelf,
    tabs: Tabs,
    heard: Rc<dyn Fn(News)>,
    /// Changes on their way to the disk.
    writing: Cell<usize>,
    sending: Cell<bool>,
    again: Cell<bool>,
    /// Whether an attempt is set for later.
    later: Cell<bool>,
    failed: Cell<u32>,
}

impl Queue {
    /// Opens the queue and says what it holds of the scope's source. From now on `heard` is called
    /// with what other tabs answer and what becomes of changes.
    pub async fn open(
        scope: Scope,
        tab: Uuid,
        saving: Saving,
        heard: impl Fn(News) + 'static,
    ) -> (Self, Found) {
        let shelf = Shelf::open(crate::links::base()).await;
        let heard: Rc<dyn Fn(News)> = Rc::new(heard);
        let tabs = Tabs::listen(&scope.name(), {
            let heard = heard.clone();
            move |news| heard(news)
        });
        let inner = Inner {
            scope,
            tab,
            saving,
            shelf,
            tabs,
            heard,
            writing: Cell::new(0),
            sending: Cell::new(false),
            again: Cell::new(false),
            later: Cell::new(false),
            failed: Cell::new(0),
        };
        let queue = Self(Rc::new(inner));
        let mine = queue.0.records().await;
        let here = mine
            .iter()
            .map(|(_, r)| r)
            .filter(|r| r.assignment == scope.assignment);
        let refused = |r: &&Record| matches!(r.state, State::Refused(_));
        let found = Found {
            known: queue.0.shelf.known(scope.assignment).await,
            waiting: here
                .filter(|r| !refused(r))
                .map(|r| r.change.clone())
                .collect(),
        };
        queue.0.count(&mine);
        (queue, found)
    }

    /// Forgets what was confirmed before the page was made.
    pub fn forget(&self, stale: Vec<Known>) {
        let inner = self.0.clone();
        spawn_local(async move { inner.shelf.forget(inner.scope.assignment, &stale).await });
    }

    /// Keeps changes and sends them.
    pub fn push(&self, changes: Vec<Change>, report: Report) {
        let Scope {
            person,
            study,
            assignment,
        } = self.0.scope;
        self.0.tabs.tell(&News::Given {
            assignment,
            changes: changes.clone(),
        });
        let record = |change| Record::new(person, study, assignment, change);
        let records: Vec<Record> = changes.into_iter().map(record).collect();
        let n = records.len();
        self.0.saving.waiting.update(|waiting| *waiting += n);
        self.0.write(n, true);
        let queue = self.clone();
        let inner = self.0.clone();
        // What is spawned begins in the order in which it was spawned, and with it each write.
        spawn_local(async move {
            inner.shelf.keep(&records, Some((assignment, report))).await;
            inner.write(n, false);
            match inner.saving.line.get_untracked() {
                Line::Up | Line::Sending => queue.send(),
                Line::Down | Line::SignedOut => queue.send_later(),
            }
        });
    }

    /// Tells the other tabs that the annotator is at work here.
    pub fn at_work(&self) {
        self.0.tabs.tell(&News::AtWork);
    }

    /// The annotator has chosen between two answers to `slot`.
    pub fn chosen(&self, slot: &Slot) {
        let (inner, slot) = (self.0.clone(), slot.clone());
        spawn_local(async move {
            let decided = |r: &Record| r.state == State::Conflict && r.change.slot == slot;
            inner.drop_where(decided).await;
        });
    }

    /// Sends what was refused once more.
    pub fn try_again(&self) {
        let queue = self.clone();
        spawn_local(async move {
            let mut records = queue.0.records().await;
            records.retain(|(_, r)| matches!(r.state, State::Refused(_)));
            for (_, record) in &mut records {
                record.state = State::Waiting;
            }
            let settlement = Settlement {
                changed: records,
                ..Settlement::default()
            };
            queue.0.shelf.settle(&settlement).await;
            queue.send();
        });
    }

    /// Drops what was refused.
    pub fn discard_refused(&self) {
        let inner = self.0.clone();
        spawn_local(async move {
            inner
                .drop_where(|r| matches!(r.state, State::Refused(_)))
                .await;
            inner.saving.refused.set(vec![]);
        });
    }
}

impl Inner {
    /// The records of this person in this study.
    async fn records(&self) -> Vec<(Place, Record)> {
        let mut records = self.shelf.records().await;
        records.retain(|(_, r)| r.person == self.scope.person && r.study == self.scope.study);
        records
    }

    fn count(&self, records: &[(Place, Record)]) {
        let waiting = records
            .iter()
            .filter(|(_, r)| r.state == State::Waiting)
            .count();
        self.saving.waiting.set(waiting + self.writing.get());
        self.saving
            .unkept
            .set(self.writing.get() + self.shelf.unkept());
        let reasons = records.iter().filter_map(|(_, r)| match &r.state {
            State::Refused(reason) => Some(reason.clone()),
            _ => None,
        });
        self.saving.refused.set(reasons.collect());
    }

    /// Counts changes that begin or end being written.
    fn write(&self, changes: usize, begins: bool) {
        let writing = self.writing.get();
        self.writing.set(if begins {
            writing + changes
        } else {
            writing - changes
        });
        self.saving
            .unkept
            .set(self.writing.get() + self.shelf.unkept());
    }

    async fn drop_where(&self, which: impl Fn(&Record) -> bool) {
        let records = self.records().await;
        let done = records
            .iter()
            .filter(|(_, r)| which(r))
            .map(|(place, _)| *place)
            .collect();
        self.shelf
            .settle(&Settlement {
                done,
                ..Settlement::default()
            })
            .await;
    }
}

impl Scope {
    /// The name that all tabs of the person and study share.
    fn name(&self) -> String {
        format!("rankrate/{}/{}", self.person, self.study)
    }
}
