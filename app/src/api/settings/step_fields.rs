//! The steps of a protocol, with their scales, questions and marks, as form fields.

use std::collections::BTreeSet;

use domain::{
    protocol::{AnswerStep, WriteStep},
    questions::{AnswerOption, AskedQuestion, QuestionCondition, QuestionKind, QuestionOptions},
    score::RatingScale,
    score_input::{ScoreInput, SliderInput},
    span_marks::taxonomy::{MarkLevel, SpanTaxonomy, SpanType},
    study::Dimension,
    writing::{WritingStart, WrittenUse},
};

use super::{DimensionField, MarkLevelField, QuestionField, SpanTypeField, WritingFields};
use crate::{error::Refusal, request::parse};

/// Parses the rating dimensions in the order of the form; fields without a name are left out.
///
/// # Errors
/// For no dimension or more than eight, a duplicate name, or a scale whose end is not above its beginning.
pub fn dimensions(fields: &[DimensionField]) -> Result<Vec<Dimension>, Refusal> {
    let mut seen = BTreeSet::new();
    let mut dimensions = vec![];
    for field in fields.iter().filter(|field| !field.name.trim().is_empty()) {
        let name = parse::line(&field.name, "The name of a dimension", 40)?.to_lowercase();

        let end = |text, bound: &str| {
            parse::integer(text, &format!("The {bound} end of “{name}”"), -1000..=1000)
        };
        let (low, high) = (end(&field.low, "low")?, end(&field.high, "high")?);

        if low >= high {
            return Err(Refusal::invalid(format!(
                "The high end of “{name}” must be above the low one."
            )));
        }

        if !seen.insert(name.clone()) {
            return Err(Refusal::invalid(format!(
                "There are two dimensions called “{name}”. Remove one or rename it."
            )));
        }

        let scale = RatingScale { low, high };
        let input = score_input(field)?;
        let bad = |bad| Refusal::invalid(format!("“{name}” was not saved: {bad}."));
        input.check(scale).map_err(bad)?;
        dimensions.push(Dimension { name, scale, input });
    }

    match dimensions.len() {
        1..=8 => Ok(dimensions),
        0 => Err(Refusal::invalid(
            "Name at least one dimension that outputs are rated on.",
        )),
        _ => Err(Refusal::invalid("Use at most eight dimensions.")),
    }
}

/// Parses the control of a dimension.
fn score_input(field: &DimensionField) -> Result<ScoreInput, Refusal> {
    let slider = |hides_number| {
        ScoreInput::Slider(SliderInput {
            hides_number,
            low: field.low_label.trim().to_owned(),
            high: field.high_label.trim().to_owned(),
        })
    };

    match field.control.as_str() {
        "" | "slider" => Ok(slider(false)),
        "hidden" => Ok(slider(true)),
        "levels" => {
            let lines = field.levels.lines().map(str::trim);
            let labels = lines.filter(|line| !line.is_empty()).map(str::to_owned);
            Ok(ScoreInput::Levels(labels.collect()))
        }
        _ => Err(Refusal::invalid("Choose how annotators give the score.")),
    }
}

/// Parses the types and levels of marked spans; those without a name are left out.
///
/// # Errors
/// For an invalid place of words, form of edits or number.
pub fn taxonomy(
    types: &[SpanTypeField],
    levels: &[MarkLevelField],
    rules: &str,
) -> Result<SpanTaxonomy, Refusal> {
    let kind = |field: &SpanTypeField| {
        let prefill = field.prefill.split_whitespace().map(parse::choice);
        Ok(SpanType {
            name: field.name.trim().to_owned(),
            sides: parse::choice(&field.sides)?,
            description: field.description.trim().to_owned(),
            prefill: prefill.collect::<Result<_, Refusal>>()?,
        })
    };

    let level = |field: &MarkLevelField| {
        let most = SpanTaxonomy::LARGEST_VALUE;
        let value = match field.value.trim() {
            "" => 0.0,
            given => parse::number(given, "The number of a level", -most..=most)?,
        };
        Ok(MarkLevel {
            name: field.name.trim().to_owned(),
            value,
            description: field.description.trim().to_owned(),
        })
    };

    let types = types.iter().filter(|field| !field.name.trim().is_empty());
    let levels = levels.iter().filter(|field| !field.name.trim().is_empty());
    let rules = rules.lines().map(str::trim).filter(|rule| !rule.is_empty());

    Ok(SpanTaxonomy {
        types: types.map(kind).collect::<Result<_, Refusal>>()?,
        levels: levels.map(level).collect::<Result<_, Refusal>>()?,
        rules: rules.map(str::to_owned).collect(),
    })
}

/// Parses the settings of the step in which annotators write.
///
/// # Errors
/// For an invalid choice or number.
pub fn write_step(fields: &WritingFields) -> Result<WriteStep, Refusal> {
    let optional = |text: &str, of: &str, range| match text.trim() {
        "" => Ok(None),
        given => parse::integer(given, of, range).map(Some),
    };

    let words = WriteStep::WORDS;
    Ok(WriteStep {
        start: match fields.start.as_str() {
            "" => WritingStart::Blank,
            given => parse::choice(given)?,
        },
        start_system: fields.start_system.trim().to_owned(),
        least_words: optional(&fields.least_words, "The fewest words", words.clone())?,
        most_words: optional(&fields.most_words, "The most words", words)?,
        target_percent: optional(&fields.target_percent, "The length", WriteStep::PERCENT)?,
        becomes: match fields.becomes.as_str() {
            "" => WrittenUse::References,
            given => parse::choice(given)?,
        },
        system: fields.system.trim().to_owned(),
    })
}

/// The default length limit of a text answer, in characters.
const TEXT_LENGTH: u32 = 500;

/// Parses the questions that annotators answer, in their places; those without a wording are left out.
///
/// # Errors
/// For an invalid choice or number.
pub fn questions(fields: &[QuestionField]) -> Result<Vec<AskedQuestion>, Refusal> {
    let mut questions = vec![];
    let asked = fields.iter().filter(|field| !field.text.trim().is_empty());
    for (number, field) in (1..).zip(asked) {
        let text = field.text.trim();
        let of = |part: &str| format!("{part} of question {number}");

        let kind = match field.kind.as_str() {
            "one" => QuestionKind::One(answer_options(&field.options)),
            "several" => QuestionKind::Several(answer_options(&field.options)),
            "text" => QuestionKind::Text(match field.length.trim() {
                "" => TEXT_LENGTH,
                given => parse::integer(given, &of("The most characters"), AnswerStep::LENGTH)?,
            }),
            _ => {
                let refusal = format!("Choose how question {number} is answered.");
                return Err(Refusal::invalid(refusal));
            }
        };

        let answers = field
            .answers
            .split([' ', ','])
            .filter(|key| !key.is_empty());
        let condition = match field.condition.as_str() {
            "" => None,
            "category" => {
                let categories = answers.map(|name| parse::choice(&name.to_lowercase()));
                Some(QuestionCondition::Category(
                    categories.collect::<Result<_, _>>()?,
                ))
            }
            question => Some(QuestionCondition::Answered(QuestionOptions {
                question: question.to_owned(),
                options: answers.map(str::to_owned).collect(),
            })),
        };

        let place = match field.place.trim() {
            "" => number,
            given => parse::integer(given, &of("The place"), 1..=999)?,
        };

        let asked = AskedQuestion {
            key: key_or_derived(&field.key, text),
            text: text.to_owned(),
            hint: field.hint.trim().to_owned(),
            about: parse::choice(&field.about)?,
            kind,
            required: !field.required.is_empty(),
            condition,
        };
        questions.push((place, asked));
    }

    questions.sort_by_key(|(place, _)| *place);
    Ok(questions.into_iter().map(|(_, asked)| asked).collect())
}

/// Parses the options of a question: one per line, with or without a key.
fn answer_options(lines: &str) -> Vec<AnswerOption> {
    let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
    let option = |line: &str| match line.split_once('=') {
        Some((key, label)) => AnswerOption {
            key: key_or_derived(key, label),
            label: label.trim().to_owned(),
        },
        None => AnswerOption {
            key: key_or_derived("", line),
            label: line.to_owned(),
        },
    };
    lines.map(option).collect()
}

/// The given key, or one derived from the letters and digits of a wording.
fn key_or_derived(key: &str, wording: &str) -> String {
    let key = key.trim();
    if !key.is_empty() {
        return key.to_owned();
    }

    let lower = wording.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_ascii_alphanumeric());

    let mut derived = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if derived.len() + 1 + word.len() > AnswerStep::LONGEST_KEY {
            break;
        }
        if !derived.is_empty() {
            derived.push('-');
        }
        derived.push_str(word);
    }
    derived
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, low: &str, high: &str) -> DimensionField {
        DimensionField {
            name: name.into(),
            low: low.into(),
            high: high.into(),
            ..DimensionField::default()
        }
    }

    #[test]
    fn levels_are_lines_of_text_one_for_each_number() {
        let with = |control: &str, levels: &str| DimensionField {
            control: control.into(),
            levels: levels.into(),
            ..field("meaning", "1", "3")
        };
        let parsed = dimensions(&[with("levels", " lost\n\nhalf \r\nkept\n")]).expect("fits");
        let labels = ["lost", "half", "kept"].map(str::to_owned);
        assert_eq!(parsed[0].input, ScoreInput::Levels(labels.to_vec()));
        let hidden = dimensions(&[with("hidden", "")]).expect("fits");
        let hides = |input: &ScoreInput| matches!(input, ScoreInput::Slider(s) if s.hides_number);
        assert!(hides(&hidden[0].input));
        let few = dimensions(&[with("levels", "lost\nkept")]).expect_err("too few");
        let expect = "“meaning” was not saved: a scale from 1 to 3 has 3 levels: write one label for each, not 2.";
        assert_eq!(few, Refusal::invalid(expect));
        assert!(dimensions(&[with("other", "")]).is_err());
    }

    #[test]
    fn dimensions_have_names_of_their_own_and_a_scale_that_rises() {
        let percent = || field("Overall ", "0", "100");
        let parsed = dimensions(&[percent(), field("", "", ""), field("fluency", "-2", "2")]);
        let names: Vec<_> = parsed
            .expect("fits")
            .into_iter()
            .map(|dimension| dimension.name)
            .collect();
        assert_eq!(names, ["overall", "fluency"]);
        for bad in [
            vec![],
            vec![percent(), percent()],
            vec![field("a", "1", "1")],
            vec![field("a", "", "5")],
            (0..9).map(|n| field(&n.to_string(), "0", "1")).collect(),
        ] {
            assert!(dimensions(&bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn questions_have_keys_places_and_conditions() {
        let asked = |place: &str, text: &str, kind: &str| QuestionField {
            place: place.into(),
            text: text.into(),
            kind: kind.into(),
            about: "output".into(),
            options: "y = Yes!\n\nNot at all".into(),
            ..QuestionField::default()
        };
        let later = QuestionField {
            condition: "is-it-good".into(),
            answers: "y, not-at-all".into(),
            length: "20".into(),
            ..asked("2", " Why? ", "text")
        };
        let fields = [later, asked("", "", ""), asked("1", "Is it good?", "one")];
        let parsed = questions(&fields).expect("questions");
        AnswerStep {
            questions: parsed.clone(),
        }
        .check(false)
        .expect("a step");
        assert_eq!(parsed[0].key, "is-it-good");
        let options: Vec<_> = parsed[0]
            .options()
            .iter()
            .map(|own| own.key.as_str())
            .collect();
        assert_eq!(options, ["y", "not-at-all"]);
        assert_eq!(
            (parsed[1].text.as_str(), &parsed[1].kind),
            ("Why?", &QuestionKind::Text(20))
        );
        let bad = |change: &dyn Fn(&mut QuestionField)| {
            let mut field = asked("1", "Is it good?", "text");
            change(&mut field);
            questions(&[field]).is_err()
        };
        assert!(!bad(&|_| {}));
        assert!(bad(&|field| field.kind = "other".into()));
        assert!(bad(&|field| field.length = "0".into()));
        assert!(bad(&|field| field.place = "x".into()));
        assert!(bad(&|field| field.about = "system".into()));
        assert!(bad(
            &|field| (field.condition, field.answers) = ("category".into(), "long".into())
        ));
    }

    #[test]
    fn what_is_written_has_a_beginning_and_limits() {
        let fields = WritingFields {
            on: "yes".into(),
            start: "output".into(),
            start_system: " GPT ".into(),
            most_words: "30".into(),
            becomes: "outputs".into(),
            system: "Writers".into(),
            ..WritingFields::default()
        };
        let step = write_step(&fields).expect("a step");
        assert_eq!(
            (step.start, step.start_system.as_str()),
            (WritingStart::Output, "GPT")
        );
        assert_eq!((step.least_words, step.most_words), (None, Some(30)));
        assert_eq!(step.becomes, WrittenUse::Outputs);
        let blank = write_step(&WritingFields::default()).expect("a step");
        assert_eq!(blank, WriteStep::default());
        let bad = |change: &dyn Fn(&mut WritingFields)| {
            let mut fields = fields.clone();
            change(&mut fields);
            write_step(&fields).is_err()
        };
        assert!(!bad(&|_| {}));
        assert!(bad(&|fields| fields.start = "reference".into()));
        assert!(bad(&|fields| fields.becomes = "sources".into()));
        assert!(bad(&|fields| fields.most_words = "many".into()));
        assert!(bad(&|fields| fields.least_words = "0".into()));
        assert!(bad(&|fields| fields.target_percent = "1000".into()));
    }
}
