//! The general settings of a study as form fields.

use domain::{
    rater_groups::RaterGroup,
    study::{CategoryRule, QualificationRule, QualityControl, Slug, StudySettings},
};

use super::RaterGroupField;
use crate::{error::Refusal, request::parse};

/// Parses the short name of a new study; an empty one is derived from its name.
///
/// # Errors
/// For an invalid short name, or a name that none can be derived from.
pub fn slug(short_name: &str, name: &str) -> Result<Slug, Refusal> {
    match short_name.trim() {
        "" => Slug::suggest(name).ok_or_else(|| {
            Refusal::invalid("The name has no letters from a to z. Enter a short name too.")
        }),
        given => parse::choice(given),
    }
}

/// Parses the number of raters for each source.
///
/// # Errors
/// Unless it is a number from 1 to 100, or 0 where a group has its own number.
pub fn overlap(text: &str, current: &StudySettings) -> Result<u32, Refusal> {
    let range = current.overlap_range();
    parse::integer(text, "The number of annotators for each source", range)
}

/// Parses the groups of raters; those without a name are left out. A new group gets an id that no group has
/// and that isn't in `used`, the ids of groups for which work was given out.
///
/// # Errors
/// For an id that no group has, an unknown attribute, or an invalid number.
pub fn groups(
    fields: &[RaterGroupField],
    current: &[RaterGroup],
    used: &[String],
) -> Result<Vec<RaterGroup>, Refusal> {
    let mut groups: Vec<RaterGroup> = vec![];
    for field in fields.iter().filter(|field| !field.name.trim().is_empty()) {
        let name = parse::line(&field.name, "The name of a group", RaterGroup::LONGEST_NAME)?;

        let known = current.iter().map(|group| group.id.as_str());
        let id = match field.id.as_str() {
            "" => {
                let added = groups.iter().map(|group| group.id.as_str());
                let used = used.iter().map(String::as_str);
                RaterGroup::suggest_id(&name, known.chain(added).chain(used))
            }
            id if known.clone().any(|known| known == id) => id.to_owned(),
            _ => {
                let refusal = "Nothing was saved: a group was removed meanwhile. Reload the page and try again.";
                return Err(Refusal::invalid(refusal));
            }
        };

        let attributes = field.attributes.iter().map(|name| parse::choice(name));
        groups.push(RaterGroup {
            id,
            attributes: attributes.collect::<Result<_, _>>()?,
            dimensions: field.dimensions.clone(),
            overlap: match field.overlap.trim() {
                "" => None,
                number => Some(parse::integer(
                    number,
                    &format!("The number of annotators of “{name}” for each source"),
                    RaterGroup::OVERLAP,
                )?),
            },
            name,
        });
    }
    Ok(groups)
}

/// Refuses settings whose groups are not valid.
///
/// # Errors
/// With the first invalid group.
pub fn check_groups(settings: &StudySettings) -> Result<(), Refusal> {
    let checked = settings.check_groups();
    checked.map_err(|fault| Refusal::invalid(format!("Nothing was saved: {fault}.")))
}

/// Parses the category rule of step 1 and its threshold; an empty threshold is the rule's default.
///
/// # Errors
/// For an unknown rule, or a threshold outside 0 to 1.
pub fn rule(rule: &str, threshold: &str) -> Result<(CategoryRule, f64), Refusal> {
    let rule: CategoryRule = parse::choice(rule)?;

    let threshold = match threshold.trim() {
        "" => rule.default_threshold(),
        given => parse::number(given, "The threshold", 0.0..=1.0)?,
    };
    Ok((rule, threshold))
}

/// Parses the admission rule for annotators: `none`, `lead`, or `answers` within a tolerance in points and
/// with a percentage of the categories right.
///
/// # Errors
/// For another name, or a number out of range.
pub fn qualification(
    by: &str,
    tolerance: &str,
    percent: &str,
) -> Result<QualificationRule, Refusal> {
    match by {
        "none" => Ok(QualificationRule::None),
        "lead" => Ok(QualificationRule::Lead),
        "answers" => Ok(QualificationRule::Answers {
            tolerance: parse::number(tolerance, "The mean distance in points", 0.0..=1000.0)?,
            categories: parse::number(percent, "The percentage of categories", 0.0..=100.0)?
                / 100.0,
        }),
        _ => Err(Refusal::invalid("Choose how annotators are admitted.")),
    }
}

/// Parses the intervals of quality-control items, one source in that many, and of attention items; 0 for none.
///
/// # Errors
/// Unless each is a number from 0 to 1,000.
pub fn quality_control(
    copy: &str,
    scrambled: &str,
    repeated: &str,
    attention: &str,
) -> Result<QualityControl, Refusal> {
    let every = |text, items: &str| {
        parse::integer(
            text,
            &format!("“One source in …” for {items}"),
            QualityControl::EVERY,
        )
    };

    Ok(QualityControl {
        copy_every: every(copy, "unchanged copies")?,
        scrambled_every: every(scrambled, "scrambled outputs")?,
        repeated_every: every(repeated, "repeated outputs")?,
        attention_every: parse::integer(
            attention,
            "“One for every … sources” for attention items",
            QualityControl::EVERY,
        )?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_brings_its_threshold() {
        assert_eq!(rule("tuned", ""), Ok((CategoryRule::Tuned, 0.7)));
        assert_eq!(rule("paper", " "), Ok((CategoryRule::Paper, 0.5)));
        assert_eq!(rule("paper", "0.4"), Ok((CategoryRule::Paper, 0.4)));
        assert!(rule("paper", "2").is_err());
        assert!(rule("other", "").is_err());
    }

    #[test]
    fn admission_by_answers_needs_its_numbers() {
        assert_eq!(qualification("none", "", ""), Ok(QualificationRule::None));
        let answers = QualificationRule::Answers {
            tolerance: 12.5,
            categories: 0.8,
        };
        assert_eq!(qualification("answers", "12.5", "80"), Ok(answers));
        assert!(qualification("answers", "", "80").is_err());
        assert!(qualification("answers", "5", "101").is_err());
        assert!(qualification("", "", "").is_err());
    }
}
