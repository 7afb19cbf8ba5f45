use leptos::prelude::*;
use store::discussions::{QuestionReply, ScoreChange};

/// Raters' replies to a question, and the changes of their scores if the study has scores.
#[component]
pub(super) fn Replies(replies: Vec<QuestionReply>, has_scores: bool) -> impl IntoView {
    let item = |reply: QuestionReply| {
        let facts = describe(&reply, has_scores);
        let QuestionReply { label, reply, .. } = reply;
        let text = (!reply.is_empty()).then(|| format!("“{reply}” "));
        view! { <li><b>{label}</b> ": " {text} <span class="soft">{facts}</span></li> }
    };
    (!replies.is_empty()).then(|| {
        view! { <ul class="replies">{replies.into_iter().map(item).collect_view()}</ul> }
    })
}

/// Says whether a rater submitted the output again, and with which scores.
fn describe(reply: &QuestionReply, has_scores: bool) -> String {
    let scores = match &reply.changes[..] {
        [] if reply.is_open => String::new(),
        [] if has_scores => "Scores unchanged.".to_owned(),
        [] => "Submitted again.".to_owned(),
        changes => {
            let changes: Vec<_> = changes.iter().map(describe_change).collect();
            format!("Scores changed: {}.", changes.join(", "))
        }
    };
    let state = match reply.is_open {
        true => "Not submitted again yet.",
        false => "",
    };

    [scores.as_str(), state]
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}

fn describe_change(change: &ScoreChange) -> String {
    let score = |score: Option<f64>| score.map_or_else(|| "none".to_owned(), |s| s.to_string());
    let ScoreChange {
        dimension,
        before,
        after,
    } = change;
    format!("{dimension} from {} to {}", score(*before), score(*after))
}

#[cfg(test)]
mod tests {
    use domain::ids::RaterId;

    use super::*;

    #[test]
    fn a_lead_reads_whether_a_rater_answered_and_changed_scores() {
        let change = ScoreChange {
            dimension: "overall".to_owned(),
            before: Some(40.0),
            after: None,
        };
        for (is_open, has_scores, changes, expected) in [
            (true, true, vec![], "Not submitted again yet."),
            (false, true, vec![], "Scores unchanged."),
            (false, false, vec![], "Submitted again."),
            (
                true,
                true,
                vec![change],
                "Scores changed: overall from 40 to none. Not submitted again yet.",
            ),
        ] {
            let reply = QuestionReply {
                rater: RaterId(uuid::Uuid::nil()),
                label: "annotator 1".to_owned(),
                reply: String::new(),
                is_open,
                changes,
            };
            assert_eq!(describe(&reply, has_scores), expected);
        }
    }
}
