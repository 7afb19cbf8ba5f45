//! Reading comprehension: do readers of a simplified text still understand what matters?
//!
//! Readers get a [`Passage`] in one of several conditions (the original, a human simplification,
//! each system), then answer its questions. A [`Question`] has four answers in the order of STARC:
//! A is right, B misreads the critical span, C comes from elsewhere in the text, D is unsupported.
//! *Unanswerable* is the fifth [`AnswerChoice`]. All figures are computed from [`AnswerTable`].
//!
//! Source: Agrawal and Carpuat (2024), Do Text Simplification Systems Preserve Meaning? A Human
//! Evaluation via Reading Comprehension. STARC: Berzak, Malmaud and Levy (2020).

pub mod agreement;
pub mod answerability;
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
    agreement::{DoubleAgreement, double_agreement},
    answerability::{AnswerabilityDenominator, answerability_on, answerable_questions},
    answers::{AnswerTable, IndexedAnswer, ReaderAnswer},
    choice::{AnswerChoice, ChoiceOrder, ChoiceOrderError, UnknownChoice},
    conditions::{ChoiceTally, ConditionFigures, figures_by_condition},
    design::{
        CellLoad, ComprehensionDesign, ConditionSpread, DesignCell, DesignError,
        ParticipantCapacity, TieBreak,
    },
    items::{ItemFigures, figures_by_passage, figures_by_question},
    material::{
        EvidenceSpans, MaterialError, MaterialName, MaterialWarning, NonBlankText, Passage,
        Question, find_material_warnings,
    },
    metrics::{
        MeanScores, ReferenceConditions, correlate_with_accuracy, orient_scores, score_conditions,
    },
    participants::{ParticipantActivity, ParticipantConcern, ParticipantConduct, compute_conduct},
    settings::{ComprehensionSettings, PassagePurpose, ScreeningQuestion, UnknownPassagePurpose},
    stability::{RankingStability, StabilityOptions, stability, subset_sizes},
    support::{
        AnswerEvidence, StopWords, SupportTarget, SupportVariant, collect_answer_evidence,
        predict_unanswerable, support,
    },
};
