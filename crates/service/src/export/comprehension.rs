//! The answers of a reading-comprehension study in one archive.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use domain::comprehension::{AnswerChoice, Question};
use formats::{
    FormulaEscaping,
    comprehension::{
        ComprehensionAnswerRow, ComprehensionAnswerWriter, ParticipantRow, ParticipantWriter,
        UNANSWERABLE, ats_eval, write_spans,
    },
    write_line,
};
use serde_json::json;
use store::comprehension::{ParticipantAnswer, ParticipantEntry, StudyMaterial};
use zip::{ZipWriter, write::SimpleFileOptions};

/// The contents of an archive.
pub struct ComprehensionArchive {
    /// The study's short name.
    pub study: String,
    /// The passages and questions.
    pub material: StudyMaterial,
    /// The answers.
    pub answers: Vec<ParticipantAnswer>,
    /// The participants.
    pub participants: Vec<ParticipantEntry>,
}

impl ComprehensionArchive {
    /// Writes a ZIP archive: the answers as CSV, as JSONL and in the format of ATS-EVAL, the material, and
    /// a README.
    pub fn write_zip(&self, cells: FormulaEscaping) -> io::Result<Vec<u8>> {
        let mut zip = ZipWriter::new(io::Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default();
        let begin = |zip: &mut ZipWriter<_>, file: &str| {
            zip.start_file(format!("{}-{file}", self.study), options)
                .map_err(io::Error::from)
        };

        begin(&mut zip, "answers.csv")?;
        let mut csv = ComprehensionAnswerWriter::new(&mut zip, cells)?;
        self.rows().try_for_each(|row| csv.write(&row))?;
        csv.finish()?;

        begin(&mut zip, "answers.jsonl")?;
        self.rows().try_for_each(|row| write_line(&mut zip, &row))?;

        begin(&mut zip, "ats-eval.csv")?;
        let left_out = self.write_ats_eval(&mut zip, cells)?;

        begin(&mut zip, "participants.csv")?;
        self.write_participants(&mut zip, cells)?;

        begin(&mut zip, "material.jsonl")?;
        self.write_material(&mut zip)?;

        begin(&mut zip, "README.md")?;
        zip.write_all(self.readme(left_out).as_bytes())?;

        Ok(zip.finish()?.into_inner())
    }

    /// The title of the passage, and the question that was answered.
    fn question(&self, answer: &ParticipantAnswer) -> Option<(&str, &Question)> {
        let passages = &self.material.passages;
        let entry = passages
            .iter()
            .find(|entry| entry.passage.name.as_str() == answer.passage)?;

        let mut questions = entry.passage.questions.iter();
        let (_, question) = questions.find(|(name, _)| name.as_str() == answer.question)?;
        Some((&entry.passage.title, question))
    }

    /// The participant's comment at the end of the session.
    fn comment(&self, answer: &ParticipantAnswer) -> &str {
        let mut participants = self.participants.iter();
        let participant = participants.find(|own| Some(&own.label) == answer.participant.as_ref());
        participant.map_or("", |own| &own.comment)
    }

    fn rows(&self) -> impl Iterator<Item = ComprehensionAnswerRow<'_>> {
        self.answers.iter().filter_map(|answer| {
            let (title, question) = self.question(answer)?;
            Some(ComprehensionAnswerRow {
                participant: answer.participant.as_deref(),
                passage: &answer.passage,
                title,
                condition: &answer.condition,
                question: &answer.question,
                question_text: question.text(),
                answer: answer.choice,
                answer_text: question.answer(answer.choice).unwrap_or(UNANSWERABLE),
                correct: answer.choice == AnswerChoice::A,
                order: answer.order,
                place: answer.order.map(|order| order.place_of(answer.choice)),
                active_ms: answer.active_ms,
                passage_active_ms: answer.passage_active_ms,
                left_out: answer.left.is_some(),
                recorded_at: Some(answer.recorded_at),
            })
        })
    }

    /// Writes the answers of participants who have not left, for passages whose three questions were all
    /// answered. Returns the number of answers that were not written.
    fn write_ats_eval(&self, out: impl Write, cells: FormulaEscaping) -> io::Result<usize> {
        let mut groups: Vec<Vec<&ParticipantAnswer>> = Vec::new();
        let mut open = HashMap::new();
        // There is one group for each participant and text. An imported file may have several answers of unnamed
        // participants to one question, so a second answer opens a new group.

        let counted = self.answers.iter().filter(|answer| answer.left.is_none());
        let total = counted.clone().count();
        for answer in counted {
            let key = (&answer.participant, &answer.passage, &answer.condition);
            let index = open.get(&key).copied().filter(|index: &usize| {
                let group: &Vec<&ParticipantAnswer> = &groups[*index];
                group.iter().all(|other| other.question != answer.question)
            });
            match index {
                Some(index) => groups[index].push(answer),
                None => {
                    open.insert(key, groups.len());
                    groups.push(vec![answer]);
                }
            }
        }

        let mut writer = ats_eval::AtsEvalWriter::new(out, cells)?;
        let mut written_count = 0;
        for mut group in groups {
            let name = &group[0].passage;
            let passages = &self.material.passages;
            let entry = passages
                .iter()
                .find(|entry| entry.passage.name.as_str() == name);
            let (Some(entry), 3) = (entry, group.len()) else {
                continue;
            };
            let questions = &entry.passage.questions;
            let position = |answer: &ParticipantAnswer| {
                let mut names = questions.iter();
                names.position(|(name, _)| name.as_str() == answer.question)
            };
            group.sort_by_key(|answer| position(answer));
            let choice = |answer: &ParticipantAnswer| {
                let (_, question) = questions.get(position(answer)?)?;
                Some((question, answer.choice))
            };
            let (Some(first), Some(second), Some(third)) =
                (choice(group[0]), choice(group[1]), choice(group[2]))
            else {
                continue;
            };

            let condition = &group[0].condition;
            let text = entry
                .passage
                .texts
                .iter()
                .find(|(name, _)| name.as_str() == condition);

            let (article_id, para_id) = name.rsplit_once("_p").unwrap_or((name, ""));
            writer.write(&ats_eval::AtsEvalRow {
                article_id,
                para_id,
                title: &entry.passage.title,
                paragraph: text.map_or("", |(_, text)| text.as_str()),
                model_name: condition,
                model: condition,
                comments: self.comment(group[0]),
                answers: [first, second, third],
            })?;

            written_count += 3;
        }

        writer.finish()?;
        Ok(total - written_count)
    }

    /// Writes one row for each text, question and question's spans, as the import reads them.
    fn write_material(&self, mut out: impl Write) -> io::Result<()> {
        for entry in &self.material.passages {
            let passage = &entry.passage;
            for (condition, text) in &passage.texts {
                let row = json!({
                    "passage": passage.name, "title": passage.title, "purpose": passage.purpose,
                    "condition": condition, "text": text,
                });
                write_line(&mut out, &row)?;
            }

            for (name, question) in &passage.questions {
                let [a, b, c, d] = question.answers();
                let row = json!({
                    "passage": passage.name, "question": name, "question_text": question.text(),
                    "a": a, "b": b, "c": c, "d": d,
                });
                write_line(&mut out, &row)?;
            }

            for (condition, question, spans) in &passage.spans {
                let mut texts = passage.texts.iter();
                let text = texts.find(|(own, _)| own == condition);
                let text = text.map_or("", |(_, text)| text.as_str());
                let row = json!({
                    "passage": passage.name, "condition": condition, "question": question,
                    "critical": write_spans(text, &spans.critical),
                    "distractor": write_spans(text, &spans.distractor),
                });
                write_line(&mut out, &row)?;
            }
        }
        Ok(())
    }

    /// Writes the participants, with their comments at the end of the session.
    fn write_participants(&self, out: impl Write, cells: FormulaEscaping) -> io::Result<()> {
        let mut csv = ParticipantWriter::new(out, cells)?;

        for participant in &self.participants {
            csv.write(&ParticipantRow {
                participant: &participant.label,
                joined_at: participant.joined_at,
                begun_at: participant.begun_at,
                finished_at: participant.finished_at,
                texts: participant.texts,
                done: participant.done,
                active_ms: participant.passages_ms.iter().sum(),
                checks: participant.checks,
                checks_passed: participant.checks_passed,
                left: &participant
                    .left
                    .map(|left| left.to_string())
                    .unwrap_or_default(),
                reason: &participant.reason,
                comment: &participant.comment,
            })?;
        }

        csv.finish().map(drop)
    }

    fn readme(&self, left_out: usize) -> String {
        format!(
            "# Answers of the reading-comprehension study {study}\n\n\
             Written by Rank & Rate {version}. {answers} answers to main passages; practice and \
             attention checks are not in it.\n\n\
             - `{study}-answers.csv` and `{study}-answers.jsonl`: one row per answer. A is right, B \
             misreads the critical span, C comes from elsewhere in the text, D is unsupported \
             (STARC). `order` is the order in which the four answers were shown, *unanswerable* \
             was always last; `place` is the position of the answer, from 1 to 5. `active_ms` and \
             `passage_active_ms` are active milliseconds on the question and on its passage, from \
             the first view to the last thing done, pauses counted up to a minute. `left_out` means \
             that the participant withdrew, was excluded or gave up: no figure counts such rows. \
             Participants go by pseudonyms; a row without one is from a file without participant names.\n\
             - `{study}-ats-eval.csv`: one row per participant and passage in the shape of ATS-EVAL, \
             without rows that are left out; {left_out} answers do not fit the shape, which has three \
             questions per passage.\n\
             - `{study}-participants.csv`: one row per participant, whether they count or not: when they \
             joined, consented and finished (milliseconds since 1970), texts given and done, active \
             milliseconds on main texts, attention checks, how and why they left, and their comment at \
             the end.\n\
             - `{study}-material.jsonl`: texts, questions, and where the evidence is (`critical`, \
             `distractor`: characters of the text, counted from 0), as the import reads them.\n",
            study = self.study,
            version = env!("CARGO_PKG_VERSION"),
            answers = self.answers.len(),
        )
    }
}
