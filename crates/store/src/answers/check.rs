//! Whether an answer fits what it answers.

use domain::{
    edit::{repair, validate::validate},
    ids::OutputId,
    study::Dimension,
    work::change::{Answer, Change, Slot},
};

use crate::items::Represented;

/// The longest note, in bytes.
const LONGEST_NOTE: usize = 20_000;

/// What answers are given to.
pub(super) struct Judged {
    pub(super) source: String,
    pub(super) items: Vec<Represented>,
    pub(super) dimensions: Vec<Dimension>,
}

/// Why the change cannot be stored, in words for people.
pub(super) fn refusal(judged: &Judged, change: &Change) -> Option<String> {
    check(judged, &change.slot, &change.answer).err()
}

/// The change with its edits repaired: a page that was opened before its automatic edits were
/// repaired, or a browser that kept a change which was refused then, still sends the old ones.
pub(super) fn repaired(judged: &Judged, change: &Change) -> Change {
    let mut change = change.clone();
    if let (Slot::Edits { output }, Answer::Edits(Some(edits))) = (&change.slot, &mut change.answer)
        && let Ok(item) = judged.item(*output)
    {
        *edits = repair(std::mem::take(edits), &item.text);
    }
    change
}

fn check(judged: &Judged, slot: &Slot, answer: &Answer) -> Result<(), String> {
    match (slot, answer) {
        (Slot::Category { output }, Answer::Category(_)) => judged.item(*output).map(drop),
        (Slot::Edits { output }, Answer::Edits(edits)) => {
            let item = judged.item(*output)?;
            let edits = edits.as_deref().unwrap_or_default();
            validate(edits, &judged.source, &item.text)
                .map_err(|error| format!("This does not fit the texts: {error}."))
        }
        (Slot::Rating { output, dimension }, Answer::Rating(score)) => {
            judged.item(*output)?;
            let dimension = judged.dimension(dimension)?;
            match score {
                None => Ok(()),
                Some(score) => dimension
                    .scale
                    .score(score.get())
                    .map(drop)
                    .map_err(|off| format!("The score {off}.")),
            }
        }
        (Slot::Note { output }, Answer::Note(note)) => {
            judged.item(*output)?;
            if note.len() > LONGEST_NOTE {
                Err(format!("A note has at most {LONGEST_NOTE} bytes."))
            } else if note.contains('\0') {
                Err("A note cannot hold a NUL character.".into())
            } else {
                Ok(())
            }
        }
        (Slot::Order, Answer::Order(order)) => match order {
            Some(order) if !judged.is_permutation(order) => {
                Err("The order does not hold each output once.".into())
            }
            _ => Ok(()),
        },
        (Slot::Progress, Answer::Progress(_)) => Ok(()),
        _ => Err("The answer is not of the kind that was asked for.".into()),
    }
}

impl Judged {
    fn item(&self, output: OutputId) -> Result<&Represented, String> {
        self.items
            .iter()
            .find(|item| item.output == output)
            .ok_or_else(|| "This output is not one of those to judge here.".into())
    }

    fn dimension(&self, name: &str) -> Result<&Dimension, String> {
        self.dimensions
            .iter()
            .find(|dimension| dimension.name == name)
            .ok_or_else(|| "The study does not ask for this score (any more).".into())
    }

    fn is_permutation(&self, order: &[OutputId]) -> bool {
        let mut given = order.to_vec();
        let mut all: Vec<_> = self.items.iter().map(|item| item.output).collect();
        given.sort_unstable();
        all.sort_unstable();
        given == all
    }
}
