use std::{collections::BTreeMap, fmt::Debug};

use domain::work::change::{AnnotationAnswer, AnnotationChange, AnnotationSlot, AnnotationStep};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use service::templates::{SampleStudy, StudyTemplate, sample_task};

use super::{
    JsonError,
    reader::{ParsedJson, read_value},
    writer::write_value,
};

/// A value as the browser's parser reads it, with `None` for its `undefined`.
#[derive(Debug, Clone)]
struct BrowserValue(Option<Value>);

impl From<Value> for BrowserValue {
    fn from(value: Value) -> Self {
        Self(Some(value))
    }
}

impl ParsedJson for BrowserValue {
    fn is_null(&self) -> bool {
        matches!(self.0, None | Some(Value::Null))
    }

    fn is_missing(&self) -> bool {
        self.0.is_none()
    }

    fn as_bool(&self) -> Option<bool> {
        self.0.as_ref()?.as_bool()
    }

    fn as_number(&self) -> Option<f64> {
        self.0.as_ref()?.as_f64()
    }

    fn as_text(&self) -> Option<String> {
        self.0.as_ref()?.as_str().map(String::from)
    }

    fn as_items(&self) -> Option<Vec<Self>> {
        let items = self.0.as_ref()?.as_array()?;
        Some(items.iter().cloned().map(Self::from).collect())
    }

    fn as_entries(&self) -> Option<Vec<(Self, Self)>> {
        let entries = self.0.as_ref()?.as_object()?;
        let pairs = entries
            .iter()
            .map(|(name, value)| (json!(name).into(), value.clone().into()));
        Some(pairs.collect())
    }

    fn field(&self, name: &str) -> Result<Self, JsonError> {
        match &self.0 {
            None | Some(Value::Null) => Err(JsonError),
            Some(value) => Ok(Self(value.get(name).cloned())),
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, JsonError> {
    read_value(BrowserValue::from(value))
}

/// Writes a value as the browser does and as the server does, and reads it as the browser does.
#[track_caller]
fn check_round_trip<T: Serialize + serde::de::DeserializeOwned + PartialEq + Debug>(value: &T) {
    let written = write_value(value).expect("the value can be written");
    let on_server = serde_json::to_value(value).expect("the value can be written");
    let parsed: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(parsed, on_server);
    assert_eq!(&read::<T>(on_server).expect("the value can be read"), value);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PlainChoice {
    FirstOne,
    SecondOne,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ChoiceWithContent {
    Nothing,
    Single(String),
    Pair(i32, bool),
    Named { left: u8, right: Option<f64> },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum TaggedChoice {
    Bare,
    Full { number: u64, text: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct WrappedNumber(i64);

/// All forms in which the types of the workspace are written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ManyForms {
    text: String,
    #[serde(rename = "type")]
    renamed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    list: Vec<WrappedNumber>,
    fraction: f64,
    pair: (u8, String),
    choices: Vec<ChoiceWithContent>,
    tagged: TaggedChoice,
    by_choice: BTreeMap<PlainChoice, String>,
    by_text: BTreeMap<String, Option<bool>>,
    unit: (),
}

/// Numbers that every parser reads exactly.
fn any_fraction() -> impl Strategy<Value = f64> {
    any::<i32>().prop_map(|quarters| f64::from(quarters) / 4.0)
}

fn any_choice() -> impl Strategy<Value = ChoiceWithContent> {
    prop_oneof![
        Just(ChoiceWithContent::Nothing),
        any::<String>().prop_map(ChoiceWithContent::Single),
        any::<(i32, bool)>().prop_map(|(number, yes)| ChoiceWithContent::Pair(number, yes)),
        (any::<u8>(), prop::option::of(any_fraction()))
            .prop_map(|(left, right)| ChoiceWithContent::Named { left, right }),
    ]
}

fn any_tagged() -> impl Strategy<Value = TaggedChoice> {
    prop_oneof![
        Just(TaggedChoice::Bare),
        (0..1_u64 << 53, any::<String>())
            .prop_map(|(number, text)| TaggedChoice::Full { number, text }),
    ]
}

fn any_forms() -> impl Strategy<Value = ManyForms> {
    let plain = prop_oneof![Just(PlainChoice::FirstOne), Just(PlainChoice::SecondOne)];
    let wrapped = (-(1_i64 << 53) + 1..1 << 53).prop_map(WrappedNumber);
    (
        (
            any::<String>(),
            any::<Option<String>>(),
            any::<Option<u32>>(),
        ),
        prop::collection::vec(wrapped, 0..4),
        any_fraction(),
        any::<(u8, String)>(),
        prop::collection::vec(any_choice(), 0..4),
        any_tagged(),
        prop::collection::btree_map(plain, any::<String>(), 0..3),
        prop::collection::btree_map(any::<String>(), any::<Option<bool>>(), 0..4),
    )
        .prop_map(
            |(texts, list, fraction, pair, choices, tagged, by_choice, by_text)| ManyForms {
                text: texts.0,
                renamed: texts.1,
                left_out: texts.2,
                list,
                fraction,
                pair,
                choices,
                tagged,
                by_choice,
                by_text,
                unit: (),
            },
        )
}

proptest! {
    #[test]
    fn every_form_is_read_as_it_was_written(forms in any_forms()) {
        check_round_trip(&forms);
    }
}

#[test]
fn the_task_of_every_template_is_read_as_it_was_written() {
    for template in StudyTemplate::ALL {
        let mut task = sample_task(SampleStudy {
            slug: "sample".parse().expect("a short name"),
            name: "Sample \"quoted\"\n\u{2028}",
            guidelines: template.guidelines(),
            settings: &template.settings(),
        });
        task.find_marks();
        check_round_trip(&task);
    }
}

#[test]
fn a_change_is_read_as_it_was_written() {
    check_round_trip(&AnnotationChange {
        id: domain::ids::AnnotationId(uuid::Uuid::from_u128(7)),
        supersedes: Some(domain::ids::AnnotationId(uuid::Uuid::nil())),
        slot: AnnotationSlot::Progress,
        answer: AnnotationAnswer::Progress(AnnotationStep::Rate),
    });
}

#[derive(Debug, PartialEq, Deserialize)]
struct FieldsWithDefaults {
    #[serde(default)]
    first: u32,
    needed: String,
    optional: Option<u32>,
    #[serde(default)]
    last: Vec<String>,
}

#[test]
fn a_field_that_is_not_there_is_its_default_wherever_it_stands() {
    let expected = FieldsWithDefaults {
        first: 0,
        needed: "here".into(),
        optional: None,
        last: vec![],
    };
    assert_eq!(
        read(json!({ "needed": "here", "unknown": 1 })),
        Ok(expected)
    );
    assert_eq!(
        read::<FieldsWithDefaults>(json!({ "first": 1 })),
        Err(JsonError)
    );
    // A field that is there must be of its type, default or not.
    assert_eq!(
        read::<FieldsWithDefaults>(json!({ "needed": "here", "first": "one" })),
        Err(JsonError)
    );
}

#[test]
fn values_of_other_types_are_errors() {
    assert_eq!(read::<u8>(json!(256)), Err(JsonError));
    assert_eq!(read::<u8>(json!(-1)), Err(JsonError));
    assert_eq!(read::<u32>(json!(1.5)), Err(JsonError));
    assert_eq!(read::<i64>(json!(1e300)), Err(JsonError));
    assert_eq!(read::<u32>(json!("1")), Err(JsonError));
    assert_eq!(read::<String>(json!(null)), Err(JsonError));
    assert_eq!(read::<Vec<u8>>(json!({})), Err(JsonError));
    assert_eq!(read::<(u8, u8)>(json!([1])), Err(JsonError));
    assert_eq!(read::<PlainChoice>(json!("third-one")), Err(JsonError));
    assert_eq!(
        read::<PlainChoice>(json!({ "first-one": 1 })),
        Err(JsonError)
    );
    assert_eq!(read::<ChoiceWithContent>(json!("single")), Err(JsonError));
    assert_eq!(
        read::<ChoiceWithContent>(json!({ "single": "a", "nothing": null })),
        Err(JsonError)
    );
    assert_eq!(read::<FieldsWithDefaults>(json!([])), Err(JsonError));
    assert_eq!(read::<FieldsWithDefaults>(json!(null)), Err(JsonError));
}

#[test]
fn numbers_that_json_lacks_are_written_as_null() {
    assert_eq!(write_value(&f64::NAN).as_deref(), Ok("null"));
}

#[test]
fn keys_of_maps_are_texts() {
    assert_eq!(write_value(&BTreeMap::from([(1, 2)])), Err(JsonError));
    assert_eq!(
        write_value(&BTreeMap::from([(PlainChoice::SecondOne, 2)])).as_deref(),
        Ok("{\"second-one\":2}")
    );
}
