//! The assignment of passages and conditions to participants.
//!
//! A participant gets some cells of the table *passage × condition*, never two of one passage.
//! [`ComprehensionDesign::assign`] takes the current assignments as an argument, so that the owner of
//! the table (a transaction of the store) decides. Cells emptied by withdrawals and exclusions are
//! filled again, the emptiest first.
//!
//! **What stays balanced.** As long as no participant leaves and the quota has room:
//! - within participants, any two cells differ by at most one;
//! - between participants, any two cells of one condition differ by at most one, and the totals of any
//!   two conditions by at most the texts of one participant; any two cells differ by at most one where
//!   the texts of one participant divide the passages.
//!
//! A participant who leaves may unbalance it; those who join next restore the balance first. No
//! order of events gives a cell more than its quota.

use serde::{Deserialize, Serialize};

use crate::{latin_square::cyclic_symbol, random::SeededRandom};

/// How conditions are distributed over participants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConditionSpread {
    /// One condition, as in the paper.
    Between,
    /// As many conditions as possible.
    Within,
}

/// The rule that decides between equally empty cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// The next row of a cyclic Latin square: conditions and passages rotate.
    LatinSquare,
    /// The participant's own seed.
    Random,
}

/// The assignment of texts to participants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct ComprehensionDesign {
    /// Participants for each passage in each condition, 1 or more.
    pub readers: u32,
    /// The number of passages, the first ones, that get twice as many participants, so that agreement
    /// can be computed.
    pub doubly: u32,
    /// Texts for each participant, 1 or more.
    pub texts: u32,
    /// Whether a participant meets one condition or several.
    pub spread: ConditionSpread,
    /// How ties between equally empty cells are broken.
    pub ties: TieBreak,
}

impl Default for ComprehensionDesign {
    /// The paper's design: one participant a cell, six texts of one condition, at random; no passage twice.
    fn default() -> Self {
        Self {
            readers: 1,
            doubly: 0,
            texts: 6,
            spread: ConditionSpread::Between,
            ties: TieBreak::Random,
        }
    }
}

/// The reason why a design is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DesignError {
    /// A cell has no participants.
    #[error("each passage needs 1 to 1,000 participants in each condition")]
    Readers,
    /// A participant reads no text, or too many.
    #[error("each participant reads 1 to 100 texts")]
    Texts,
}

/// A passage in a condition, by their indices in the study's lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DesignCell {
    /// The passage, from 0.
    pub passage: usize,
    /// The condition, from 0.
    pub condition: usize,
}

/// The texts of a study with their current numbers of readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellLoad {
    conditions: usize,
    /// The number of readers of each text, by passage, then condition; `None` without a text.
    cells: Vec<Option<u32>>,
}

impl CellLoad {
    /// An empty table, with a text for each cell for which `exists` holds.
    pub fn new(passages: usize, conditions: usize, exists: impl Fn(DesignCell) -> bool) -> Self {
        let cells = (0..passages * conditions).map(|at| {
            exists(DesignCell {
                passage: at / conditions,
                condition: at % conditions,
            })
            .then_some(0)
        });
        Self {
            conditions,
            cells: cells.collect(),
        }
    }

    /// The number of passages.
    #[must_use]
    pub fn passages(&self) -> usize {
        self.cells.len().checked_div(self.conditions).unwrap_or(0)
    }

    /// The number of conditions.
    #[must_use]
    pub const fn conditions(&self) -> usize {
        self.conditions
    }

    /// The number of participants who have the cell and have not left; `None` where it has no text.
    #[must_use]
    pub fn readers(&self, cell: DesignCell) -> Option<u32> {
        self.cells[cell.passage * self.conditions + cell.condition]
    }

    /// Adds a participant to a cell; a cell without a text stays as it is.
    pub fn add(&mut self, cell: DesignCell) {
        if let Some(readers) = &mut self.cells[cell.passage * self.conditions + cell.condition] {
            *readers += 1;
        }
    }

    /// Removes a participant who left.
    pub fn remove(&mut self, cell: DesignCell) {
        if let Some(readers) = &mut self.cells[cell.passage * self.conditions + cell.condition] {
            *readers = readers.saturating_sub(1);
        }
    }
}

impl ComprehensionDesign {
    /// Returns the design if it is possible.
    ///
    /// # Errors
    /// [`DesignError`] where a number is out of its range.
    pub const fn validate(self) -> Result<Self, DesignError> {
        if self.readers == 0 || self.readers > 1_000 {
            return Err(DesignError::Readers);
        }
        if self.texts == 0 || self.texts > 100 {
            return Err(DesignError::Texts);
        }
        Ok(self)
    }

    /// The maximum number of participants for each cell of a passage.
    #[must_use]
    pub const fn quota(&self, passage: usize) -> u32 {
        match passage < self.doubly as usize {
            true => 2 * self.readers,
            false => self.readers,
        }
    }

    /// The texts of the next participant, in the order in which they are shown: fewer than the design
    /// asks for if no more are available, none if all cells are full. `number` counts those who joined
    /// before, and `seed` is the participant's seed.
    #[must_use]
    pub fn assign(&self, load: &CellLoad, number: u64, seed: u64) -> Vec<DesignCell> {
        let mut turn = AssignmentContext {
            design: self,
            load,
            number: usize::try_from(number).unwrap_or(usize::MAX),
            random: SeededRandom::new(seed),
        };
        let mut cells = match self.spread {
            ConditionSpread::Between => turn.choose_between(),
            ConditionSpread::Within => turn.choose_within(),
        };

        if self.ties == TieBreak::Random {
            turn.random.shuffle(&mut cells);
        }
        cells
    }
}

/// The room left in a design.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ParticipantCapacity {
    /// The number of texts that the next participant gets; 0 if all texts have their readers.
    pub texts: u32,
    /// The number of further participants who get a text, one after another. If it equals the
    /// limit of the count, it means that many or more.
    pub places: u32,
}

impl ParticipantCapacity {
    /// The limit up to which places are counted for a lead.
    pub const MAX_PLACES: u32 = 1_000;
}

impl ComprehensionDesign {
    /// The room left after `number` participants joined, counted up to `most`. Exact for Latin squares;
    /// if ties are broken at random, one possible outcome.
    #[must_use]
    pub fn remaining_capacity(
        &self,
        mut load: CellLoad,
        number: u64,
        most: u32,
    ) -> ParticipantCapacity {
        let mut capacity = ParticipantCapacity::default();
        while capacity.places < most {
            let number = number.saturating_add(u64::from(capacity.places));
            let cells = self.assign(&load, number, number);
            if cells.is_empty() {
                break;
            }

            if capacity.places == 0 {
                capacity.texts = u32::try_from(cells.len()).unwrap_or(u32::MAX);
            }
            for cell in cells {
                load.add(cell);
            }
            capacity.places += 1;
        }
        capacity
    }
}

/// The choice for one participant.
struct AssignmentContext<'a> {
    design: &'a ComprehensionDesign,
    load: &'a CellLoad,
    number: usize,
    random: SeededRandom,
}

impl AssignmentContext<'_> {
    /// The emptiest condition with room, and its emptiest passages.
    fn choose_between(&mut self) -> Vec<DesignCell> {
        let passages = self.load.passages();
        let totals = (0..self.load.conditions()).filter_map(|condition| {
            let cells = (0..passages).map(|passage| DesignCell { passage, condition });
            Some((self.total_if_open(cells)?, condition))
        });
        let totals: Vec<_> = totals.collect();
        let Some(condition) = self.emptiest(totals, 1).first().copied() else {
            return vec![];
        };

        let open = (0..passages).map(|passage| DesignCell { passage, condition });
        let open: Vec<_> = open
            .filter_map(|cell| Some((self.readers_if_open(cell)?, cell.passage)))
            .collect();
        let passages = self.emptiest(open, self.design.texts as usize).into_iter();
        passages
            .map(|passage| DesignCell { passage, condition })
            .collect()
    }

    /// The emptiest passages, each in its emptiest condition; among equally empty ones, the one that
    /// this participant has seen least.
    fn choose_within(&mut self) -> Vec<DesignCell> {
        let conditions = self.load.conditions();
        let open = (0..self.load.passages()).filter_map(|passage| {
            let cells = (0..conditions).map(|condition| DesignCell { passage, condition });
            Some((self.total_if_open(cells)?, passage))
        });
        let open: Vec<_> = open.collect();

        let mut met = vec![0_u32; conditions];
        let mut cells = Vec::new();
        for passage in self.emptiest(open, self.design.texts as usize) {
            let open = (0..conditions).filter_map(|condition| {
                let readers = self.readers_if_open(DesignCell { passage, condition })?;
                Some(((readers, met[condition]), condition))
            });
            let open: Vec<_> = open.collect();
            for condition in self.emptiest_after(open, 1, passage) {
                met[condition] += 1;
                cells.push(DesignCell { passage, condition });
            }
        }
        cells
    }

    /// The number of readers of all cells; `None` where none of these has room for one more.
    fn total_if_open(&self, cells: impl Iterator<Item = DesignCell> + Clone) -> Option<u32> {
        let has_room = cells
            .clone()
            .any(|cell| self.readers_if_open(cell).is_some());
        has_room.then(|| cells.filter_map(|cell| self.load.readers(cell)).sum())
    }

    /// The number of readers of a cell that has room for one more.
    fn readers_if_open(&self, cell: DesignCell) -> Option<u32> {
        let readers = self.load.readers(cell)?;
        (readers < self.design.quota(cell.passage)).then_some(readers)
    }

    fn emptiest<K: Ord>(&mut self, open: Vec<(K, usize)>, most: usize) -> Vec<usize> {
        self.emptiest_after(open, most, 0)
    }

    /// The `most` of `open` with the lowest keys. Equal keys are taken in rotation, starting at the
    /// participant's number plus `shift`, or at random.
    fn emptiest_after<K: Ord>(
        &mut self,
        mut open: Vec<(K, usize)>,
        most: usize,
        shift: usize,
    ) -> Vec<usize> {
        if open.is_empty() {
            return vec![];
        }
        match self.design.ties {
            TieBreak::LatinSquare => {
                let first = cyclic_symbol(self.number, shift, open.len());
                open.rotate_left(first);
            }
            TieBreak::Random => self.random.shuffle(&mut open),
        }
        open.sort_by(|a, b| a.0.cmp(&b.0));
        open.into_iter().take(most).map(|(_, at)| at).collect()
    }
}

#[cfg(test)]
mod tests;
