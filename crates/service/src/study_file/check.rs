//! Checks of the values in a study's file: they refuse all that the site's pages would refuse.

use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
    ops::RangeInclusive,
};

use domain::{
    comprehension::ComprehensionSettings,
    crowd::{CompletionCodes, CrowdSettings, FailedChecksRule},
    dimensions::{LONGEST_NAME, MOST_DIMENSIONS},
    protocol::{AnswerStep, StudyProtocol},
    score::RatingScale,
    span_marks::validate_marks,
    study::{Dimension, QualificationRule, QualityControl, Slug, SourcePurpose, StudySettings},
    text::limits::check_size,
    work::task::ExpectedAnswer,
};

use super::{StudyFile, StudyFileError, TrainingItem};

type Checked = Result<(), StudyFileError>;

/// The most characters of a fault's place, which may name a field of the file.
const LONGEST_PLACE: usize = 200;

/// The most characters of the sentence about a fault, which may quote the file.
const LONGEST_FAULT: usize = 400;

/// The most bytes of a text of several lines.
const LONGEST_TEXT: usize = 100_000;

/// The range within which the ends of a scale lie.
const SCALE_ENDS: RangeInclusive<i32> = -1_000..=1_000;

/// A fault at a place of the file.
pub(super) fn invalid(place: impl Display, fault: impl Display) -> StudyFileError {
    StudyFileError::Invalid {
        place: place.to_string().chars().take(LONGEST_PLACE).collect(),
        fault: fault.to_string().chars().take(LONGEST_FAULT).collect(),
    }
}

impl StudyFile {
    /// Checks the values as far as their types do not.
    pub(super) fn check(&self) -> Checked {
        let slug: Result<Slug, _> = self.slug.as_str().parse();
        slug.map_err(|bad| invalid("slug", bad))?;
        check_line("title", &self.title, 1..=120)?;
        check_text("guidelines", &self.guidelines)?;
        check_text("information", &self.information)?;

        check_settings(&self.settings)?;

        self.check_training_items()?;
        self.comprehension
            .as_ref()
            .map_or(Ok(()), check_comprehension)
    }

    fn check_training_items(&self) -> Checked {
        let scale = self.settings.dimensions.first();
        let scale = scale.map(|dimension| dimension.scale).unwrap_or_default();
        let (mut keys, mut systems) = (HashSet::new(), HashMap::new());

        for (at, item) in self.training_items.iter().enumerate() {
            let place = format!("training_items[{at}]");
            if !keys.insert(&item.key) {
                let fault = format!("two items are called “{}”: rename one", item.key);
                return Err(invalid(format!("{place}.key"), fault));
            }

            item.check(&place, scale)?;

            for (at, output) in item.outputs.iter().enumerate() {
                let place = format!("{place}.outputs[{at}]");
                let here = (output.kind, output.hidden);
                let (kind, hidden) = *systems.entry(&output.system).or_insert(here);

                if kind != output.kind {
                    let fault = format!("“{}” is “{kind}” further up: use one kind", output.system);
                    return Err(invalid(format!("{place}.kind"), fault));
                }
                if hidden != output.hidden {
                    let fault = format!(
                        "“{}” has {hidden} further up: use the same for both",
                        output.system
                    );
                    return Err(invalid(format!("{place}.hidden"), fault));
                }
            }
        }
        Ok(())
    }
}

impl TrainingItem {
    fn check(&self, place: &str, scale: RatingScale) -> Checked {
        if self.purpose == SourcePurpose::Main {
            let fault = "a file holds no sources that are rated: use “tutorial”, “training”, “qualification” or “attention”";
            return Err(invalid(format!("{place}.purpose"), fault));
        }

        check_no_nul(format!("{place}.key"), &self.key)?;
        check_source_text(format!("{place}.text"), &self.text)?;
        for (side, text) in self.context.sides() {
            check_source_text(format!("{place}.context.{side}"), text)?;
        }
        for (at, reference) in self.references.iter().enumerate() {
            check_no_nul(format!("{place}.references[{at}]"), reference)?;
        }

        let mut systems = HashSet::new();
        for (at, output) in self.outputs.iter().enumerate() {
            let place = format!("{place}.outputs[{at}]");
            check_line(format!("{place}.system"), &output.system, 1..=200)?;

            if !systems.insert(&output.system) {
                let fault = format!(
                    "“{}” has two outputs for this source: rename one",
                    output.system
                );
                return Err(invalid(format!("{place}.system"), fault));
            }

            check_source_text(format!("{place}.text"), &output.text)?;

            if let Some(expected) = &output.expected {
                let place = format!("{place}.expected");
                check_expected(&place, expected, scale)?;
                let marks = expected.marks.as_deref().unwrap_or_default();
                validate_marks(marks, &self.text, &output.text)
                    .map_err(|bad| invalid(format!("{place}.marks"), bad))?;
            }
        }
        Ok(())
    }
}

fn check_expected(place: &str, expected: &ExpectedAnswer, scale: RatingScale) -> Checked {
    if let Some(Err(off)) = expected.rating.map(|rating| scale.score(rating)) {
        return Err(invalid(
            format!("{place}.rating"),
            format!("{off} of the first dimension"),
        ));
    }

    let widest = SCALE_ENDS.end() - SCALE_ENDS.start();
    check_number(format!("{place}.tolerance"), expected.tolerance, 0..=widest)?;
    check_text(format!("{place}.explanation"), &expected.explanation)?;

    // Questions and options that the study no longer has are fine: nothing reads them.
    let keys = 1..=AnswerStep::LONGEST_KEY;
    check_number(
        format!("{place}.choices: their number"),
        expected.choices.len(),
        0..=*AnswerStep::COUNT.end(),
    )?;

    for (at, choice) in expected.choices.iter().enumerate() {
        let place = format!("{place}.choices[{at}]");
        check_line(format!("{place}.question"), &choice.question, keys.clone())?;
        check_number(
            format!("{place}.options: their number"),
            choice.options.len(),
            1..=*AnswerStep::OPTIONS.end(),
        )?;
        for (at, option) in choice.options.iter().enumerate() {
            check_line(format!("{place}.options[{at}]"), option, keys.clone())?;
        }
    }
    Ok(())
}

fn check_settings(settings: &StudySettings) -> Checked {
    let StudySettings {
        overlap,
        category_rule: _,
        category_threshold,
        dimensions,
        protocol,
        layout: _,
        accepts_unjudged: _,
        annotators_agree: _,
        source_order: _,
        lease_hours,
        qualification,
        quality_control,
        retrain_every,
        retention: _,
        crowd,
        groups: _,
    } = settings;

    check_number("settings.overlap", *overlap, settings.overlap_range())?;
    check_number(
        "settings.category_threshold",
        *category_threshold,
        0.0..=1.0,
    )?;

    check_dimensions(dimensions)?;
    settings
        .check_groups()
        .map_err(|bad| invalid("settings.groups", bad))?;

    StudyProtocol::new(protocol.steps().to_vec())
        .map_err(|bad| invalid("settings.protocol", bad))?;
    check_number(
        "settings.lease_hours",
        *lease_hours,
        StudySettings::LEASE_HOURS,
    )?;

    if let QualificationRule::Answers {
        tolerance,
        categories,
    } = qualification
    {
        check_number(
            "settings.qualification.tolerance",
            *tolerance,
            0.0..=1_000.0,
        )?;
        check_number("settings.qualification.categories", *categories, 0.0..=1.0)?;
    }

    let QualityControl {
        copy_every,
        scrambled_every,
        repeated_every,
        attention_every,
    } = *quality_control;
    for (name, every) in [
        ("copy_every", copy_every),
        ("scrambled_every", scrambled_every),
        ("repeated_every", repeated_every),
        ("attention_every", attention_every),
    ] {
        let place = format!("settings.quality_control.{name}");
        check_number(place, every, QualityControl::EVERY)?;
    }

    check_number(
        "settings.retrain_every",
        *retrain_every,
        StudySettings::RETRAIN_EVERY,
    )?;

    check_crowd(crowd)
}

fn check_crowd(crowd: &CrowdSettings) -> Checked {
    let CrowdSettings {
        is_open: _,
        sources_each,
        needs_platform_id: _,
        screening,
        failed_checks,
        codes,
        return_link,
    } = crowd;
    let place = |name: &str| format!("settings.crowd.{name}");

    check_number(
        place("sources_each"),
        *sources_each,
        0..=CrowdSettings::MOST_SOURCES,
    )?;

    screening
        .check()
        .map_err(|bad| invalid(place("screening"), bad))?;
    check_number(
        place("failed_checks.from"),
        failed_checks.from,
        0..=FailedChecksRule::MOST,
    )?;

    let CompletionCodes {
        completed,
        screened_out,
        failed_checks,
        quota_full,
    } = codes;

    for (name, code) in [
        ("completed", completed),
        ("screened_out", screened_out),
        ("failed_checks", failed_checks),
        ("quota_full", quota_full),
    ] {
        let place = place(&format!("codes.{name}"));
        check_line(place, code, 0..=CrowdSettings::LONGEST_CODE)?;
    }

    check_return_link(place("return_link"), return_link)
}

/// Checks the link back to the platform that sent people; it may be empty.
fn check_return_link(place: String, link: &str) -> Checked {
    check_line(&place, link, 0..=2_000)?;
    if !link.is_empty() && !link.starts_with("https://") {
        return Err(invalid(place, "it must start with https://"));
    }
    Ok(())
}

fn check_dimensions(dimensions: &[Dimension]) -> Checked {
    if dimensions.is_empty() {
        let fault = "it is empty: name at least one dimension that outputs are rated on";
        return Err(invalid("settings.dimensions", fault));
    }
    if dimensions.len() > MOST_DIMENSIONS {
        let fault = format!("there are more than {MOST_DIMENSIONS}: take some out");
        return Err(invalid("settings.dimensions", fault));
    }

    let mut names = HashSet::new();
    for (at, Dimension { name, scale, input }) in dimensions.iter().enumerate() {
        let place = format!("settings.dimensions[{at}]");
        check_line(format!("{place}.name"), name, 1..=LONGEST_NAME)?;

        if name.to_lowercase() != *name {
            let fault = format!("“{name}” has capital letters: use small ones");
            return Err(invalid(format!("{place}.name"), fault));
        }

        if !names.insert(name) {
            let fault = format!("two dimensions are called “{name}”: rename one");
            return Err(invalid(format!("{place}.name"), fault));
        }

        check_number(format!("{place}.scale.low"), scale.low, SCALE_ENDS)?;
        check_number(format!("{place}.scale.high"), scale.high, SCALE_ENDS)?;
        if scale.low >= scale.high {
            return Err(invalid(
                format!("{place}.scale"),
                "“high” must be above “low”",
            ));
        }

        let checked = input.check(*scale);
        checked.map_err(|bad| invalid(format!("{place}.input"), bad))?;
    }
    Ok(())
}

fn check_comprehension(settings: &ComprehensionSettings) -> Checked {
    let place = |field: &str| format!("comprehension.{field}");
    let ComprehensionSettings {
        design,
        hides_text: _,
        goes_back: _,
        information,
        instructions,
        unanswerable,
        screening,
        completion_code,
        screened_out_code,
        return_link,
        lease_hours,
        needs_platform_id: _,
    } = settings;

    let design_checked = design.validate();
    design_checked.map_err(|bad| invalid(place("design"), bad))?;
    check_number(place("design.doubly"), design.doubly, 0..=10_000)?;

    check_text(place("information"), information)?;
    check_text(place("instructions"), instructions)?;
    check_line(place("unanswerable"), unanswerable, 1..=500)?;

    for (at, asked) in screening.iter().enumerate() {
        let checked = asked.check();
        checked.map_err(|fault| invalid(place(&format!("screening[{at}]")), fault))?;
    }

    check_line(place("completion_code"), completion_code, 0..=100)?;
    check_line(place("screened_out_code"), screened_out_code, 0..=100)?;
    check_return_link(place("return_link"), return_link)?;
    check_number(
        place("lease_hours"),
        *lease_hours,
        StudySettings::LEASE_HOURS,
    )
}

fn check_number<T: PartialOrd + Display>(
    place: impl Display,
    number: T,
    range: RangeInclusive<T>,
) -> Checked {
    if range.contains(&number) {
        return Ok(());
    }

    let (low, high) = (range.start(), range.end());
    Err(invalid(
        place,
        format!("{number} is not a number from {low} to {high}"),
    ))
}

/// Checks a line whose number of characters has to be in `lengths`.
fn check_line(place: impl Display, line: &str, lengths: RangeInclusive<usize>) -> Checked {
    let fits = lengths.contains(&line.chars().count()) && !line.contains(char::is_control);
    if fits && (line.trim() == line) {
        return Ok(());
    }

    let (least, most) = (lengths.start(), lengths.end());
    let fault = format!(
        "“{}” is not one line of {least} to {most} characters without space around it",
        line.chars().take(80).collect::<String>()
    );
    Err(invalid(place, fault))
}

/// Checks a text of several lines.
fn check_text(place: impl Display, text: &str) -> Checked {
    if text.len() > LONGEST_TEXT {
        return Err(invalid(
            place,
            format!("it has more than {LONGEST_TEXT} bytes: shorten it"),
        ));
    }
    check_no_nul(place, text)
}

/// Checks a text that is compared with another one, word by word.
fn check_source_text(place: impl Display, text: &str) -> Checked {
    check_size(text).map_err(|bad| invalid(&place, format!("it {bad}")))?;
    check_no_nul(place, text)
}

/// Checks that PostgreSQL can store a text.
fn check_no_nul(place: impl Display, text: &str) -> Checked {
    if text.contains('\0') {
        return Err(invalid(place, "it holds a NUL character: take it out"));
    }
    Ok(())
}
