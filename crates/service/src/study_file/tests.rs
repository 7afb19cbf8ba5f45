use domain::{
    crowd::{CrowdSettings, FailedChecksRule},
    protocol::{
        CompareStep, OutputsShown, ProtocolStep, RateStep, StudyProtocol, WorkLayout, WriteStep,
    },
    rater_groups::{RaterAttribute, RaterGroup},
    score::RatingScale,
    score_input::{ScoreInput, SliderInput},
    study::{CategoryRule, Dimension, QualityControl, RetentionPeriod, SourceOrder},
    writing::{WritingStart, WrittenUse},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A handwritten file, with most of what a study can have.
fn file() -> Value {
    json!({
        "schema": 1,
        "slug": "river",
        "title": "River study",
        "guidelines": "# Rate\n",
        "information": "You agree.",
        "settings": {
            "overlap": 2,
            "groups": [{"id": "experts", "name": "Experts", "attributes": ["expert"], "dimensions": ["adequacy"], "overlap": 1}],
            "dimensions": [
                {"name": "adequacy", "scale": {"low": 1, "high": 5}, "input": {"slider": {"hides_number": false}}},
                {"name": "fluency", "scale": {"low": 0, "high": 1}, "input": {"levels": ["bad", "good"]}}
            ],
            "protocol": ["categorise", {"rate": {"outputs": "one"}}],
            "qualification": {"by": "answers", "tolerance": 0.5, "categories": 0.8},
            "crowd": {
                "sources_each": 5,
                "screening": [{"question": "First language", "answers": [
                    {"text": "English", "accepted": true, "places": 20},
                    {"text": "another", "accepted": false}
                ]}],
                "failed_checks": {"from": 2, "consequence": "exclude"},
                "codes": {"completed": "DONE"},
                "return_link": "https://app.example/?cc={code}"
            }
        },
        "training_items": [{
            "key": "1",
            "purpose": "tutorial",
            "text": "The vessel sank.",
            "references": ["The boat sank."],
            "outputs": [
                {"system": "a", "kind": "machine", "text": "It sank.", "expected":
                    {"category": "deletion", "rating": 4, "tolerance": 1, "explanation": "Short.", "choices": [{"question": "missing", "options": ["yes"]}],
                     "marks": [{"type": "Grammar", "output": [{"start": 0, "end": 2}]}]}},
                {"system": "b", "kind": "human", "text": "The ship sank.", "expected": null}
            ]
        }],
        "comprehension": {"information": "You agree.", "screening": [{"question": "Age?", "answers": []}]}
    })
}

/// The sentence with which the file is refused; empty if it is accepted.
fn refusal(file: &str) -> String {
    let checked = StudyFile::parse(file.as_bytes()).and_then(|file| file.check());
    checked.map_or_else(|error| error.to_string(), |()| String::new())
}

/// The file with another value at a place, given as a JSON pointer.
fn with(place: &str, value: Value) -> String {
    let mut file = file();
    let (parent, name) = place.rsplit_once('/').expect("a place begins with a slash");
    let parent = file.pointer_mut(parent).expect("the place is there");

    parent[name] = value;
    file.to_string()
}

#[test]
fn a_file_by_hand_is_read() {
    assert_eq!(refusal(&file().to_string()), "");

    let marked = format!("\u{feff}{}", file());
    assert_eq!(refusal(&marked), "");

    let least = r#"{"schema": 1, "slug": "river", "title": "River", "settings": {}}"#;
    assert_eq!(refusal(least), "");
}

#[test]
fn a_file_of_another_kind_is_refused() {
    for (text, expect) in [
        (
            "",
            "The file: it is not JSON: EOF while parsing a value at line 1 column 0.",
        ),
        (
            "source,output\n",
            "The file: it is not JSON: expected value at line 1 column 1.",
        ),
        (
            "[]",
            "schema: it is missing. This is not a study file, which begins with \"schema\": 1.",
        ),
        (
            "{\"schema\": 2}",
            "schema: the file has version 2, and this program reads 1.",
        ),
        (
            "{\"schema\": 1}",
            "The file: missing field `slug` at line 1 column 13.",
        ),
    ] {
        let refusal = refusal(text);
        assert!(refusal.starts_with(expect), "{text}: {refusal}");
        assert!(
            refusal.ends_with("Nothing was stored: correct this and try again."),
            "{refusal}"
        );
    }

    let latin = StudyFile::parse(b"\xff").expect_err("no text").to_string();
    assert!(latin.starts_with("The file: it is not UTF-8."), "{latin}");

    let large = StudyFile::parse(&vec![b' '; LARGEST_STUDY_FILE + 1]).expect_err("too large");
    assert!(
        large
            .to_string()
            .starts_with("The file: a study has at most 16 MB."),
        "{large}"
    );
}

#[test]
fn a_fault_is_named_with_its_place() {
    let long = "x".repeat(121);
    let item = &file()["training_items"][0];

    for (place, value, expect) in [
        (
            "/slug",
            json!("River study"),
            "slug: “River study” cannot be a short name",
        ),
        ("/title", json!(long), "title: “xxx"),
        (
            "/title",
            json!("a\nb"),
            "title: “a\nb” is not one line of 1 to 120 characters",
        ),
        (
            "/guidelines",
            json!("\0"),
            "guidelines: it holds a NUL character",
        ),
        ("/guideline", json!(""), "guideline: there is no such field"),
        (
            "/settings/overlap",
            json!(101),
            "settings.overlap: 101 is not a number from 0 to 100",
        ),
        (
            "/settings/groups/0/overlap",
            json!(0),
            "settings.groups: 0 raters of the group “Experts” for each source is not a number from 1 to 100",
        ),
        (
            "/settings/groups/0/dimensions",
            json!(["style"]),
            "settings.groups: the group “Experts” rates “style”, which is not a dimension of the study",
        ),
        (
            "/settings/groups/0/attributes",
            json!(["wise"]),
            "settings.groups[0].attributes[0]: unknown variant `wise`",
        ),
        (
            "/settings/groups/0/size",
            json!(3),
            "settings.groups[0].size: there is no such field",
        ),
        (
            "/settings/crowd/sources_each",
            json!(10_001),
            "settings.crowd.sources_each: 10001 is not a number from 0 to 10000",
        ),
        (
            "/settings/crowd/screening/0/answers/1/places",
            json!(3),
            "settings.crowd.screening: line 1: “another” has a number of places but is not accepted",
        ),
        (
            "/settings/crowd/codes/completed",
            json!(" x"),
            "settings.crowd.codes.completed: “ x” is not one line of 0 to 100 characters",
        ),
        (
            "/settings/crowd/return_link",
            json!("http://app.example"),
            "settings.crowd.return_link: it must start with https://",
        ),
        (
            "/settings/overlap",
            json!("three"),
            "settings.overlap: invalid type: string \"three\", expected u32 at line 1",
        ),
        (
            "/settings/overlaps",
            json!(3),
            "settings.overlaps: there is no such field",
        ),
        (
            "/settings/category_rule",
            json!("own"),
            "settings.category_rule: unknown variant `own`",
        ),
        (
            "/settings/category_threshold",
            json!(1.5),
            "settings.category_threshold: 1.5 is not a number from 0 to 1",
        ),
        (
            "/settings/lease_hours",
            json!(0),
            "settings.lease_hours: 0 is not a number from 1 to 8760",
        ),
        (
            "/settings/retrain_every",
            json!(-1),
            "settings.retrain_every: invalid value: integer `-1`",
        ),
        (
            "/settings/dimensions",
            json!([]),
            "settings.dimensions: it is empty",
        ),
        (
            "/settings/dimensions/1/name",
            json!("adequacy"),
            "settings.dimensions[1].name: two dimensions are called “adequacy”",
        ),
        (
            "/settings/dimensions/0/name",
            json!(" "),
            "settings.dimensions[0].name: “ ” is not one line",
        ),
        (
            "/settings/dimensions/0/scale/high",
            json!(1),
            "settings.dimensions[0].scale: “high” must be above “low”",
        ),
        (
            "/settings/dimensions/0/scale/low",
            json!(-9999),
            "settings.dimensions[0].scale.low: -9999 is not a number from -1000 to 1000",
        ),
        (
            "/settings/dimensions/1/input/levels",
            json!(["good"]),
            "settings.dimensions[1].input: a scale from 0 to 1 has 2 levels",
        ),
        (
            "/settings/dimensions/0/input/slider/hidden",
            json!(true),
            "settings.dimensions[0].input.slider.hidden: there is no such field",
        ),
        (
            "/settings/protocol",
            json!(["categorise"]),
            "settings.protocol: annotators must judge outputs",
        ),
        (
            "/settings/protocol",
            json!([{"write": {"becomes": "outputs"}}]),
            "settings.protocol: name the system whose outputs the texts become",
        ),
        (
            "/settings/protocol",
            json!([{"write": {}}, "rank-and-rate"]),
            "settings.protocol: “Rank & rate” cannot come at this place",
        ),
        (
            "/settings/protocol",
            json!([{"write": {"limit": 3}}]),
            "settings.protocol[0].write.limit: there is no such field",
        ),
        (
            "/settings/qualification/categories",
            json!(80),
            "settings.qualification.categories: 80 is not a number from 0 to 1",
        ),
        (
            "/settings/quality_control",
            json!({"attention_every": 1001}),
            "settings.quality_control.attention_every: 1001 is not a number from 0 to 1000",
        ),
        (
            "/settings/quality_control",
            json!({"copy_every": 1001}),
            "settings.quality_control.copy_every: 1001 is not a number from 0 to 1000",
        ),
        (
            "/training_items",
            json!([item, item]),
            "training_items[1].key: two items are called “1”",
        ),
        (
            "/training_items/0/purpose",
            json!("main"),
            "training_items[0].purpose: a file holds no sources that are rated",
        ),
        (
            "/training_items/0/text",
            json!("x".repeat(501)),
            "training_items[0].text: it has a word of more than 500 letters",
        ),
        (
            "/training_items/0/outputs/1/system",
            json!("a"),
            "training_items[0].outputs[1].system: “a” has two outputs for this source",
        ),
        (
            "/training_items/0/outputs/0/expected/rating",
            json!(92),
            "training_items[0].outputs[0].expected.rating: 92 is outside the scale from 1 to 5",
        ),
        (
            "/training_items/0/outputs/0/expected/choices",
            json!([{"question": "missing", "options": []}]),
            "training_items[0].outputs[0].expected.choices[0].options: their number: 0 is not a number from 1 to 12",
        ),
        (
            "/training_items/0/outputs/0/expected/choices",
            json!([{"question": "two\nlines", "options": ["a"]}]),
            "training_items[0].outputs[0].expected.choices[0].question: “two\nlines” is not one line of 1 to 40 characters",
        ),
        (
            "/training_items/0/outputs/0/expected/marks",
            json!([{"type": "Grammar", "output": [{"start": 0, "end": 900}]}]),
            "training_items[0].outputs[0].expected.marks: mark 1 names a place that is not in its text",
        ),
        (
            "/training_items/0/outputs/0/expected/tolerance",
            json!(-1),
            "training_items[0].outputs[0].expected.tolerance: -1 is not a number from 0 to 2000",
        ),
        (
            "/comprehension/return_link",
            json!("javascript:alert(1)"),
            "comprehension.return_link: it must start with https://",
        ),
        (
            "/comprehension/screening",
            json!([{"question": "A|B?", "answers": []}]),
            "comprehension.screening[0]: “A|B?” cannot hold |",
        ),
        (
            "/settings/dimensions",
            (0..9)
                .map(|at| json!({"name": format!("d{at}"), "scale": {"low": 0, "high": 9}}))
                .collect(),
            "settings.dimensions: there are more than 8",
        ),
        (
            "/settings/dimensions/0/name",
            json!("Adequacy"),
            "settings.dimensions[0].name: “Adequacy” has capital letters",
        ),
        (
            "/training_items/0/outputs/0/system",
            json!(""),
            "training_items[0].outputs[0].system: “” is not one line of 1 to 200 characters",
        ),
        (
            "/comprehension/design",
            json!({"texts": 0}),
            "comprehension.design: each participant reads 1 to 100 texts",
        ),
    ] {
        let refusal = refusal(&with(place, value));
        assert!(refusal.starts_with(expect), "{place}: {refusal}");
    }

    let long = refusal(&with(&format!("/{}", "x".repeat(70_000)), json!(1)));
    assert!(long.len() < 1_000, "{long}");

    for (field, value, fault) in [
        ("kind", json!("human"), "“a” is “machine” further up"),
        ("hidden", json!(true), "“a” has false further up"),
    ] {
        let mut other = item.clone();
        (other["key"], other["outputs"][0][field]) = (json!("2"), value);
        let refusal = refusal(&with("/training_items", json!([item, other])));
        let expect = format!("training_items[1].outputs[0].{field}: {fault}");
        assert!(refusal.starts_with(&expect), "{refusal}");
    }
}

#[test]
fn a_long_quotation_is_cut() {
    let refusal = refusal(&with("/settings/overlap", json!("x".repeat(100_000))));
    assert!(refusal.len() < 1_000, "{refusal}");
}

prop_compose! {
    /// Settings that a lead can make.
    fn settings()(
        overlap in StudySettings::OVERLAP,
        lease_hours in StudySettings::LEASE_HOURS,
        retrain_every in StudySettings::RETRAIN_EVERY,
        copy_every in QualityControl::EVERY,
        category_threshold in 0.0..=1.0,
        qualification in prop_oneof![
            Just(QualificationRule::None),
            Just(QualificationRule::Lead),
            (0.0..=1_000.0, 0.0..=1.0).prop_map(|(tolerance, categories)| {
                QualificationRule::Answers { tolerance, categories }
            }),
        ],
        rule in any::<prop::sample::Index>(),
        (sources_each, from, needs_platform_id) in (0..=CrowdSettings::MOST_SOURCES, 0..=FailedChecksRule::MOST, any::<bool>()),
        (retention, order) in any::<(prop::sample::Index, prop::sample::Index)>(),
        steps in prop_oneof![
            Just(StudyProtocol::default().steps().to_vec()),
            any::<(bool, bool)>().prop_map(|(all, shows_reference)| {
                let outputs = if all { OutputsShown::All } else { OutputsShown::One };
                vec![ProtocolStep::Rate(RateStep { outputs, shows_reference, hides_source: all })]
            }),
            (CompareStep::TOGETHER, CompareStep::TIMES, any::<bool>()).prop_map(|(together, times, allows_ties)| {
                let step = CompareStep { together, times: Some(times), allows_ties, ..CompareStep::default() };
                vec![ProtocolStep::CheckEdits, ProtocolStep::Compare(step)]
            }),
            (any::<prop::sample::Index>(), proptest::option::of(WriteStep::WORDS), "\\PC{1,20}").prop_map(|(start, least_words, name)| {
                vec![ProtocolStep::Write(WriteStep {
                    start: *start.get(WritingStart::ALL),
                    start_system: format!("System {name}"),
                    least_words,
                    becomes: WrittenUse::Outputs,
                    system: format!("Writers {name}"),
                    ..WriteStep::default()
                })]
            }),
        ],
        groups in proptest::collection::vec((any::<bool>(), proptest::option::of(1_u32..=100)), 0..4).prop_map(|all| {
            let group = |(at, (rates, overlap)): (usize, (bool, Option<u32>))| RaterGroup {
                id: format!("group-{at}"),
                name: format!("Group {at}"),
                attributes: if rates { vec![RaterAttribute::Expert, RaterAttribute::TargetReader] } else { vec![] },
                dimensions: if rates { vec!["overall".to_owned()] } else { vec![] },
                overlap,
            };
            all.into_iter().enumerate().map(group).collect::<Vec<_>>()
        }),
        (merged, accepts_unjudged, annotators_agree) in any::<(bool, bool, bool)>(),
        input in prop_oneof![
            Just(ScoreInput::default()),
            "\\PC{0,20}".prop_map(|low| ScoreInput::Slider(SliderInput { low, ..SliderInput::default() })),
            Just(ScoreInput::Levels(["a", "b", "c", "d", "e"].map(str::to_owned).to_vec())),
        ],
    ) -> StudySettings {
        StudySettings {
            overlap,
            category_rule: *rule.get(CategoryRule::ALL),
            category_threshold,
            dimensions: vec![Dimension { input, ..Dimension::new("overall", RatingScale { low: 1, high: 5 }) }],
            protocol: StudyProtocol::new(steps).expect("steps in their order"),
            layout: if merged { WorkLayout::Merged } else { WorkLayout::Steps },
            accepts_unjudged,
            annotators_agree,
            source_order: *order.get(SourceOrder::ALL),
            lease_hours,
            qualification,
            quality_control: QualityControl { copy_every, ..QualityControl::default() },
            retrain_every,
            retention: *retention.get(RetentionPeriod::ALL),
            crowd: CrowdSettings {
                sources_each,
                needs_platform_id,
                failed_checks: FailedChecksRule { from, ..FailedChecksRule::default() },
                ..CrowdSettings::default()
            },
            groups,
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_to_the_byte(settings in settings(), guidelines in any::<String>()) {
        let mut file: StudyFile = serde_json::from_value(file()).expect("a file");
        file.settings = round_fractions(settings);
        file.guidelines = guidelines.replace('\0', "");

        let written = file.to_json();
        let read = StudyFile::parse(written.as_bytes()).expect("it is read");
        prop_assert!(read.check().is_ok());
        prop_assert_eq!(read.to_json(), written);
    }
}
