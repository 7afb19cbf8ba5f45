//! Which column (or JSON key) of a file of reading comprehension holds which field.

use crate::field_mapping::{FieldMapping, FieldMappingError, mapped_fields};

mapped_fields! {
    /// The possible contents of a column in a file of reading comprehension.
    pub enum ComprehensionField {
        /// The passage's name; always needed.
        Passage => "passage",
        /// The passage's title.
        Title => "title",
        /// The passage's purpose: `main`, `practice` or `check`; `main` where no row states one.
        Purpose => "purpose",
        /// The condition.
        Condition => "condition",
        /// The text in that condition.
        Text => "text",
        /// The question's name; the words of the question where a row has them without a name.
        Question => "question",
        /// The words of the question.
        Asked => "question_text",
        /// The right answer.
        A => "a",
        /// The answer that misreads the critical span.
        B => "b",
        /// The answer from elsewhere in the text.
        C => "c",
        /// The unsupported answer.
        D => "d",
        /// The critical span in the text of the condition, such as `12-40 55-60`.
        Critical => "critical",
        /// The distractor span.
        Distractor => "distractor",
        /// The participant who answered.
        Participant => "participant",
        /// The answer given: a letter, *unanswerable*, or the answer's own words.
        Answer => "answer",
        /// The order in which the four answers were shown, such as `CADB`.
        Order => "order",
        /// Active time on the question, in milliseconds.
        ActiveMs => "active_ms",
    }
    repeatable: [];
    flag: "--map";
}

/// The columns of a file of reading comprehension.
pub type ComprehensionMapping = FieldMapping<ComprehensionField>;

/// Why such a mapping is refused.
pub type ComprehensionMappingError = FieldMappingError<ComprehensionField>;
