//! The completion codes, which must exist for every end of the work.

use domain::crowd::CrowdEnd;

/// The name of an end's code, as its form field is called.
pub const fn code_name(end: CrowdEnd) -> &'static str {
    match end {
        CrowdEnd::Completed | CrowdEnd::Withdrawn | CrowdEnd::Excluded | CrowdEnd::Lapsed => {
            "Completion code"
        }
        CrowdEnd::ScreenedOut => "Code for people who are screened out",
        CrowdEnd::FailedChecks | CrowdEnd::Paused => "Code for failed attention items",
        CrowdEnd::QuotaFull => "Code for when all places are taken",
    }
}

/// Refuses settings that open the study to crowd raters while their work can end without a code.
///
/// # Errors
/// [`Refusal::Invalid`](crate::error::Refusal::Invalid), which names the missing codes.
#[cfg(feature = "ssr")]
pub(in crate::api) fn require_codes(
    settings: &domain::study::StudySettings,
) -> Result<(), crate::error::Refusal> {
    let lacking = settings.ends_without_code();
    if !settings.crowd.is_open || lacking.is_empty() {
        return Ok(());
    }

    let names: Vec<_> = lacking.into_iter().map(code_name).collect();
    Err(crate::error::Refusal::invalid(format!(
        "Everybody who works must get a code, however their work ends, or they are not paid. Fill in under Crowd raters: \
         {}.",
        names.join(", ")
    )))
}
