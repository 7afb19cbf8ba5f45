use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// A study with its participants, as the store holds it.
struct SimulatedStudy {
    design: ComprehensionDesign,
    load: CellLoad,
    joined: u64,
    reading: Vec<Vec<DesignCell>>,
}

impl SimulatedStudy {
    fn new(design: ComprehensionDesign, passages: usize, conditions: usize) -> Self {
        Self {
            design: design.validate().unwrap(),
            load: CellLoad::new(passages, conditions, |_| true),
            joined: 0,
            reading: vec![],
        }
    }

    fn join(&mut self, seed: u64) -> usize {
        let cells = self.design.assign(&self.load, self.joined, seed);
        self.joined += 1;
        cells.iter().for_each(|cell| self.load.add(*cell));
        let texts = cells.len();
        self.reading.push(cells);
        texts
    }

    fn leave(&mut self, which: usize) {
        if !self.reading.is_empty() {
            let cells = self.reading.swap_remove(which % self.reading.len());
            cells.iter().for_each(|cell| self.load.remove(*cell));
        }
    }

    fn counts(&self, condition: Option<usize>) -> Vec<u32> {
        let conditions = 0..self.load.conditions();
        let chosen_conditions =
            conditions.filter(|at| condition.is_none_or(|condition| condition == *at));
        let cells = chosen_conditions.flat_map(|condition| {
            (0..self.load.passages()).map(move |passage| DesignCell { passage, condition })
        });
        cells.filter_map(|cell| self.load.readers(cell)).collect()
    }
}

fn span(counts: &[u32]) -> u32 {
    counts.iter().max().unwrap_or(&0) - counts.iter().min().unwrap_or(&0)
}

fn designs() -> impl Strategy<Value = ComprehensionDesign> {
    let spread = prop_oneof![
        Just(ConditionSpread::Between),
        Just(ConditionSpread::Within)
    ];
    let ties = prop_oneof![Just(TieBreak::LatinSquare), Just(TieBreak::Random)];
    (1..4_u32, 1..8_u32, spread, ties).prop_map(|(readers, texts, spread, ties)| {
        ComprehensionDesign {
            readers,
            texts,
            spread,
            ties,
            doubly: 0,
        }
    })
}

#[test]
fn the_paper_sixty_passages_eleven_conditions_one_reader_each() {
    for ties in [TieBreak::LatinSquare, TieBreak::Random] {
        let design = ComprehensionDesign {
            ties,
            ..ComprehensionDesign::default()
        };
        let mut study = SimulatedStudy::new(design, 60, 11);
        for participant in 0..110 {
            assert_eq!(study.join(participant), 6);
            assert!(span(&study.counts(None)) <= 1);
        }
        assert_eq!(study.counts(None), vec![1; 660]);
        assert_eq!(study.join(110), 0, "all is read");
    }
}

#[test]
fn a_latin_square_turns_conditions_over_passages() {
    let design = ComprehensionDesign {
        readers: 1,
        texts: 3,
        spread: ConditionSpread::Within,
        ties: TieBreak::LatinSquare,
        doubly: 0,
    };
    let mut study = SimulatedStudy::new(design, 3, 3);
    for participant in 0..3 {
        study.join(participant);
        let conditions: BTreeSet<_> = study
            .reading
            .last()
            .unwrap()
            .iter()
            .map(|c| c.condition)
            .collect();
        assert_eq!(
            conditions.len(),
            3,
            "each participant meets each condition once"
        );
    }
    assert_eq!(study.counts(None), vec![1; 9]);
}

#[test]
fn some_passages_get_twice_as_many_and_missing_texts_nobody() {
    let design = ComprehensionDesign {
        doubly: 2,
        texts: 2,
        ..ComprehensionDesign::default()
    };
    let mut study = SimulatedStudy::new(design, 4, 2);
    study.load = CellLoad::new(4, 2, |cell| {
        cell != DesignCell {
            passage: 3,
            condition: 1,
        }
    });
    while study.join(study.joined) > 0 {}
    assert_eq!(study.counts(Some(0)), [2, 2, 1, 1]);
    assert_eq!(study.counts(Some(1)), [2, 2, 1]);
}

#[test]
fn designs_that_cannot_be_are_refused() {
    let design = |readers, texts| ComprehensionDesign {
        readers,
        texts,
        ..ComprehensionDesign::default()
    };
    assert_eq!(design(0, 6).validate(), Err(DesignError::Readers));
    assert_eq!(design(1, 0).validate(), Err(DesignError::Texts));
    assert!(design(1, 1).validate().is_ok());
    let empty = CellLoad::new(0, 0, |_| true);
    assert_eq!(design(1, 6).assign(&empty, 0, 0), []);
}

proptest! {
    #[test]
    fn joins_keep_cells_within_one(
        design in designs(),
        passages in 1..9_usize,
        conditions in 1..5_usize,
        seeds in prop::collection::vec(any::<u64>(), 1..40),
    ) {
        let mut study = SimulatedStudy::new(design, passages, conditions);
        let texts = design.texts.min(passages as u32);
        for seed in seeds {
            study.join(seed);
            match design.spread {
                ConditionSpread::Within => prop_assert!(span(&study.counts(None)) <= 1),
                ConditionSpread::Between => {
                    let totals: Vec<u32> = (0..conditions)
                        .map(|condition| study.counts(Some(condition)).iter().sum())
                        .collect();
                    prop_assert!(span(&totals) <= texts, "{totals:?}");
                    for condition in 0..conditions {
                        prop_assert!(span(&study.counts(Some(condition))) <= 1);
                    }
                    if (passages as u32).is_multiple_of(texts) {
                        prop_assert!(span(&study.counts(None)) <= 1);
                    }
                }
            }
        }
    }

    #[test]
    fn any_order_of_joins_and_leaves_keeps_quotas_and_is_evened_out(
        design in designs(),
        passages in 1..9_usize,
        conditions in 1..5_usize,
        events in prop::collection::vec((any::<u64>(), any::<bool>()), 1..60),
    ) {
        let mut study = SimulatedStudy::new(design, passages, conditions);
        for (seed, leaves) in events {
            if leaves {
                study.leave(seed as usize);
                continue;
            }
            let before = study.load.clone();
            study.join(seed);
            let cells = study.reading.last().unwrap();
            let own: BTreeSet<_> = cells.iter().map(|cell| cell.passage).collect();
            prop_assert_eq!(own.len(), cells.len(), "no passage twice");
            prop_assert!(study.counts(None).iter().all(|readers| *readers <= design.readers));
            if design.spread == ConditionSpread::Between {
                // No participant gets a fuller text while an emptier one of the same condition is
                // available.
                let readers_before = |cell: DesignCell| before.readers(cell).unwrap();
                let fullest = cells.iter().map(|cell| readers_before(*cell)).max();
                if let (Some(fullest), Some(first)) = (fullest, cells.first()) {
                    let condition = first.condition;
                    prop_assert!(cells.iter().all(|cell| cell.condition == condition));
                    for passage in (0..passages).filter(|passage| !own.contains(passage)) {
                        let waiting = readers_before(DesignCell { passage, condition });
                        prop_assert!(waiting >= fullest);
                    }
                }
            }
        }
        // After any history, participants who join now fill every cell to its quota.
        while study.join(study.joined) > 0 {}
        let full = vec![design.readers; passages * conditions];
        prop_assert_eq!(study.counts(None), full);
    }
}

/// Eight texts each are requested, but only three exist, with two readers a text: two participants read
/// three texts.
#[test]
fn an_outlook_is_what_the_next_participants_get() {
    let design = ComprehensionDesign {
        readers: 2,
        texts: 8,
        ..ComprehensionDesign::default()
    };
    let mut study = SimulatedStudy::new(design, 3, 1);
    let outlook = |study: &SimulatedStudy, most| {
        design.remaining_capacity(study.load.clone(), study.joined, most)
    };
    let capacity = |texts, places| ParticipantCapacity { texts, places };
    assert_eq!(outlook(&study, 100), capacity(3, 2));
    assert_eq!(outlook(&study, 1), capacity(3, 1), "counted no further");
    assert_eq!(study.join(7), 3);
    assert_eq!(outlook(&study, 100), capacity(3, 1));
    assert_eq!(study.join(9), 3);
    assert_eq!(outlook(&study, 100), capacity(0, 0));
}

proptest! {
    #[test]
    fn as_many_can_join_as_the_outlook_says_where_turns_decide(
        passages in 1..6_usize,
        conditions in 1..4_usize,
        readers in 1..4_u32,
        texts in 1..6_u32,
    ) {
        let design = ComprehensionDesign { readers, texts, ties: TieBreak::LatinSquare, ..ComprehensionDesign::default() };
        let mut study = SimulatedStudy::new(design, passages, conditions);
        let outlook = design.remaining_capacity(study.load.clone(), 0, 1_000);
        let mut text_counts = vec![];
        loop {
            match study.join(1) {
                0 => break,
                texts => text_counts.push(texts),
            }
        }
        prop_assert_eq!(text_counts.len(), outlook.places as usize);
        prop_assert_eq!(text_counts.first().copied().unwrap_or(0), outlook.texts as usize);
    }
}
