//! Corrected highlights are exported as word alignments.

use domain::{
    ids::DiscussionId,
    text::align::{gold::GoldPair, pharaoh},
    work::{task::TaskItem, unjudged::UnjudgedReason},
};
use store::discussions::{NewDiscussion, QuestionScope};

use super::*;
use crate::testing;

#[tokio::test]
async fn corrected_edits_come_out_as_alignments_that_gold_readers_read() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;

    let empty = platform.table(ExportFormat::Alignments).await;
    let (one, two) = (
        platform.annotator("somebody").await,
        platform.annotator("another").await,
    );

    let task = platform.store.task(one.0, one.1).await.unwrap().unwrap();
    let item = |text: &str| task.items.iter().find(|item| item.text == text).unwrap();
    let first = item("The boat crossed.");

    // The first annotator removes all edits of one output and leaves those of another unchanged.
    let slot = |item: &TaskItem| AnnotationSlot::Edits {
        output: item.output,
    };
    platform
        .save(one, slot(first), AnnotationAnswer::Edits(Some(vec![])))
        .await;
    let last = item("It crossed. It was old.");
    let unchanged = last.edits.clone();
    platform
        .save(one, slot(last), AnnotationAnswer::Edits(Some(unchanged)))
        .await;

    // The second annotator does not hand the source in.
    platform
        .save(two, slot(first), AnnotationAnswer::Edits(Some(vec![])))
        .await;
    platform.rate(one, score).await;
    platform.hand_in(one).await;

    let corrected = platform.table(ExportFormat::Alignments).await;
    let id = first.output;
    let version = &platform.lines(RatingScope::HandedIn).await[0]["automatic"]["edits_version"];
    let version = version.as_str().unwrap();

    // All words of the output are in the source: they keep their links, and there are no other links.
    let expect = format!(
        "{id}\tThe old boat crossed the wide river .\tN/A\tThe boat crossed .\tN/A\t1\t1\t\
         0-0 2-1 3-2 7-3\t\t\tannotator 1\tcorrected\ts1\tone\t{version}\n"
    );
    let header = "output_id\tsource\tsource_note\toutput\toutput_note\tflag_1\tflag_2\tlinks\t\
                  possible_links\tnote\tannotator\tstate\tsource_id\tsystem\tedits_version\n";

    assert_eq!(empty, header);
    assert_eq!(corrected, format!("{header}{expect}"));

    let request = ExportRequest {
        edits: AlignmentEdits::WithAccepted,
        which: RatingScope::IncludingOpen,
        ..request_for(ExportFormat::Alignments)
    };

    let all = platform.export(request.clone(), ExportFile::Table).await;
    let read: Vec<_> = all
        .lines()
        .skip(1)
        .map(|line| GoldPair::parse(line).unwrap())
        .collect();
    let states: Vec<_> = all
        .lines()
        .skip(1)
        .map(|line| line.split('\t').nth(11).unwrap())
        .collect();

    assert_eq!(states, ["corrected", "accepted", "accepted"]);
    assert_eq!(read[2].output.join(" "), "It crossed . It was old .");
    assert_eq!(pharaoh::format_links(&read[2].sure), "1-5 3-1 7-6");

    let readme = platform.export(request, ExportFile::Readme).await;
    for line in [
        "- Edits of an output that an annotator corrected: 1, each a line",
        "- Edits that an annotator left as they were: 2, in the table, too",
        "12. `state`: `corrected`, or `accepted` where the automatic edits were left",
        &format!("- Aligner and automatic edits: `{version}`"),
    ] {
        assert!(
            readme.lines().any(|own| own == line),
            "{line}\nis not in\n{readme}"
        );
    }

    for text in [&all, &readme] {
        assert!(!text.contains("somebody"), "{text}");
    }
}

#[tokio::test]
async fn edits_that_a_rater_is_to_look_at_again_or_could_not_judge_are_not_accepted() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("the annotator").await;
    let task = platform.store.task(work.0, work.1).await.unwrap().unwrap();
    let output = |text: &str| {
        let item = task.items.iter().find(|item| item.text == text);
        item.unwrap().output
    };

    let unjudged = output("The boat crossed.");
    platform
        .save(
            work,
            AnnotationSlot::Unjudged { output: unjudged },
            AnnotationAnswer::Unjudged(Some(UnjudgedReason::Other)),
        )
        .await;
    let note = AnnotationAnswer::Note("A poem.".into());
    platform
        .save(work, AnnotationSlot::Note { output: unjudged }, note)
        .await;

    for text in ["=The boat, an old one, crossed.", "It crossed. It was old."] {
        let slot = AnnotationSlot::Rating {
            output: output(text),
            dimension: "overall".into(),
        };
        let score = domain::score::RatingScale::PERCENT.clamp(score(text));
        let answer = AnnotationAnswer::Rating(Some(score));
        platform.save(work, slot, answer).await;
    }
    platform.hand_in(work).await;

    let accepted = async || {
        let request = ExportRequest {
            edits: AlignmentEdits::WithAccepted,
            ..request_for(ExportFormat::Alignments)
        };
        let table = platform.export(request, ExportFile::Table).await;
        let lines = table.lines().skip(1);
        let texts = lines.map(|line| line.split('\t').nth(3).unwrap().to_owned());
        texts.collect::<Vec<_>>()
    };
    let (second, last) = (
        "= The boat , an old one , crossed .",
        "It crossed . It was old .",
    );

    assert_eq!(accepted().await, [second, last]);

    let question = NewDiscussion {
        id: DiscussionId(testing::new_id()),
        output: output("It crossed. It was old."),
        scope: QuestionScope::Output,
        note: "Is this right?",
        asked_by: platform.person("the lead").await,
    };
    let asked = platform.store.discuss(platform.study.id, question, 4_000);
    assert_eq!(asked.await.unwrap(), Some(1));
    assert_eq!(accepted().await, [second]);
}
