use std::collections::{HashMap, HashSet};

use domain::{
    ids::{RaterId, SourceId},
    study::{AssignmentState, SourcePurpose, WantedRaters},
};
use leptos::prelude::*;
use service::wording::{JudgementWords, count_noun};
use store::{
    Member,
    overview::{AssignmentOutline, StudyOverview},
    visits::{RecentWork, StudyVisit},
};

use app::components::{Moment, MomentForm};

/// The news since the member's last visit.
#[component]
pub fn SinceLastVisit(
    visit: StudyVisit,
    /// The news, each with its number, from [`list_news`].
    news: Vec<String>,
) -> impl IntoView {
    let news = if news.is_empty() {
        "nothing new.".to_owned()
    } else {
        format!("{}.", news.join(", "))
    };
    view! {
        <p class="since">
            "Since you were here (" <Moment ms=visit.at form=MomentForm::Visit/> "): " {news}
        </p>
    }
}

/// The news since a visit: ratings or comparisons, finished sources, imports and new members.
/// Leaves out counts of zero.
pub fn list_news(
    work: RecentWork,
    words: JudgementWords,
    finished: usize,
    joined: usize,
) -> Vec<String> {
    let people = match work.raters {
        1 => "1 person".to_owned(),
        raters => format!("{raters} people"),
    };
    let judgements = work.judgements as usize;
    let judged = format!("{} by {people}", count_noun(judgements, words.one));
    let finished_sources = format!("{} finished", count_noun(finished, "source"));
    let imports = count_noun(work.imports as usize, "import");

    [
        (judgements, judged),
        (finished, finished_sources),
        (work.imports as usize, imports),
        (joined, count_noun(joined, "new member")),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(_, words)| words)
    .collect()
}

/// The number of people who joined after `since_ms`.
pub fn count_joined(members: &[Member], since_ms: i64) -> usize {
    let joined = members.iter().filter(|member| member.joined_at > since_ms);
    joined.count()
}

/// The number of main sources that got the last of their required hand-ins after `since_ms`.
pub fn count_finished(
    holds: &StudyOverview,
    wanted: &WantedRaters,
    assignments: &[AssignmentOutline],
    since_ms: i64,
) -> usize {
    let withdrawn = holds.raters.iter().filter(|rater| rater.withdrawn);
    let withdrawn: HashSet<RaterId> = withdrawn.map(|rater| rater.rater).collect();

    let mut submissions = HashMap::<SourceId, Vec<(i64, Option<&str>)>>::new();
    for entry in assignments {
        if entry.purpose == SourcePurpose::Main
            && entry.state == AssignmentState::HandedIn
            && !withdrawn.contains(&entry.rater)
        {
            let ended_at = entry.ended_at.unwrap_or(0);
            let submission = (ended_at, entry.group.as_deref());
            submissions
                .entry(entry.source)
                .or_default()
                .push(submission);
        }
    }

    // Finished now, but not yet at `since_ms`.
    let is_new = |(source, mut submissions): (SourceId, Vec<(i64, Option<&str>)>)| {
        let (own, needed) = (
            holds.own_overlap(source),
            holds.wanted_for(source, wanted).max(1),
        );
        submissions.sort_unstable();
        let filled_by = |submissions: &[(i64, Option<&str>)]| {
            let in_groups = submissions.iter().filter_map(|(_, group)| *group);
            let raters = u32::try_from(submissions.len()).unwrap_or(u32::MAX);
            wanted.count_filled(own, raters, in_groups)
        };
        let before = submissions.iter().filter(|(at, _)| *at <= since_ms).count();
        filled_by(&submissions) >= needed && filled_by(&submissions[..before]) < needed
    };

    submissions
        .into_iter()
        .map(is_new)
        .filter(|is_new| *is_new)
        .count()
}

#[cfg(test)]
mod tests {
    use domain::protocol::{CompareStep, ProtocolStep, StudyProtocol};
    use service::wording::judgement_words;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_source_is_finished_by_the_last_of_its_annotators() {
        let handed_in = |source, ended_at| AssignmentOutline {
            source: SourceId(Uuid::from_u128(source)),
            key: "".into(),
            purpose: SourcePurpose::Main,
            rater: RaterId(Uuid::nil()),
            group: None,
            state: AssignmentState::HandedIn,
            reason: String::new(),
            created_at: 0,
            ended_at: Some(ended_at),
            active_ms: 0,
        };
        let assignments = [
            handed_in(1, 30),
            handed_in(1, 10),
            handed_in(2, 30),
            handed_in(3, 5),
            handed_in(3, 8),
        ];
        let mut holds = StudyOverview::default();
        let finished = |holds: &StudyOverview, overlap: u32, since_ms| {
            count_finished(holds, &overlap.into(), &assignments, since_ms)
        };
        assert_eq!(finished(&holds, 2, 20), 1);
        assert_eq!(finished(&holds, 2, 0), 2);
        assert_eq!(finished(&holds, 1, 20), 1);
        let own = [
            (SourceId(Uuid::from_u128(1)), 3),
            (SourceId(Uuid::from_u128(2)), 1),
        ];
        holds.own_overlaps.extend(own);
        assert_eq!(finished(&holds, 2, 0), 2);
        assert_eq!(finished(&holds, 2, 20), 1);
    }

    #[test]
    fn only_what_happened_is_told() {
        let [ratings, comparisons] = [
            ProtocolStep::RankAndRate,
            ProtocolStep::Compare(CompareStep::default()),
        ]
        .map(|step| judgement_words(&StudyProtocol::new(vec![step]).expect("a protocol")));
        let work = |judgements, raters, imports| RecentWork {
            judgements,
            raters,
            imports,
        };
        assert_eq!(
            list_news(work(34, 3, 1), ratings, 2, 0),
            ["34 ratings by 3 people", "2 sources finished", "1 import"]
        );
        assert_eq!(
            list_news(work(1, 1, 0), comparisons, 0, 2),
            ["1 comparison by 1 person", "2 new members"]
        );
        assert_eq!(
            list_news(RecentWork::default(), ratings, 0, 0),
            Vec::<String>::new()
        );
    }
}
