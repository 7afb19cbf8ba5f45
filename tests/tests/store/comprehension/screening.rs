//! Answers to screening questions decide who reads.

use domain::comprehension::ScreeningQuestion;

use super::*;

#[tokio::test]
async fn answers_screen_readers_and_the_same_reader_cannot_try_others() {
    on_both(async |story| {
        let reading = ComprehensionFixture::with_passages(story, 6, 20).await;
        let (store, study) = (&story.store, reading.study);
        let settings = store.comprehension_settings(study).await.unwrap().unwrap();
        let lines = "First language | + English = 1 | + another | none\nWhat do you read?";
        let settings = ComprehensionSettings {
            screening: ScreeningQuestion::parse_all(lines).unwrap(),
            ..settings
        };
        store
            .set_comprehension_settings(study, &settings, NOW)
            .await
            .unwrap();

        let begin = async |session: &str, answers: [&str; 2], now_ms: i64| {
            let answers = answers.map(str::to_owned);
            store
                .begin_comprehension(session, &answers, fresh_id, now_ms)
                .await
        };

        for session in ["one", "two", "three", "four"] {
            join(store, session, Some(session), NOW).await.unwrap();
        }
        let unknown = refused(begin("one", ["Klingon", "novels"], NOW).await);
        assert_eq!(unknown, "Choose an answer to “First language”.");
        let begun = begin("one", ["English", "novels"], NOW).await.unwrap();
        assert_eq!(begun, ReadingStart::Begun(6));

        // Asked again, nothing changes, whatever is answered then.
        let again = begin("one", ["none", ""], NOW).await.unwrap();
        assert_eq!(again, begun);

        let full = ReadingStart::Ended(ExitReason::QuotaFull);
        assert_eq!(begin("two", ["English", "news"], NOW).await.unwrap(), full);
        let out = ReadingStart::Ended(ExitReason::ScreenedOut);
        assert_eq!(begin("three", ["none", "news"], NOW).await.unwrap(), out);
        for session in ["two", "three"] {
            assert!(begin(session, ["another", "news"], NOW).await.is_err());
            assert!(join(store, "new cookie", Some(session), NOW).await.is_err());
            assert_eq!(reading.session(session).await.texts, []);
        }

        let kept = story
            .query_rows("SELECT COUNT(*) FROM participant WHERE screening IS NOT NULL")
            .await;
        assert_eq!(
            kept,
            [["1"]],
            "answers of people who read nothing are not kept"
        );

        let entries = store.participants(study).await.unwrap();
        let left: Vec<_> = entries.iter().map(|entry| entry.left).collect();
        let (full, out) = (Some(ExitReason::QuotaFull), Some(ExitReason::ScreenedOut));
        assert_eq!(left, [None, full, out, None]);

        // A participant whose lease ran out loses the place for their answer to another one.
        let later = NOW + i64::from(settings.lease_hours) * HOUR + 1;
        let fourth = begin("four", ["English", "news"], later).await.unwrap();
        assert_eq!(fourth, ReadingStart::Begun(6));
        assert_eq!(reading.session("one").await.left, Some(ExitReason::Lapsed));
    })
    .await;
}
