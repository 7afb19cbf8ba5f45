//! The groups of raters in exports.

use domain::{
    rater_groups::{RaterAttribute, RaterGroup},
    study::{Role, StudySettings},
};
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::*;

/// The study with two groups. One of them has a rater, who submitted a source.
async fn grouped() -> ExportFixture {
    let mut platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let settings = StudySettings {
        groups: vec![
            RaterGroup {
                id: "experts".into(),
                name: "Experts".into(),
                attributes: vec![RaterAttribute::Expert, RaterAttribute::NativeSpeaker],
                overlap: Some(2),
                ..RaterGroup::default()
            },
            RaterGroup {
                id: "readers".into(),
                name: "Readers".into(),
                ..RaterGroup::default()
            },
        ],
        ..platform.study.settings.clone()
    };

    let id = platform.study.id;
    platform.store.set_settings(id, &settings, 1).await.unwrap();
    platform.study = platform.store.study(id).await.unwrap().unwrap();

    let person = platform.person("an expert").await;
    let store = &platform.store;
    store
        .add_member(id, person, Role::Annotator, 1)
        .await
        .unwrap();
    store
        .set_member_group(id, person, Some("experts"), 1)
        .await
        .unwrap();

    let work = (person, platform.next(person).await.unwrap());
    platform.rate(work, score).await;
    platform.hand_in(work).await;

    let (person, assignment) = platform.annotator("ann").await;
    platform.rate((person, assignment), score).await;
    platform.hand_in((person, assignment)).await;
    platform
}

#[tokio::test]
async fn the_group_follows_the_rater() {
    let platform = grouped().await;
    let table = platform.table(ExportFormat::Tidy).await;

    let mut lines = table.lines();
    assert!(
        lines.next().unwrap().ends_with(",final_category,group"),
        "{table}"
    );
    for line in lines {
        let group = match line.contains(",annotator 1,") {
            true => ",Experts",
            false => ",",
        };
        assert!(line.ends_with(group), "{line}");
    }

    let lines = platform.lines(RatingScope::HandedIn).await;
    for line in &lines {
        for part in ["ratings", "work"] {
            let all = line[part].as_array().unwrap();
            let groups: Vec<_> = all.iter().map(|own| own.get("group")).collect();
            assert_eq!(groups, [Some(&"Experts".into()), None], "{line}");
        }
    }

    let readme = platform
        .export(request_for(ExportFormat::Tidy), ExportFile::Readme)
        .await;
    assert!(
        readme.contains("The last column, `group`, is the name"),
        "{readme}"
    );
}

#[tokio::test]
async fn the_card_of_a_dataset_lists_the_groups() {
    let platform = grouped().await;
    let card = platform
        .export(request_for(ExportFormat::Dataset), ExportFile::Readme)
        .await;
    for part in [
        "- Experts (experts and native speakers): 1 rater; 2 raters for each source; rates all dimensions\n",
        "- Readers: 0 raters; counted among all other raters of a source; rates all dimensions\n",
        "The last column, `group`, is the name of the rater's group",
    ] {
        assert!(card.contains(part), "{part}\n{card}");
    }

    let columns = |table: Vec<u8>| {
        let reader = SerializedFileReader::new(bytes::Bytes::from(table)).unwrap();
        let schema = reader.metadata().file_metadata().schema_descr_ptr();
        let columns = schema
            .columns()
            .iter()
            .map(|column| column.name().to_owned());
        columns.collect::<Vec<_>>()
    };

    let mut exporting = platform.begin(request_for(ExportFormat::Dataset)).await;
    let work = move || {
        let mut out = vec![];
        exporting.write(ExportFile::Ratings, &mut out).unwrap();
        out
    };
    let table = tokio::task::spawn_blocking(work).await.unwrap();
    assert_eq!(columns(table).last().unwrap(), "group");
}

#[tokio::test]
async fn studies_without_groups_have_no_column_of_groups() {
    let platform = ExportFixture::new().await;
    platform.import(OUTPUTS, None).await;
    let work = platform.annotator("ann").await;
    platform.rate(work, score).await;
    platform.hand_in(work).await;

    let table = platform.table(ExportFormat::Tidy).await;
    assert!(
        table.lines().next().unwrap().ends_with(",final_category"),
        "{table}"
    );
    for line in platform.lines(RatingScope::HandedIn).await {
        assert!(!line.to_string().contains("\"group\""), "{line}");
    }
}
