//! Reading comprehension for the demonstration: texts of our own, and simulated readers.

use domain::{
    comprehension::{
        AnswerChoice, ChoiceOrder, ComprehensionDesign, ComprehensionSettings, MaterialName,
        NonBlankText, Passage, PassagePurpose, Question, ScreeningQuestion,
    },
    ids::StudyId,
};
use serde::Deserialize;
use store::{Store, comprehension::ComprehensionImportAnswer};

use crate::clock;

/// The two conditions, and the share of right answers in each.
const CONDITIONS: [(&str, f64); 2] = [("Original", 0.64), ("Simplified", 0.84)];

/// The number of readers per condition.
const READERS: u32 = 12;

/// The orders in which answers were shown, in turn.
const ORDERS: [&str; 4] = ["CADB", "BDAC", "DCBA", "ACBD"];

#[derive(Debug, Deserialize)]
struct ComprehensionMaterial {
    information: String,
    instructions: String,
    passages: Vec<PassageTexts>,
}

#[derive(Debug, Deserialize)]
struct PassageTexts {
    name: String,
    title: String,
    purpose: PassagePurpose,
    original: String,
    simplified: String,
    /// Each question with its four answers, in the order of STARC.
    questions: Vec<[String; 5]>,
}

/// Sets up reading comprehension, with passages and the answers of simulated readers.
pub(super) async fn set_up(store: &Store, study: StudyId, now_ms: i64) -> anyhow::Result<()> {
    let material: ComprehensionMaterial = serde_json::from_str(include_str!("reading.json"))
        .expect("the file is part of the program");

    let settings = ComprehensionSettings {
        design: ComprehensionDesign {
            readers: READERS,
            texts: 3,
            ..ComprehensionDesign::default()
        },
        information: material.information,
        instructions: material.instructions,
        screening: ScreeningQuestion::parse_all("First language | English | another")
            .expect("a question"),
        completion_code: "DEMO".to_owned(),
        ..ComprehensionSettings::default()
    };

    store
        .set_comprehension_settings(study, &settings, now_ms)
        .await?;

    let passages = material.passages.iter().map(build_passage);
    let passages: Vec<Passage> = passages.collect::<Result<_, _>>()?;
    let answers = SimulatedAnswer::simulate_all(&passages)?;
    let rows: Vec<_> = answers.iter().map(SimulatedAnswer::row).collect();
    store
        .import_comprehension(study, &passages, &rows, clock::new_id, now_ms)
        .await?;
    Ok(())
}

fn build_passage(of: &PassageTexts) -> anyhow::Result<Passage> {
    let texts = [&of.original, &of.simplified];
    let text = |((condition, _), text): ((&str, f64), &&String)| -> anyhow::Result<_> {
        let name: MaterialName = condition.parse()?;
        Ok((name, NonBlankText::try_from((*text).clone())?))
    };
    let question = |(number, [wording, answers @ ..]): (usize, &[String; 5])| -> anyhow::Result<_> {
        let name: MaterialName = format!("q{number}").parse()?;
        Ok((name, Question::new(wording, answers)?))
    };

    Ok(Passage {
        name: of.name.parse()?,
        title: of.title.clone(),
        texts: CONDITIONS
            .into_iter()
            .zip(&texts)
            .map(text)
            .collect::<anyhow::Result<_>>()?,
        questions: (1..)
            .zip(&of.questions)
            .map(question)
            .collect::<anyhow::Result<_>>()?,
        spans: vec![],
        purpose: of.purpose,
    })
}

/// The answer of a simulated reader.
struct SimulatedAnswer<'a> {
    id: String,
    passage: &'a MaterialName,
    question: &'a MaterialName,
    condition: MaterialName,
    reader: MaterialName,
    choice: AnswerChoice,
    order: ChoiceOrder,
    active_ms: u64,
}

impl<'a> SimulatedAnswer<'a> {
    /// Simulates the answers of all readers, each of whom reads one condition.
    fn simulate_all(passages: &'a [Passage]) -> anyhow::Result<Vec<Self>> {
        let mut answers = vec![];
        let main = passages
            .iter()
            .filter(|passage| passage.purpose == PassagePurpose::Main);
        let questions = main.flat_map(|passage| {
            passage
                .questions
                .iter()
                .map(move |(name, _)| (&passage.name, name))
        });

        for (at, (passage, question)) in questions.enumerate() {
            for reader in 0..2 * READERS as usize {
                let (condition, right) = CONDITIONS[reader % 2];
                // Spread evenly over readers and questions, and the same each time.
                let chance = ((reader * 37 + at * 61 + reader * at * 13) % 100) as f64 / 100.0;
                let choice = if chance < right {
                    AnswerChoice::A
                } else {
                    [
                        AnswerChoice::B,
                        AnswerChoice::C,
                        AnswerChoice::B,
                        AnswerChoice::D,
                    ][(reader + at) % 4]
                };

                let (of, asked) = (passage.as_str(), question.as_str());
                answers.push(Self {
                    id: format!("simulated-{of}-{asked}-{reader}"),
                    passage,
                    question,
                    condition: condition.parse()?,
                    reader: format!("simulated reader {}", reader + 1).parse()?,
                    choice,
                    order: ORDERS[(reader + 3 * at) % 4].parse()?,
                    active_ms: 5_000 + ((reader * 700 + at * 1_300) % 9_000) as u64,
                });
            }
        }

        Ok(answers)
    }

    fn row(&self) -> ComprehensionImportAnswer<'_> {
        ComprehensionImportAnswer {
            id: &self.id,
            passage: self.passage,
            question: self.question,
            condition: &self.condition,
            participant: Some(&self.reader),
            choice: self.choice,
            order: Some(self.order),
            active_ms: Some(self.active_ms),
        }
    }
}
