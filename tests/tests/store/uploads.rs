use domain::ids::{StudyId, UploadId};
use store::{LARGEST_CHUNK, NewUpload};
use stories::{MINUTE, NOW, TestDatabase, fresh_id, on_both, refusal};

async fn begin(story: &TestDatabase, study: StudyId, size: i64, now: i64) -> UploadId {
    let new = NewUpload {
        id: UploadId(fresh_id()),
        study,
        name: "ratings.csv",
        size,
        created_by: None,
    };
    story
        .store
        .create_upload(&new, now)
        .await
        .expect("it begins");
    new.id
}

#[tokio::test]
async fn a_file_comes_back_byte_for_byte() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let bytes: Vec<u8> = (0..=255).cycle().take(LARGEST_CHUNK + 777).collect();
        let size = i64::try_from(bytes.len()).unwrap();
        let id = begin(story, study, size, NOW).await;
        for (number, chunk) in (0..).zip(bytes.chunks(LARGEST_CHUNK)) {
            store.append_chunk(id, number, chunk).await.unwrap();
        }

        assert_eq!(store.seal_upload(id).await.unwrap(), size);
        let upload = store.upload(id).await.unwrap().unwrap();
        assert_eq!((upload.study, &upload.name[..]), (study, "ratings.csv"));
        assert_eq!(
            (upload.size, upload.created_at, upload.complete),
            (size, NOW, true)
        );

        let mut read = vec![];
        let mut number = 0;
        while let Some(chunk) = store.read_chunk(id, number).await.unwrap() {
            read.extend(chunk);
            number += 1;
        }
        assert!(read == bytes);
    })
    .await;
}

#[tokio::test]
async fn a_file_of_unknown_size_ends_where_its_sender_says() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let id = begin(story, study, 100, NOW).await;
        store.append_chunk(id, 1, b"world").await.unwrap();
        assert!(refusal(store.seal_upload(id).await).contains("missing"));
        store.append_chunk(id, 0, b"hello ").await.unwrap();
        assert_eq!(store.seal_upload(id).await.unwrap(), 11);
        let upload = store.upload(id).await.unwrap().unwrap();
        assert_eq!((upload.size, upload.complete), (11, true));
        assert!(refusal(store.append_chunk(id, 2, b"!").await).contains("in full"));

        let empty = begin(story, study, 100, NOW).await;
        assert_eq!(store.seal_upload(empty).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn sending_goes_on_where_it_broke_off() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let id = begin(story, study, 6, NOW).await;
        for (number, chunk) in [(0, b"ab"), (2, b"ef"), (0, b"ab")] {
            store.append_chunk(id, number, chunk).await.unwrap();
        }

        assert_eq!(store.chunks(id).await.unwrap(), [0, 2]);
        let sentence = refusal(store.seal_upload(id).await);
        assert!(
            sentence.starts_with("A part of the file is missing"),
            "{sentence}"
        );
        store.append_chunk(id, 1, b"cd").await.unwrap();
        assert_eq!(store.seal_upload(id).await.unwrap(), 6);
        assert_eq!(store.seal_upload(id).await.unwrap(), 6);

        // A chunk whose answer got lost may still be sent again; a new one may not.
        store.append_chunk(id, 1, b"cd").await.unwrap();
        assert!(refusal(store.append_chunk(id, 3, b"gh").await).contains("in full"));
        assert_eq!(store.read_chunk(id, 1).await.unwrap().unwrap(), b"cd");
        assert_eq!(store.read_chunk(id, 3).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_gap_is_seen_where_the_sizes_agree() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        let id = begin(story, study, 2, NOW).await;
        story.store.append_chunk(id, 1, b"ab").await.unwrap();
        refusal(story.store.seal_upload(id).await);
        assert!(!story.store.upload(id).await.unwrap().unwrap().complete);
    })
    .await;
}

#[tokio::test]
async fn a_chunk_that_does_not_fit_is_refused() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let id = begin(story, study, 3, NOW).await;
        store.append_chunk(id, 0, b"ab").await.unwrap();
        assert!(refusal(store.append_chunk(id, 0, b"ba").await).contains("changed"));
        assert!(refusal(store.append_chunk(id, 1, b"cd").await).contains("larger"));
        assert!(refusal(store.append_chunk(id, 1, b"").await).contains("1 to"));
        let huge = vec![0; LARGEST_CHUNK + 1];
        assert!(refusal(store.append_chunk(id, 1, &huge).await).contains("1 to"));
        let nothing = UploadId(fresh_id());
        assert!(refusal(store.append_chunk(nothing, 0, b"a").await).contains("awaited"));
        refusal(store.seal_upload(nothing).await);
        assert_eq!(store.upload(nothing).await.unwrap(), None);
        assert_eq!(store.chunks(id).await.unwrap(), [0]);
    })
    .await;
}

#[tokio::test]
async fn files_are_deleted_with_their_chunks() {
    on_both(async |story| {
        let store = &story.store;
        let study = story.add_study("news", None).await;
        let mut ids = vec![];
        for minute in 0..3 {
            let id = begin(story, study, 2, NOW + minute * MINUTE).await;
            store.append_chunk(id, 0, b"ab").await.unwrap();
            ids.push(id);
        }

        assert!(store.delete_upload(ids[0]).await.unwrap());
        assert!(!store.delete_upload(ids[0]).await.unwrap());
        assert_eq!(store.sweep_uploads(NOW + 2 * MINUTE).await.unwrap(), 1);
        assert_eq!(
            story.query_rows("SELECT COUNT(*) FROM upload_chunk").await,
            [["1"]]
        );
        assert_eq!(store.read_chunk(ids[2], 0).await.unwrap().unwrap(), b"ab");
    })
    .await;
}

#[tokio::test]
async fn a_damaged_chunk_is_named() {
    on_both(async |story| {
        let study = story.add_study("news", None).await;
        let id = begin(story, study, 2, NOW).await;
        story.store.append_chunk(id, 0, b"ab").await.unwrap();
        story
            .execute_sql("UPDATE upload_chunk SET content = '!'".into())
            .await;
        let error = story.store.read_chunk(id, 0).await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("row {id}, 0 of table upload_chunk")),
            "{error}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_study_keeps_so_many_files_and_bytes_until_they_are_imported() {
    on_both(async |story| {
        let store = &story.store;
        let (study, other) = (story.add_study("news", None).await, story.add_study("river", None).await);

        let refused = async |study| {
            let new = NewUpload {
                id: UploadId(fresh_id()),
                study,
                name: "one-more.csv",
                size: 1,
                created_by: None,
            };
            store.create_upload(&new, NOW).await.err().map(|error| error.to_string())
        };

        let mut ids = vec![];
        for _ in 0..200 {
            ids.push(begin(story, study, 1, NOW).await);
        }
        let sentence = refused(study).await.expect("there are many");
        assert!(sentence.starts_with("This study has 200 files of 0 MiB"), "{sentence}");
        assert_eq!(refused(other).await, None);
        store.delete_upload(ids[0]).await.unwrap();
        assert_eq!(refused(study).await, None);

        let large = begin(story, other, 1 << 30, NOW).await;
        story
            .execute_sql(format!(
                "INSERT INTO upload_chunk (upload_id, number, bytes, content) VALUES ('{large}', 0, {}, '')",
                1 << 30
            ))
            .await;
        let sentence = refused(other).await.expect("it is large");
        assert!(sentence.contains("2 files of 1024 MiB"), "{sentence}");
    })
    .await;
}
