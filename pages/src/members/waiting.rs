//! Annotators who are waiting to be admitted, with their qualification results.

use domain::{ids::PersonId, study::QualificationRule};
use store::{Member, Study, qualification::QualificationStatus};

use crate::charts::decimal;
use app::{error::Refusal, request::refuse, services};
use service::wording::count_noun;

/// An annotator who is waiting to be admitted.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingAnnotator {
    pub person: PersonId,
    /// The name that they sign in with.
    pub name: String,
    /// Their qualification result, in words.
    pub result: String,
    /// Whether there are answers to look at.
    pub answered: bool,
}

/// Annotators who cannot begin unless the lead admits them: those who have finished all earlier steps.
///
/// # Errors
/// When the database fails.
pub async fn waiting(study: &Study, members: &[Member]) -> Result<Vec<WaitingAnnotator>, Refusal> {
    let store = services().store;
    let how = &study.settings.qualification;
    let mut waiting = vec![];
    if *how == QualificationRule::None || study.closed_at.is_some() {
        return Ok(waiting);
    }

    let informed = !study.information.is_empty();
    for member in members.iter().filter(|member| may_wait(member, informed)) {
        let standing = store.qualification_status(study.id, member.person).await;
        let standing = standing.map_err(refuse)?;
        if standing.handed_in < standing.sources {
            continue;
        }

        waiting.push(WaitingAnnotator {
            person: member.person,
            name: member.name.clone(),
            result: result(&standing, how),
            answered: standing.handed_in > 0,
        });
    }

    Ok(waiting)
}

fn may_wait(member: &Member, informed: bool) -> bool {
    member.role == domain::study::Role::Annotator
        && member.admitted_at.is_none()
        && member.withdrawn_at.is_none()
        && !member.disabled
        && (member.consented_at.is_some() || !informed)
}

/// The distance of the answers from the expected ones, with the study's limits if it has any.
fn result(standing: &QualificationStatus, how: &QualificationRule) -> String {
    if standing.sources == 0 {
        return "There are no qualification items.".to_owned();
    }

    let (points, share) = match how {
        QualificationRule::Answers {
            tolerance,
            categories,
        } => (
            format!(", limit {}", decimal(*tolerance, 0)),
            format!(", limit {} %", decimal(100.0 * categories, 0)),
        ),
        QualificationRule::None | QualificationRule::Lead => (String::new(), String::new()),
    };

    let distance = standing.nearness.distance.map(|distance| {
        if distance.is_finite() {
            format!("off by {} points on average{points}", decimal(distance, 0))
        } else {
            format!("left ratings open{points}")
        }
    });
    let categories = standing.nearness.categories.map(|fraction| {
        let percent = decimal(100.0 * fraction, 0);
        format!("categories {percent} %{share}")
    });
    let others = standing.nearness.others.map(|fraction| {
        let percent = decimal(100.0 * fraction, 0);
        format!("answers and marks {percent} %{share}")
    });

    let shortfalls: Vec<_> = [distance, categories, others]
        .into_iter()
        .flatten()
        .collect();

    if shortfalls.is_empty() {
        let items = count_noun(standing.sources, "qualification item");
        return format!("Submitted {items}, none of which has expected answers.");
    }

    let mut shortfalls = shortfalls.join("; ");
    if let Some(first) = shortfalls.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    shortfalls + "."
}

#[cfg(test)]
mod tests {
    use domain::work::qualification::QualificationResult;

    use super::*;

    #[test]
    fn a_result_is_told_beside_the_limits() {
        let standing = |distance, categories| QualificationStatus {
            sources: 1,
            handed_in: 1,
            nearness: QualificationResult {
                distance,
                categories,
                others: None,
            },
        };
        let by_answers = QualificationRule::Answers {
            tolerance: 10.0,
            categories: 0.8,
        };
        let check = |standing: QualificationStatus, how: &QualificationRule, expect: &str| {
            assert_eq!(result(&standing, how), expect);
        };
        check(
            standing(Some(24.2), Some(0.6)),
            &by_answers,
            "Off by 24 points on average, limit 10; categories 60 %, limit 80 %.",
        );
        check(
            standing(Some(f64::INFINITY), None),
            &by_answers,
            "Left ratings open, limit 10.",
        );
        check(
            standing(None, Some(1.0)),
            &QualificationRule::Lead,
            "Categories 100 %.",
        );
        let mut answered = standing(None, Some(1.0));
        answered.nearness.others = Some(0.75);
        check(
            answered,
            &by_answers,
            "Categories 100 %, limit 80 %; answers and marks 75 %, limit 80 %.",
        );
        check(
            standing(None, None),
            &QualificationRule::Lead,
            "Submitted 1 qualification item, none of which has expected answers.",
        );
        check(
            QualificationStatus::default(),
            &by_answers,
            "There are no qualification items.",
        );
    }
}
