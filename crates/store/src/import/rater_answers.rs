//! Raters of an import, with their ratings and other answers.

use domain::{
    ids::{AnnotationId, OutputId, RaterId},
    study::RaterKind,
    work::change::AnnotationAnswer,
};

use super::{ImportRows, NewRating, check_storable, pending, refuse};
use crate::{Result, answer_columns, columns};

impl ImportRows {
    /// The rater with this label: a column or a worker of the file, or a simulated annotator.
    ///
    /// # Errors
    /// Refused where the label belongs to a person, or to a rater of the other kind.
    pub fn rater(&mut self, label: &str, kind: RaterKind) -> Result<RaterId> {
        check_storable(&[label])?;
        if kind == RaterKind::Person {
            return refuse("A person becomes a rater by joining the study.".into());
        }

        if let Some((id, there)) = self.index.raters.get(label) {
            if *there == kind {
                return Ok(*id);
            }
            return refuse(format!(
                "“{label}” is a rater of this study of another kind ({there}): give the rater of \
                 the file another name."
            ));
        }

        let id = RaterId((self.ids)());
        self.index.raters.insert(label.to_owned(), (id, kind));
        self.counts.raters += 1;
        self.pending.raters.push(pending::PendingRater {
            id,
            position: self.index.next.rater(),
            kind,
            label: label.to_owned(),
        });
        Ok(id)
    }

    /// Keeps a rating, and returns whether it is new.
    ///
    /// # Errors
    /// Refused where it is not a number on its scale, or the rater gave the output another one.
    pub fn rating(&mut self, new: NewRating<'_>) -> Result<bool> {
        check_storable(&[
            new.dimension,
            &new.verbatim.value,
            new.verbatim.z.as_deref().unwrap_or_default(),
            new.verbatim.column.as_deref().unwrap_or_default(),
        ])?;
        if !new.scale.contains(new.value) {
            return refuse(format!(
                "The rating {} is outside the scale from {}.",
                new.verbatim.value, new.scale
            ));
        }

        let source = self.index.find_source_id(new.output)?;
        let added = self
            .index
            .add_rating(new.rater, new.output, new.dimension, new.value);
        let dimension = match added {
            Ok(dimension) => dimension,
            Err(existing) if existing.to_bits() == new.value.to_bits() => return Ok(false),
            Err(existing) => {
                return refuse(format!(
                    "This rater gave this output {existing} before, and here {}; one rater gives one \
                     rating.",
                    new.verbatim.value
                ));
            }
        };

        self.counts.answers += 1;
        self.pending.ratings.push(pending::PendingRating {
            id: AnnotationId((self.ids)()),
            source,
            output: new.output,
            rater: new.rater,
            dimension,
            value: new.value,
            scale: new.scale,
            body: columns::to_json(&new.verbatim),
            kind: match new.shared {
                true => answer_columns::SHARED_RATING,
                false => "rating",
            },
            recorded_at: new.recorded_at,
        });
        Ok(true)
    }

    /// Keeps a rater's answer about an output other than a rating: its category, its edits, a note.
    /// Returns whether it is new.
    ///
    /// # Errors
    /// Refused where it is none of these, or differs from an earlier answer of the rater.
    pub fn answer(
        &mut self,
        rater: RaterId,
        output: OutputId,
        given: &AnnotationAnswer,
    ) -> Result<bool> {
        let kind = answer_columns::kind(given);
        if !matches!(
            given,
            AnnotationAnswer::Category(Some(_))
                | AnnotationAnswer::Edits(Some(_))
                | AnnotationAnswer::Note(_)
        ) {
            return refuse(format!("An answer of the kind {kind} cannot be imported."));
        }

        let body = answer_columns::body(given).expect("these kinds have a body");
        check_storable(&[&body])?;
        let source = self.index.find_source_id(output)?;
        match self.index.answers.entry((rater, output, kind)) {
            std::collections::hash_map::Entry::Occupied(there) if *there.get() == body => {
                return Ok(false);
            }
            std::collections::hash_map::Entry::Occupied(_) => {
                return refuse(format!(
                    "This rater gave this output another {kind} before."
                ));
            }
            std::collections::hash_map::Entry::Vacant(free) => free.insert(body.clone()),
        };

        self.counts.answers += 1;
        self.pending.answers.push(pending::PendingAnswer {
            id: AnnotationId((self.ids)()),
            source,
            output,
            rater,
            kind,
            body,
        });
        Ok(true)
    }
}
