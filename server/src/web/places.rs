//! Limits on long requests that hold resources, in all and per person, so that nobody can take every place.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use app::{error::Refusal, visitor::Visitor};
use domain::ids::PersonId;

/// The places of one kind of request. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct RequestPlaces(Arc<SharedPlaces>);

#[derive(Debug)]
struct SharedPlaces {
    most: usize,
    most_per_person: usize,
    /// The noun in the refusal of a person who holds too many, such as “download”.
    noun: &'static str,
    taken: Mutex<HashMap<PersonId, usize>>,
}

/// A place, held until it is dropped.
#[derive(Debug)]
pub(super) struct PlacePermit {
    places: RequestPlaces,
    person: PersonId,
}

impl RequestPlaces {
    /// Creates places, limited in all and per person; `noun` names the request in refusals.
    pub(super) fn new((most, most_per_person): (usize, usize), noun: &'static str) -> Self {
        Self(Arc::new(SharedPlaces {
            most,
            most_per_person,
            noun,
            taken: Mutex::default(),
        }))
    }

    /// Takes a place for the visitor, who has to be signed in.
    pub(super) fn take(&self, visitor: &Visitor) -> Result<PlacePermit, Refusal> {
        let session = visitor.session.as_ref().ok_or(Refusal::NotSignedIn)?;
        self.take_for(session.person.id)
    }

    /// Takes a place for this person.
    pub(super) fn take_for(&self, person: PersonId) -> Result<PlacePermit, Refusal> {
        let SharedPlaces {
            most,
            most_per_person,
            noun,
            ..
        } = *self.0;
        let mut taken = self.taken();
        let own = taken.get(&person).copied().unwrap_or(0);

        if own >= most_per_person {
            let sentence = match own {
                1 => {
                    format!("You have a {noun} open already: wait until it has ended, or close it.")
                }
                _ => format!(
                    "You have {own} {noun}s open already: wait until one has ended, or close one."
                ),
            };
            return Err(Refusal::TooMany(sentence));
        }
        if taken.values().sum::<usize>() >= most {
            return Err(Refusal::Busy);
        }

        taken.insert(person, own + 1);
        Ok(PlacePermit {
            places: self.clone(),
            person,
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<PersonId, usize>> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PlacePermit {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        if let Some(own) = taken.get_mut(&self.person) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;

    #[test]
    fn a_person_has_few_places_and_gives_them_back() {
        let places = RequestPlaces::new((4, 2), "download");
        let [one, two, three] = [(); 3].map(|()| PersonId(clock::new_id()));
        let mut first = vec![places.take_for(one).unwrap(), places.take_for(one).unwrap()];

        let refusal = places.take_for(one).unwrap_err();
        assert!(matches!(&refusal, Refusal::TooMany(why) if why.contains("2 downloads")));

        let _second = places.take_for(two).unwrap();
        let _third = places.take_for(three).unwrap();
        assert_eq!(places.take_for(two).unwrap_err(), Refusal::Busy);

        first.pop();
        let _fourth = places.take_for(two).unwrap();
        first.clear();
        assert_eq!(places.taken().len(), 2);
    }
}
