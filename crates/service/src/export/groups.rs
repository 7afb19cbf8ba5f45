//! The group of each rater, in studies that have groups.

use std::io::{self, Write};

use domain::rater_groups::RaterGroup;
use store::Rater;

use super::{
    ExportContext,
    table_cell::{ColumnKind, TableCell, TableColumn},
};
use crate::wording::{count_noun, list_words};

/// The column for tables with one rater in each row. It follows all others.
pub(super) const COLUMN: TableColumn = TableColumn::optional("group", ColumnKind::Text);

/// The column if the study has groups; tables of other studies do without it.
pub(super) fn column(context: &ExportContext) -> Option<TableColumn> {
    (!context.study.settings.groups.is_empty()).then_some(COLUMN)
}

/// The cell of the rater with this name in exports.
pub(super) fn cell<'a>(context: &'a ExportContext, label: &str) -> Option<TableCell<'a>> {
    column(context)?;
    Some(TableCell::text_or_missing(context.summary.group(label)))
}

/// The group's name of each rater who is in one, by the rater's name in exports.
pub(super) fn names(raters: &[Rater], groups: &[RaterGroup]) -> Vec<(String, String)> {
    let name = |rater: &Rater| {
        let group = groups.iter();
        let mut group = group.filter(|group| Some(&group.id) == rater.group.as_ref());
        Some((rater.label.clone(), group.next()?.name.clone()))
    };
    raters.iter().filter_map(name).collect()
}

/// Writes a list of the groups of raters.
pub(super) fn describe(
    context: &ExportContext,
    clean: impl Fn(&str) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let settings = &context.study.settings;
    if settings.groups.is_empty() {
        return Ok(());
    }

    writeln!(
        out,
        "\nGroups of raters, as they are now; the column `group` of ratings says who is in which:\n"
    )?;

    for group in &settings.groups {
        let attributes = group.attributes.iter().map(|attribute| attribute.title());
        let attributes: Vec<_> = attributes.collect();
        let attributes = match attributes.is_empty() {
            true => String::new(),
            false => format!(" ({})", list_words(&attributes)),
        };

        let raters = count_noun(context.summary.group_size(&group.name), "rater");
        let places = match group.overlap {
            Some(number) => format!("{} for each source", count_noun(number as usize, "rater")),
            None => "counted among all other raters of a source".to_owned(),
        };

        let dimensions: Vec<_> = group.dimensions.iter().map(|name| clean(name)).collect();
        let rates = match dimensions.is_empty() {
            true => "all dimensions".to_owned(),
            false => list_words(&dimensions),
        };

        let name = clean(&group.name);
        writeln!(
            out,
            "- {name}{attributes}: {raters}; {places}; rates {rates}"
        )?;
    }

    Ok(())
}
