//! Consensus: raters who handed in the same source agree on one judgement of it. Their own answers
//! stay as they are.

mod decisions;
mod figures;

use domain::{
    consensus::{ConsensusAnswer, ConsensusBasis, ConsensusOutput, FEWEST_RATERS},
    ids::{AssignmentId, OutputId, PersonId, SourceId, StudyId},
    study::{OutputPurpose, StudySettings},
    work::change::StoredAnswer,
};
use sqlx::AnyConnection;

pub use self::decisions::{ConsensusChange, ConsensusPerson};
pub(crate) use self::figures::{load_agreed_answers, load_agreed_comparisons, load_agreed_marks};
use crate::{
    Result, Store, answer_columns,
    columns::{BindId, TableRow},
    source_items, task,
};

/// A source that at least two raters handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsensusEntry {
    /// The source.
    pub source: SourceId,
    /// Its name.
    pub key: String,
    /// The raters who handed it in, except those who did so after the consensus began.
    pub raters: Vec<ConsensusRater>,
    /// The state of its consensus.
    pub state: ConsensusState,
}

/// A rater who handed a source in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsensusRater {
    /// The pseudonym.
    pub label: String,
    /// The person; `None` for a simulated rater, and after the account was erased.
    pub person: Option<PersonId>,
    assignment: AssignmentId,
}

/// The state of a consensus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConsensusState {
    /// Nobody has begun it.
    NotBegun,
    /// It was begun.
    Open,
    /// It was finished, at this time in milliseconds since 1970.
    Agreed(i64),
}

/// A source with the judgements of those who handed it in, and their consensus so far.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceConsensus {
    /// The source, its raters and the state of its consensus.
    pub entry: ConsensusEntry,
    /// The text of the source.
    pub text: String,
    /// The outputs to judge, in the order of the file.
    pub outputs: Vec<ConsensusOutput>,
    /// The answers of the consensus.
    pub decided: Vec<ConsensusAnswer>,
    answers: Vec<Vec<StoredAnswer>>,
}

impl ConsensusEntry {
    /// Whether a person handed the source in.
    #[must_use]
    pub fn is_of(&self, person: PersonId) -> bool {
        let mut raters = self.raters.iter();
        raters.any(|rater| rater.person == Some(person))
    }
}

impl SourceConsensus {
    /// The questions of the consensus, with the answers of each rater.
    #[must_use]
    pub fn basis<'a>(&'a self, settings: &'a StudySettings) -> ConsensusBasis<'a> {
        ConsensusBasis {
            protocol: &settings.protocol,
            dimensions: &settings.dimensions,
            source: &self.text,
            outputs: &self.outputs,
            raters: &self.answers,
        }
    }

    /// The text of an output to judge.
    #[must_use]
    pub fn output_text(&self, output: OutputId) -> Option<&str> {
        let mut outputs = self.outputs.iter();
        let of = outputs.find(|of| of.output == output)?;
        Some(&of.text)
    }
}

impl Store {
    /// The main sources that at least two raters handed in, in the order of the study. Raters who
    /// withdrew don't count.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn consensus_list(&self, study: StudyId) -> Result<Vec<ConsensusEntry>> {
        let mut connection = self.reader().acquire().await?;
        load_entries(&mut connection, study, ConsensusPart::Study).await
    }

    /// The sources of [`Self::consensus_list`] that the person handed in.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn own_consensus_list(
        &self,
        study: StudyId,
        person: PersonId,
    ) -> Result<Vec<ConsensusEntry>> {
        let mut connection = self.reader().acquire().await?;
        let part = ConsensusPart::Person(person);
        let mut entries = load_entries(&mut connection, study, part).await?;
        // A person who handed it in after the consensus began does not take part.
        entries.retain(|entry| entry.is_of(person));
        Ok(entries)
    }

    /// A source with the judgements of its raters; `None` if fewer than two handed it in, or the
    /// study has no such source.
    ///
    /// # Errors
    /// When the database fails or a row does not read.
    pub async fn source_consensus(
        &self,
        study: StudyId,
        source: SourceId,
    ) -> Result<Option<SourceConsensus>> {
        // One transaction, so that answers and state are from the same moment.
        let mut tx = self.reader().begin().await?;
        let consensus = load_consensus(&mut tx, study, source).await?;
        tx.commit().await?;
        Ok(consensus)
    }
}

/// One row for each rater who handed in a main source.
macro_rules! handed_in {
    ($which:literal) => {
        concat!(
            "SELECT x.id, s.id AS source_id, s.key, r.label, r.person_id, c.begun_at, c.agreed_at
             FROM assignment x
             JOIN source s ON s.id = x.source_id
             JOIN rater r ON r.id = x.rater_id
             LEFT JOIN member m ON m.study_id = r.study_id AND m.person_id = r.person_id
             LEFT JOIN consensus c ON c.source_id = s.id
             WHERE x.study_id = $1 ",
            $which,
            " AND x.state = 'handed-in' AND s.purpose = 'main' AND m.withdrawn_at IS NULL
               AND (c.begun_at IS NULL OR x.ended_at <= c.begun_at)
             ORDER BY s.position, s.id, r.position, r.id"
        )
    };
}

/// The sources whose consensus is read. Each variant has its own statement, so that only a list of
/// all sources goes through the whole study: decisions hold the study meanwhile, and annotators
/// come often.
#[derive(Debug, Clone, Copy)]
enum ConsensusPart {
    Study,
    Source(SourceId),
    /// The sources that the person handed in.
    Person(PersonId),
}

/// The main sources of a part of the study that enough raters handed in.
async fn load_entries(
    tx: &mut AnyConnection,
    study: StudyId,
    part: ConsensusPart,
) -> Result<Vec<ConsensusEntry>> {
    let rows = match part {
        ConsensusPart::Study => sqlx::query(handed_in!("")).bind_id(study),
        ConsensusPart::Source(source) => sqlx::query(handed_in!("AND x.source_id = $2"))
            .bind_id(study)
            .bind_id(source),
        ConsensusPart::Person(person) => sqlx::query(handed_in!(
            "AND x.source_id IN (SELECT own.source_id FROM rater me
                                 JOIN assignment own ON own.rater_id = me.id
                                 WHERE me.study_id = $1 AND me.person_id = $2 AND own.state = 'handed-in')"
        ))
        .bind_id(study)
        .bind_id(person),
    };
    let rows = rows.fetch_all(tx).await?;

    let mut entries: Vec<ConsensusEntry> = vec![];
    for row in &rows {
        let row = TableRow::new("assignment", row)?;
        let source: SourceId = row.parse("source_id")?;
        let rater = ConsensusRater {
            label: row.get("label")?,
            person: row.parse_optional("person_id")?,
            assignment: row.parse("id")?,
        };
        match entries.last_mut().filter(|entry| entry.source == source) {
            Some(entry) => entry.raters.push(rater),
            None => entries.push(ConsensusEntry {
                source,
                key: row.get("key")?,
                raters: vec![rater],
                state: read_state(&row)?,
            }),
        }
    }

    entries.retain(|entry| {
        entry.state != ConsensusState::NotBegun || entry.raters.len() >= FEWEST_RATERS
    });
    Ok(entries)
}

fn read_state(row: &TableRow<'_>) -> Result<ConsensusState> {
    let (begun_at, agreed_at): (Option<i64>, Option<i64>) =
        (row.get("begun_at")?, row.get("agreed_at")?);
    Ok(match (begun_at, agreed_at) {
        (None, _) => ConsensusState::NotBegun,
        (Some(_), None) => ConsensusState::Open,
        (Some(_), Some(at)) => ConsensusState::Agreed(at),
    })
}

async fn load_consensus(
    tx: &mut AnyConnection,
    study: StudyId,
    source: SourceId,
) -> Result<Option<SourceConsensus>> {
    let entries = load_entries(tx, study, ConsensusPart::Source(source)).await?;
    let Some(entry) = entries.into_iter().next() else {
        return Ok(None);
    };

    let row = sqlx::query("SELECT id, text FROM source WHERE id = $1")
        .bind_id(source)
        .fetch_one(&mut *tx)
        .await?;
    let text = TableRow::new("source", &row)?.get("text")?;

    let mut items = source_items::load(tx, source).await?;
    items.retain(|item| item.purpose == OutputPurpose::Main);

    let mut answers = vec![];
    for rater in &entry.raters {
        answers.push(task::load_answers(tx, rater.assignment).await?);
    }

    Ok(Some(SourceConsensus {
        entry,
        text,
        outputs: items
            .into_iter()
            .map(|item| ConsensusOutput {
                output: item.output,
                text: item.text,
                category: item.category,
                edits: item.edits,
            })
            .collect(),
        decided: load_decided(tx, source).await?,
        answers,
    }))
}

/// The current answers of a consensus.
async fn load_decided(tx: &mut AnyConnection, source: SourceId) -> Result<Vec<ConsensusAnswer>> {
    let rows = sqlx::query(
        "SELECT id, output_id, kind, dimension, compared, value, scale, body, left_out
         FROM consensus_answer WHERE source_id = $1 AND current = 1 ORDER BY decided_at, id",
    )
    .bind_id(source)
    .fetch_all(tx)
    .await?;

    rows.iter()
        .map(|row| {
            Ok(ConsensusAnswer {
                stored: answer_columns::read(row)?,
                left_out: TableRow::new("consensus_answer", row)?.json("left_out")?,
            })
        })
        .collect()
}
