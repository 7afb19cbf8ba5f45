//! The choice of an annotator's next source.

use std::{cmp::Reverse, collections::HashSet};

use domain::{
    ids::{AssignmentId, SourceId},
    study::{AssignmentState, SourcePurpose},
};

use super::LEASE;

/// A source of the study, as one annotator sees it.
#[derive(Debug, Clone)]
pub(super) struct SourceCandidate {
    pub(super) source: SourceId,
    pub(super) purpose: SourcePurpose,
    pub(super) position: i64,
    /// Among sources with equally many raters, the highest priority comes first.
    pub(super) priority: i64,
    /// The number of raters that it should get among those counted with the annotator.
    pub(super) overlap: u32,
    /// The annotator's own assignment to it, with its state and the reason for its end.
    pub(super) mine: Option<(AssignmentId, AssignmentState, String)>,
    /// Whether the lead gave single outputs of it back to the annotator.
    pub(super) asked: bool,
    /// The number of other raters who handed it in or have it on a current lease.
    pub(super) held: u32,
    /// The number of other raters whose lease on it has expired.
    pub(super) expired: u32,
}

/// The source to give to the annotator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SourceChoice {
    /// An assignment that they already have.
    Resume(AssignmentId),
    /// A source that they lost when their lease expired.
    GiveAgain(AssignmentId, SourceId),
    /// A source that is new to them.
    New(SourceId),
    /// No source until they are admitted.
    Wait,
    /// No source until one that is held back is ready.
    Preparing,
    /// No source: all are done or given out.
    Nothing,
}

/// Chooses an annotator's next source. Tutorial, training and qualification come first, in this
/// order. Within each purpose, sources that the lead gave back come first, then open ones, then new
/// ones. An attention item that is due comes before other new sources.
///
/// Among new sources, those with the most raters come first, because they are complete soonest; a
/// place is taken from an expired lease only if none is free. Priority, then position, breaks ties.
pub(super) fn choose(candidates: &[SourceCandidate], admitted: bool) -> SourceChoice {
    let best = candidates
        .iter()
        .filter(|candidate| candidate.is_free())
        .min_by_key(|candidate| candidate.rank());
    let Some(best) = best else {
        return SourceChoice::Nothing;
    };

    match &best.mine {
        Some((id, AssignmentState::Open | AssignmentState::HandedIn, _)) => {
            SourceChoice::Resume(*id)
        }
        _ if best.purpose.as_shown() == SourcePurpose::Main && !admitted => SourceChoice::Wait,
        Some((id, ..)) => SourceChoice::GiveAgain(*id, best.source),
        None => SourceChoice::New(best.source),
    }
}

/// Like [`choose`], but never gives a source that is held back: another one for the same purpose is
/// given if there is one.
pub(super) fn choose_ready(
    candidates: &[SourceCandidate],
    held_back: &HashSet<SourceId>,
    admitted: bool,
) -> SourceChoice {
    let choice = choose(candidates, admitted);
    let (SourceChoice::New(source) | SourceChoice::GiveAgain(_, source)) = choice else {
        return choice;
    };
    if !held_back.contains(&source) {
        return choice;
    }

    let best = candidates
        .iter()
        .find(|candidate| candidate.source == source);
    let ready: Vec<SourceCandidate> = candidates
        .iter()
        .filter(|candidate| {
            Some(candidate.purpose.as_shown()) == best.map(|best| best.purpose.as_shown())
        })
        .filter(|candidate| !held_back.contains(&candidate.source))
        .cloned()
        .collect();

    match choose(&ready, admitted) {
        SourceChoice::Nothing => SourceChoice::Preparing,
        other => other,
    }
}

impl SourceCandidate {
    /// Whether the annotator has it open or could be given it.
    pub(super) fn is_free(&self) -> bool {
        match &self.mine {
            Some((_, AssignmentState::Open, _)) => true,
            Some((_, AssignmentState::HandedIn, _)) => self.asked,
            Some((_, AssignmentState::Released, reason)) if reason == LEASE => self.has_room(),
            Some(_) => false,
            None => self.has_room(),
        }
    }

    /// Whether it can get one more rater.
    pub(super) fn has_room(&self) -> bool {
        self.purpose != SourcePurpose::Main || self.held < self.overlap
    }

    /// The number of expired leases that must end to make room for another rater.
    pub(super) const fn leases_to_release(&self) -> u32 {
        (self.held + self.expired + 1).saturating_sub(self.overlap)
    }

    fn rank(&self) -> impl Ord + use<> {
        let purpose = match self.purpose {
            SourcePurpose::Tutorial => 0,
            SourcePurpose::Training => 1,
            SourcePurpose::Qualification => 2,
            SourcePurpose::Main | SourcePurpose::Attention => 3,
        };
        let open = match &self.mine {
            Some((_, AssignmentState::HandedIn, _)) if self.asked => 0,
            Some((_, AssignmentState::Open, _)) => 1,
            _ => 2,
        };

        let main = self.purpose == SourcePurpose::Main;
        let takes = main && self.leases_to_release() > 0;
        let raters = if main { self.held + self.expired } else { 0 };
        // Only an item that is due is among the candidates.
        let follows_item = main;
        (
            purpose,
            open,
            follows_item,
            takes,
            Reverse(raters),
            Reverse(self.priority),
            self.position,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(n: u128) -> SourceId {
        SourceId(uuid::Uuid::from_u128(n))
    }

    fn mine(
        n: u128,
        state: AssignmentState,
        reason: &str,
    ) -> (AssignmentId, AssignmentState, String) {
        (AssignmentId(uuid::Uuid::from_u128(n)), state, reason.into())
    }

    fn main(n: u128, held: u32, expired: u32) -> SourceCandidate {
        SourceCandidate {
            source: source(n),
            purpose: SourcePurpose::Main,
            position: i64::try_from(n).unwrap(),
            priority: 0,
            overlap: 3,
            mine: None,
            asked: false,
            held,
            expired,
        }
    }

    #[test]
    fn the_source_with_the_most_raters_comes_first() {
        let check = |candidates: &[SourceCandidate], expect| {
            assert_eq!(choose(candidates, true), expect, "{candidates:?}");
        };
        check(&[], SourceChoice::Nothing);
        check(
            &[main(1, 0, 0), main(2, 0, 0)],
            SourceChoice::New(source(1)),
        );
        check(
            &[main(1, 0, 0), main(2, 2, 0), main(3, 2, 0)],
            SourceChoice::New(source(2)),
        );
        check(&[main(1, 3, 0), main(2, 3, 0)], SourceChoice::Nothing);
        // A place whose lease ran out is taken only when no other is free.
        check(
            &[main(1, 2, 1), main(2, 0, 0)],
            SourceChoice::New(source(2)),
        );
        check(
            &[main(1, 2, 1), main(2, 3, 0)],
            SourceChoice::New(source(1)),
        );
        check(
            &[main(1, 1, 1), main(2, 1, 0)],
            SourceChoice::New(source(1)),
        );
    }

    #[test]
    fn priority_decides_among_sources_with_equally_many_raters() {
        let first = |n, held| SourceCandidate {
            priority: 1,
            ..main(n, held, 0)
        };
        let check = |candidates: &[SourceCandidate], expect| {
            assert_eq!(choose(candidates, true), expect, "{candidates:?}");
        };
        check(&[main(1, 0, 0), first(2, 0)], SourceChoice::New(source(2)));
        check(&[main(1, 1, 0), first(2, 0)], SourceChoice::New(source(1)));
        check(&[main(1, 0, 0), first(2, 3)], SourceChoice::New(source(1)));
    }

    #[test]
    fn each_source_gets_its_own_number_of_raters() {
        let with_own = |n, held, overlap| SourceCandidate {
            overlap,
            ..main(n, held, 0)
        };
        let check = |candidates: &[SourceCandidate], expect| {
            assert_eq!(choose(candidates, true), expect, "{candidates:?}");
        };
        check(&[with_own(1, 3, 10)], SourceChoice::New(source(1)));
        check(&[with_own(1, 1, 1)], SourceChoice::Nothing);
        check(
            &[with_own(1, 3, 10), main(2, 2, 0)],
            SourceChoice::New(source(1)),
        );
        check(
            &[with_own(1, 1, 1), main(2, 0, 0)],
            SourceChoice::New(source(2)),
        );
        // Once the number is lowered, nobody loses it and nobody else gets it.
        check(&[with_own(1, 5, 2)], SourceChoice::Nothing);
    }

    #[test]
    fn what_is_open_comes_before_anything_new() {
        let mut open = main(2, 0, 0);
        open.mine = Some(mine(9, AssignmentState::Open, ""));
        let all = [main(1, 2, 0), open];
        let expect = SourceChoice::Resume(AssignmentId(uuid::Uuid::from_u128(9)));
        assert_eq!(choose(&all, true), expect);
        assert_eq!(choose(&all, false), expect);
    }

    #[test]
    fn what_the_lead_asks_about_comes_before_what_is_open() {
        let mut open = main(1, 0, 0);
        open.mine = Some(mine(8, AssignmentState::Open, ""));
        let mut asked = main(2, 3, 0);
        asked.mine = Some(mine(9, AssignmentState::HandedIn, ""));
        let resumed = |n| SourceChoice::Resume(AssignmentId(uuid::Uuid::from_u128(n)));
        let all = |asked: &SourceCandidate| [open.clone(), asked.clone()];
        assert_eq!(choose(&all(&asked), false), resumed(8));
        asked.asked = true;
        assert_eq!(choose(&all(&asked), false), resumed(9));
    }

    #[test]
    fn a_source_that_was_skipped_or_taken_away_does_not_come_back() {
        let again = |state, reason: &str| {
            let mut candidate = main(1, 0, 0);
            candidate.mine = Some(mine(9, state, reason));
            choose(&[candidate], true)
        };
        assert_eq!(
            again(AssignmentState::Skipped, "too hard"),
            SourceChoice::Nothing
        );
        assert_eq!(again(AssignmentState::HandedIn, ""), SourceChoice::Nothing);
        assert_eq!(
            again(AssignmentState::Released, "by the lead"),
            SourceChoice::Nothing
        );
        let id = AssignmentId(uuid::Uuid::from_u128(9));
        assert_eq!(
            again(AssignmentState::Released, LEASE),
            SourceChoice::GiveAgain(id, source(1))
        );
    }

    #[test]
    fn preparation_comes_first_and_is_for_everybody() {
        let prepare = |n, purpose| SourceCandidate {
            purpose,
            ..main(n, 50, 0)
        };
        let tutorial = prepare(4, SourcePurpose::Tutorial);
        let training = prepare(3, SourcePurpose::Training);
        let qualification = prepare(2, SourcePurpose::Qualification);
        let all = [main(1, 0, 0), qualification, training, tutorial];
        assert_eq!(choose(&all, false), SourceChoice::New(source(4)));
        assert_eq!(choose(&all[..3], false), SourceChoice::New(source(3)));
        assert_eq!(choose(&all[..2], false), SourceChoice::New(source(2)));
        assert_eq!(choose(&all[..1], false), SourceChoice::Wait);
        assert_eq!(choose(&all[..1], true), SourceChoice::New(source(1)));
    }

    #[test]
    fn an_attention_item_comes_before_other_new_sources_and_only_to_those_who_are_admitted() {
        let item = |n| SourceCandidate {
            purpose: SourcePurpose::Attention,
            ..main(n, 50, 0)
        };
        let all = [main(1, 2, 0), item(9)];
        assert_eq!(choose(&all, true), SourceChoice::New(source(9)));
        assert_eq!(choose(&all, false), SourceChoice::Wait);
        assert_eq!(choose(&all[1..], false), SourceChoice::Wait);
        let mut open = main(1, 2, 0);
        open.mine = Some(mine(7, AssignmentState::Open, ""));
        let resumed = SourceChoice::Resume(AssignmentId(uuid::Uuid::from_u128(7)));
        assert_eq!(choose(&[open, item(9)], true), resumed);
        // Where the rater lost it to a lease and its edits are made again, another source is given meanwhile.
        let mut lost = item(9);
        lost.mine = Some(mine(8, AssignmentState::Released, LEASE));
        let held_back = HashSet::from([source(9)]);
        assert_eq!(
            choose_ready(&[main(1, 2, 0), lost], &held_back, true),
            SourceChoice::New(source(1))
        );
    }

    #[test]
    fn a_source_that_is_held_back_is_given_to_nobody() {
        let check = |candidates: &[SourceCandidate], held_back: &[u128], expect| {
            let held_back = held_back.iter().map(|n| source(*n)).collect();
            assert_eq!(choose_ready(candidates, &held_back, true), expect);
        };
        let two = [main(1, 0, 0), main(2, 0, 0)];
        check(&two, &[], SourceChoice::New(source(1)));
        check(&two, &[1], SourceChoice::New(source(2)));
        check(&two, &[1, 2], SourceChoice::Preparing);
        check(&[main(1, 3, 0)], &[1], SourceChoice::Nothing);
        // An annotator keeps what they have open.
        let mut open = main(1, 0, 0);
        open.mine = Some(mine(9, AssignmentState::Open, ""));
        let resumed = SourceChoice::Resume(AssignmentId(uuid::Uuid::from_u128(9)));
        check(&[open], &[1], resumed);
        // Nobody begins with the sources of the study because their tutorial is not ready yet.
        let tutorial = SourceCandidate {
            purpose: SourcePurpose::Tutorial,
            ..main(3, 0, 0)
        };
        check(&[main(1, 0, 0), tutorial], &[3], SourceChoice::Preparing);
    }

    #[test]
    fn only_as_many_leases_end_as_must() {
        let check = |held, expired, expect| {
            assert_eq!(main(1, held, expired).leases_to_release(), expect);
        };
        check(0, 1, 0);
        check(1, 2, 1);
        check(2, 1, 1);
        check(0, 5, 3);
    }
}
