//! The dimension that a report is about.

use anyhow::Context as _;
use domain::{dimensions::dimension_name, study::Dimension};

/// The study's dimension of this name; by default the first.
///
/// # Errors
/// When no dimension has this name.
pub(crate) fn choose_dimension(
    name: Option<&str>,
    of_study: &[Dimension],
) -> anyhow::Result<Dimension> {
    let names = of_study.iter().map(|dimension| &dimension.name[..]);
    let at = dimension_index(name, names)?;
    Ok(of_study.get(at).cloned().unwrap_or_default())
}

/// The index of the dimension of this name among these names; by default 0.
///
/// # Errors
/// When no dimension has this name.
pub(crate) fn dimension_index<'a>(
    name: Option<&str>,
    names: impl Iterator<Item = &'a str> + Clone,
) -> anyhow::Result<usize> {
    let Some(dimension) = name else {
        return Ok(0);
    };

    let index = names
        .clone()
        .position(|name| *name == dimension_name(dimension));
    index.with_context(|| {
        let names: Vec<_> = names.collect();
        format!(
            "there are no ratings on “{dimension}”; the dimensions are: {}",
            names.join(", ")
        )
    })
}
