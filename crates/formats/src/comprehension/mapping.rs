//! The mapping of the columns (or JSON keys) of a reading comprehension file to fields.

use crate::field_mapping::{FieldMapping, FieldMappingError, mapped_fields};

mapped_fields! {
    /// The possible contents of a column in a file of reading comprehension.
    pub enum ComprehensionField {
        /// The passage's name; always needed.
        Passage => "passage", "the names of the passages";
        /// The passage's title.
        Title => "title", "the titles";
        /// The passage's purpose: `main`, `practice` or `check`; `main` where no row states one.
        Purpose => "purpose", "the purposes of the passages";
        /// The condition.
        Condition => "condition", "the conditions";
        /// The text in that condition.
        Text => "text", "the texts";
        /// The question's name; the words of the question where a row has them without a name.
        Question => "question", "the names of the questions";
        /// The words of the question.
        Asked => "question_text", "the words of the questions";
        /// The right answer.
        A => "a", "the right answers";
        /// The answer that misreads the critical span.
        B => "b", "the answers that misread";
        /// The answer from elsewhere in the text.
        C => "c", "the answers from elsewhere in the text";
        /// The unsupported answer.
        D => "d", "the unsupported answers";
        /// The critical span in the text of the condition, such as `12-40 55-60`.
        Critical => "critical", "the critical spans";
        /// The distractor span.
        Distractor => "distractor", "the distractor spans";
        /// The participant who answered.
        Participant => "participant", "the participants";
        /// The answer given: a letter, *unanswerable*, or the answer's own words.
        Answer => "answer", "the answers given";
        /// The order in which the four answers were shown, such as `CADB`.
        Order => "order", "the orders of the answers";
        /// Active time on the question, in milliseconds.
        ActiveMs => "active_ms", "the times";
    }
    repeatable: [];
}

/// The columns of a file of reading comprehension.
pub type ComprehensionMapping = FieldMapping<ComprehensionField>;

/// The reason for refusing such a mapping.
pub type ComprehensionMappingError = FieldMappingError<ComprehensionField>;
