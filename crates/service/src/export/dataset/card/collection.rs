//! How the dataset was collected: the study's steps, and what was rated.

use std::io::{self, Write};

use domain::{
    protocol::{OutputsShown, ProtocolStep},
    questions::QuestionAbout,
    score_input::ScoreInput,
    study::{Dimension, RaterKind},
    writing::WritingStart,
};

use super::one_line;
use crate::{
    export::{ExportContext, groups},
    wording::{count_noun, list_words},
};

/// Writes the section.
pub(super) fn write(context: &ExportContext, out: &mut dyn Write) -> io::Result<()> {
    let settings = &context.study.settings;
    let overlap = settings.raters_each() as usize;
    writeln!(
        out,
        "\n## How it was collected\n\nThe study is set up for {} a source, each of whom judges all outputs of a source \
         before the next source, in these steps:\n",
        count_noun(overlap, "annotator")
    )?;

    for (step, number) in settings.protocol.steps().iter().zip(1..) {
        writeln!(out, "{number}. {}: {}", step.title(), describe_step(step))?;
    }

    if context
        .summary
        .rater_kinds()
        .contains_key(&RaterKind::Imported)
    {
        writeln!(
            out,
            "\nImported ratings were collected elsewhere: these steps are not theirs."
        )?;
    }

    let dimensions = &context.agreement.dimensions;
    let scores = settings.protocol.scores();
    if !dimensions.is_empty() {
        writeln!(out, "\nDimensions:\n")?;
    }
    for (dimension, agreement) in dimensions {
        let name = one_line(&dimension.name);
        match scores || agreement.is_some() {
            true => writeln!(out, "- {name}: {}", describe_scale(dimension))?,
            false => writeln!(out, "- {name}")?,
        }
    }
    groups::describe(context, one_line, out)
}

fn describe_step(step: &ProtocolStep) -> String {
    let seen = |hides_source: bool, shows_reference: bool| {
        let source = if hides_source {
            ", without seeing the source"
        } else {
            ""
        };
        let reference = if shows_reference {
            ", beside a reference"
        } else {
            ""
        };
        format!("{source}{reference}.")
    };

    match step {
        ProtocolStep::Categorise => "put each output in a category.".to_owned(),
        ProtocolStep::CheckEdits => {
            "correct the automatic edits that are highlighted in each output.".to_owned()
        }

        ProtocolStep::MarkSpans(step) => {
            let types = step.taxonomy.types.iter();
            let types: Vec<_> = types.map(|kind| one_line(&kind.name)).collect();
            let levels = step.taxonomy.levels.iter();

            let levels: Vec<_> = levels
                .map(|level| format!("{} ({})", one_line(&level.name), level.value))
                .collect();

            let levels = match levels.is_empty() {
                true => String::new(),
                false => format!(" Levels: {}.", list_words(&levels)),
            };
            let prefilled = match step.prefills {
                true => " The automatic edits were marked beforehand.",
                false => "",
            };

            let types = list_words(&types);
            format!(
                "mark words of the source and of each output. Types: {types}.{levels}{prefilled}"
            )
        }
        ProtocolStep::RankAndRate => {
            "put the outputs of each category in order, and score each of them.".to_owned()
        }

        ProtocolStep::Rate(step) => {
            let at_a_time = match step.outputs {
                OutputsShown::All => "",
                OutputsShown::One => ", one at a time",
            };

            let seen = seen(step.hides_source, step.shows_reference);
            format!("score each output{at_a_time}{seen}")
        }

        ProtocolStep::Compare(step) => {
            let choice = match step.is_of_pairs() {
                true if step.allows_ties => {
                    "say which of two outputs is better, or neither".to_owned()
                }
                true => "say which of two outputs is better".to_owned(),
                false => format!("choose the best and the worst of {} outputs", step.together),
            };

            let seen = seen(step.hides_source, step.shows_reference);
            format!("{choice}{seen}")
        }

        ProtocolStep::Write(step) => {
            let start = match step.start {
                WritingStart::Blank => "write a simplification of the source",
                WritingStart::Source => "rewrite the source as a simplification",
                WritingStart::Output => "post-edit the output of a system",
            };

            match step.describe_limits() {
                Some(limits) => format!("{start} ({limits})."),
                None => format!("{start}."),
            }
        }

        ProtocolStep::Answer(step) => {
            let questions = step.questions.iter();
            let questions: Vec<_> = questions
                .map(|question| {
                    let text = one_line(&question.text);
                    match question.about {
                        QuestionAbout::Output => format!("“{text}”"),
                        QuestionAbout::Source => format!("“{text}” (of the source)"),
                    }
                })
                .collect();

            format!(
                "answer questions about each output: {}.",
                list_words(&questions)
            )
        }
    }
}

/// The scale with the labels of its levels or ends.
fn describe_scale(dimension: &Dimension) -> String {
    let scale = dimension.scale;
    match &dimension.input {
        ScoreInput::Levels(labels) => {
            let labels = (scale.low..).zip(labels);
            let labels: Vec<_> = labels
                .map(|(score, label)| format!("{score} “{}”", one_line(label)))
                .collect();

            format!("{scale}, in levels: {}", labels.join(", "))
        }
        ScoreInput::Slider(slider) => {
            let ends = [(scale.low, &slider.low), (scale.high, &slider.high)];
            let ends = ends.into_iter().filter(|(_, label)| !label.is_empty());
            let ends: Vec<_> = ends
                .map(|(score, label)| format!("{score} “{}”", one_line(label)))
                .collect();

            let hidden = match slider.hides_number {
                true => " that shows no number",
                false => "",
            };
            let ends = match ends.is_empty() {
                true => String::new(),
                false => format!(": {}", ends.join(", ")),
            };

            format!("{scale}, by a slider{hidden}{ends}")
        }
    }
}
