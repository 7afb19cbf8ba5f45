//! The answers of reading comprehension as one archive.

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

/// What an archive is made of.
pub struct ComprehensionArchive {
    /// The study's short name.
    pub study: String,
    /// What was read.
    pub material: StudyMaterial,
    /// What was answered.
    pub answers: Vec<ParticipantAnswer>,
    /// Who took part.
    pub participants: Vec<ParticipantEntry>,
}

impl ComprehensionArchive {
    /// Writes a ZIP archive: answers as CSV, as JSONL and in the shape of ATS-EVAL, the material, and
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
        let left_out = self.write_ats_eval(&mut zip)?;
        begin(&mut zip, "participants.csv")?;
        self.write_participants(&mut zip, cells)?;
        begin(&mut zip, "material.jsonl")?;
        self.write_material(&mut zip)?;
        begin(&mut zip, "README.md")?;
        zip.write_all(self.readme(left_out).as_bytes())?;
        Ok(zip.finish()?.into_inner())
    }

    fn question(&self, of: &ParticipantAnswer) -> Option<(&str, &Question)> {
        let passages = &self.material.passages;
        let own = passages
            .iter()
            .find(|own| own.passage.name.as_str() == of.passage)?;
        let mut questions = own.passage.questions.iter();
        let (_, question) = questions.find(|(name, _)| name.as_str() == of.question)?;
        Some((&own.passage.title, question))
    }

    /// What the participant said at the end.
    fn comment(&self, of: &ParticipantAnswer) -> &str {
        let mut participants = self.participants.iter();
        let said = participants.find(|own| Some(&own.label) == of.participant.as_ref());
        said.map_or("", |own| &own.comment)
    }

    fn rows(&self) -> impl Iterator<Item = ComprehensionAnswerRow<'_>> {
        self.answers.iter().filter_map(|of| {
            let (title, question) = self.question(of)?;
            Some(ComprehensionAnswerRow {
                participant: of.participant.as_deref(),
                passage: &of.passage,
                title,
                condition: &of.condition,
                question: &of.question,
                question_text: question.text(),
                answer: of.choice,
                answer_text: question.answer(of.choice).unwrap_or(UNANSWERABLE),
                correct: of.choice == AnswerChoice::A,
                order: of.order,
                place: of.order.map(|order| order.place_of(of.choice)),
                active_ms: of.active_ms,
                passage_active_ms: of.passage_active_ms,
                left_out: of.left.is_some(),
                recorded_at: Some(of.recorded_at),
            })
        })
    }

    /// Answers of whoever has not left to passages of three questions, all three of them answered; how
    /// many others there are.
    fn write_ats_eval(&self, out: impl Write) -> io::Result<usize> {
        let mut groups: Vec<Vec<&ParticipantAnswer>> = Vec::new();
        let mut open = HashMap::new();
        let counted = self.answers.iter().filter(|of| of.left.is_none());
        let all = counted.clone().count();
        for of in counted {
            let key = (&of.participant, &of.passage, &of.condition);
            let at = open.get(&key).copied().filter(|at: &usize| {
                groups[*at]
                    .iter()
                    .all(|other| other.question != of.question)
            });
            match at {
                Some(at) => groups[at].push(of),
                None => {
                    open.insert(key, groups.len());
                    groups.push(vec![of]);
                }
            }
        }
        let mut writer = ats_eval::AtsEvalWriter::new(out)?;
        let mut written = 0;
        for mut group in groups {
            let name = &group[0].passage;
            let passages = &self.material.passages;
            let own = passages
                .iter()
                .find(|own| own.passage.name.as_str() == name);
            let (Some(own), 3) = (own, group.len()) else {
                continue;
            };
            let place = |of: &ParticipantAnswer| {
                let mut names = own.passage.questions.iter();
                names.position(|(name, _)| name.as_str() == of.question)
            };
            group.sort_by_key(|of| place(of));
            let asked = |of: &ParticipantAnswer| {
                Some((&own.passage.questions.get(place(of)?)?.1, of.choice))
            };
            let (Some(first), Some(second), Some(third)) =
                (asked(group[0]), asked(group[1]), asked(group[2]))
            else {
                continue;
            };
            let condition = &group[0].condition;
            let text = own
                .passage
                .texts
                .iter()
                .find(|(name, _)| name.as_str() == condition);
            let (article_id, para_id) = name.rsplit_once("_p").unwrap_or((name, ""));
            writer.write(&ats_eval::AtsEvalRow {
                article_id,
                para_id,
                title: &own.passage.title,
                paragraph: text.map_or("", |(_, text)| text.as_str()),
                model_name: condition,
                model: condition,
                comments: self.comment(group[0]),
                answers: [first, second, third],
            })?;
            written += 3;
        }
        writer.finish()?;
        Ok(all - written)
    }

    /// A row a text and a row a question, as the import reads them.
    fn write_material(&self, mut out: impl Write) -> io::Result<()> {
        for own in &self.material.passages {
            let passage = &own.passage;
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

    /// Who took part, and what they said at the end.
    fn write_participants(&self, out: impl Write, cells: FormulaEscaping) -> io::Result<()> {
        let mut csv = ParticipantWriter::new(out, cells)?;
        for of in &self.participants {
            csv.write(&ParticipantRow {
                participant: &of.label,
                joined_at: of.joined_at,
                begun_at: of.begun_at,
                finished_at: of.finished_at,
                texts: of.texts,
                done: of.done,
                active_ms: of.passages_ms.iter().sum(),
                checks: of.checks,
                checks_passed: of.checks_passed,
                left: &of.left.map(|left| left.to_string()).unwrap_or_default(),
                reason: &of.reason,
                comment: &of.comment,
            })?;
        }
        csv.finish().map(drop)
    }

    fn readme(&self, left_out: usize) -> String {
        format!(
            "# Answers of the reading-comprehension study {study}\n\n\
             Written by Rank & Rate {version}. {answers} answers to main passages; practice and \
             attention checks are not in it.\n\n\
             - `{study}-answers.csv` and `{study}-answers.jsonl`: one row an answer. A is right, B \
             misreads the critical span, C comes from elsewhere in the text, D is unsupported \
             (STARC). `order` is the order in which the four answers were shown, *unanswerable* \
             stood last; `place` is where the answer stood, from 1 to 5. `active_ms` and \
             `passage_active_ms` are active milliseconds on the question and on its passage, from \
             the first view to the last thing done, pauses counted up to a minute. `left_out` says \
             that the participant withdrew, was left out or gave up: no figure counts such rows. \
             Participants go by pseudonyms; a row without one is of a file that names nobody.\n\
             - `{study}-ats-eval.csv`: one row a participant and passage in the shape of ATS-EVAL, \
             without what is left out; {left_out} answers do not fit the shape, which has three \
             questions a passage.\n\
             - `{study}-participants.csv`: one row a participant, whether they count or not: when they \
             joined, consented and finished (milliseconds since 1970), texts given and done, active \
             milliseconds on main texts, attention checks, how and why they left, and their comment at \
             the end.\n\
             - `{study}-material.jsonl`: texts, questions, and where the evidence stands (`critical`, \
             `distractor`: characters of the text, counted from 0), as the import reads them.\n",
            study = self.study,
            version = env!("CARGO_PKG_VERSION"),
            answers = self.answers.len(),
        )
    }
}
