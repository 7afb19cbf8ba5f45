//! The options of an import, parsed from form fields.

use domain::{dimensions::dimension_name, score::RatingScale, study::RaterKind};
use formats::{ColumnMapping, InputOptions};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use service::import::{ImportOptions, ReadOptions};

use super::{ImportOptionFields, InputOptionFields, ReadOptionFields};
use crate::{api::ssr::*, error::Refusal};

/// Parses the stated columns, rating scales and input options.
///
/// # Errors
/// For two columns of a field that only one can have, and for a scale whose end is not above its beginning.
pub(super) fn parse_read_options(fields: &ReadOptionFields) -> Result<ReadOptions, Refusal> {
    let mut mapping = ColumnMapping::default();
    for column in fields
        .columns
        .iter()
        .filter(|column| !column.field.is_empty())
    {
        let field = parse::choice(&column.field)?;
        let added = mapping.fields.add(field, &column.name);
        added.map_err(|error| Refusal::Invalid(sentence(&error.to_string())))?;
    }
    if fields.whole.is_some() {
        mapping.fields = mapping.fields.without_defaults();
    }

    mapping.scales.all = scale(&fields.low, &fields.high, "rating")?;
    for field in &fields.scales {
        let rating_label = format!("rating of “{}”", field.dimension);
        if let Some(scale) = scale(&field.low, &field.high, &rating_label)? {
            let name = dimension_name(&field.dimension);
            mapping.scales.by_dimension.push((name, scale));
        }
    }

    Ok(ReadOptions {
        mapping,
        simplifications_as_outputs: fields.as_outputs.is_some(),
        input: parse_input_options(&fields.input)?,
    })
}

/// Parses the stated encoding, separator and sheet.
///
/// # Errors
/// For an encoding or separator that isn't offered.
pub fn parse_input_options(fields: &InputOptionFields) -> Result<InputOptions, Refusal> {
    let stated = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok(InputOptions {
        encoding: stated(&fields.encoding)
            .map(|name| parse::choice(&name))
            .transpose()?,
        separator: stated(&fields.separator)
            .map(|name| parse::choice(&name))
            .transpose()?,
        sheet: stated(&fields.sheet),
    })
}

/// The stated encoding, separator and sheet as further parameters of an address.
pub fn input_query(input: &InputOptions) -> String {
    let mut query = String::new();
    if let Some(encoding) = input.encoding {
        query += &format!("&encoding={}", encoding.name());
    }
    if let Some(separator) = input.separator {
        query += &format!("&separator={}", separator.name());
    }
    if let Some(sheet) = &input.sheet {
        query += &format!("&sheet={}", utf8_percent_encode(sheet, NON_ALPHANUMERIC));
    }
    query
}

/// The scale between two ends; `None` where both are empty.
fn scale(low: &str, high: &str, what: &str) -> Result<Option<RatingScale>, Refusal> {
    if low.trim().is_empty() && high.trim().is_empty() {
        return Ok(None);
    }

    let end = |text, bound| parse::integer(text, &format!("The {bound} {what}"), -1000..=1000);
    let (low, high) = (end(low, "lowest")?, end(high, "highest")?);

    if low >= high {
        return Err(Refusal::invalid(format!(
            "The highest {what} must be above the lowest."
        )));
    }
    Ok(Some(RatingScale { low, high }))
}

/// Parses the stated options for rows.
///
/// # Errors
/// For an unknown purpose, or raters that are neither imported nor simulated.
pub(super) fn parse_import_options(fields: &ImportOptionFields) -> Result<ImportOptions, Refusal> {
    let raters = match fields.raters.as_str() {
        "" | "imported" => RaterKind::Imported,
        "simulated" => RaterKind::Simulated,
        _ => {
            return Err(Refusal::invalid(
                "Choose whether the raters of the file are people or simulated.",
            ));
        }
    };

    let kinds = fields.kinds.iter().filter(|field| !field.kind.is_empty());
    let kinds = kinds.map(|field| Ok((field.name.clone(), parse::choice(&field.kind)?)));
    Ok(ImportOptions {
        purpose: parse::choice(&fields.purpose)?,
        raters,
        strict: fields.strict.is_some(),
        kinds: kinds.collect::<Result<_, Refusal>>()?,
    })
}

#[cfg(test)]
mod tests {
    use formats::FileField;

    use super::*;
    use crate::api::{ImportColumnField, ImportScaleField};

    fn read_options(
        columns: &[(&str, &str)],
        low: &str,
        high: &str,
    ) -> Result<ReadOptions, Refusal> {
        let column = |(name, field): &(&str, &str)| ImportColumnField {
            name: (*name).into(),
            field: (*field).into(),
        };
        parse_read_options(&ReadOptionFields {
            columns: columns.iter().map(column).collect(),
            whole: None,
            low: low.into(),
            high: high.into(),
            scales: vec![ImportScaleField {
                dimension: "Fluency ".into(),
                low: "1".into(),
                high: "5".into(),
            }],
            as_outputs: None,
            input: InputOptionFields::default(),
        })
    }

    #[test]
    fn columns_become_a_mapping_and_what_cannot_be_is_refused() {
        let columns = [
            ("complex", "source"),
            ("notes", ""),
            ("first", "rating"),
            ("second", "rating"),
        ];
        let mapping = read_options(&columns, "-2", "2").expect("it fits").mapping;
        let columns_for = |field| mapping.fields.columns(field).collect::<Vec<_>>();
        assert_eq!(columns_for(FileField::Source), ["complex"]);
        assert_eq!(columns_for(FileField::Rating), ["first", "second"]);
        assert_eq!(
            mapping.scales.scale_for("second"),
            Some(RatingScale::LIKERT)
        );
        assert_eq!(
            mapping.scales.scale_for("fluency"),
            Some(RatingScale { low: 1, high: 5 })
        );
        // Empty ends are inferred from the file.
        let unsaid = read_options(&[], "", "").expect("it fits").mapping;
        assert_eq!((unsaid.fields.is_empty(), unsaid.scales.all), (true, None));

        let twice = read_options(&[("a", "source"), ("b", "source")], "", "");
        let expected = "“source” is mapped to two columns: keep one.";
        assert_eq!(twice, Err(Refusal::invalid(expected)));
        for (low, high) in [("5", "5"), ("x", ""), ("0", ""), ("0", "5000")] {
            assert!(read_options(&[], low, high).is_err(), "{low} to {high}");
        }
        assert!(read_options(&[("a", "no field")], "", "").is_err());
    }
}
