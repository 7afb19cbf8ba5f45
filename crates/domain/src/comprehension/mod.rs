//! Reading comprehension: do readers of a simplified text still understand what matters?
//!
//! Readers get a [`Passage`] in one of several conditions (the original, a human simplification,
//! each system), then answer its questions. A [`Question`] has four answers in the order of STARC:
//! A is right, B misreads the critical span, C comes from elsewhere in the text, D is unsupported.
//! *Unanswerable* is the fifth [`Choice`]. All figures are computed from [`Answers`].
//!
//! Source: Agrawal and Carpuat (2024), Do Text Simplification Systems Preserve Meaning? A Human
//! Evaluation via Reading Comprehension. STARC: Berzak, Malmaud and Levy (2020).

pub mod agreement;
pub mod answerable;
pub mod answers;
pub mod choice;
pub mod conditions;
pub mod design;
pub mod items;
pub mod material;
pub mod metrics;
pub mod participants;
pub mod settings;
pub mod stability;
pub mod support;

pub use self::{
    agreement::{Doubly, double_agreement},
    answerable::{Denominator, answerability_on, answerable_in},
    answers::{Answer, Answers, Given},
    choice::{BadOrder, Choice, Order, UnknownChoice},
    conditions::{ConditionFigures, Tally, by_condition},
    design::{Cell, Design, DesignError, Load, ReaderOutlook, Spread, Ties},
    items::{ItemFigures, by_passage, by_question},
    material::{BadMaterial, Doubt, Name, Passage, Question, Spans, Text, doubts},
    metrics::{MeanScores, ScoredAgainst, metric_against_accuracy, orient_scores, text_scores},
    participants::{Concern, Conduct, Reader, conduct},
    settings::{PassagePurpose, Screening, Settings, UnknownPassagePurpose},
    stability::{Draws, Stability, sizes, stability},
    support::{Evidence, StopWords, SupportOf, Variant, evidence, predict_unanswerable, support},
};
