use domain::metrics::MetricTrainer;
use leptos::{either::EitherOf4, prelude::*};
use service::training_settings::{SettingDeclaration, SettingValues, TrainingSetting};

use app::components::TextArea;

/// The trainers that have settings.
static TRAINERS: [MetricTrainer; 2] = [MetricTrainer::Lens, MetricTrainer::CrossEncoder];

/// The settings of metrics whose encoder is trained, under the names of the command line.
#[component]
pub(super) fn MoreSettings() -> impl IntoView {
    let both: &[MetricTrainer] = &TRAINERS;
    let groups = [both, &TRAINERS[..1], &TRAINERS[1..]];

    let group = |trainers: &'static [MetricTrainer]| {
        let names: Vec<&str> = trainers.iter().map(|trainer| trainer.name()).collect();
        let is_own = |setting: &TrainingSetting| {
            TRAINERS
                .iter()
                .all(|trainer| setting.is_for(*trainer) == trainers.contains(trainer))
        };
        let own = TrainingSetting::ALL.iter().copied().filter(is_own);

        view! {
            <fieldset>
                <legend>{format!("Settings of {}", names.join(" and "))}</legend>
                {own.map(|setting| view! { <SettingField setting/> }).collect_view()}
            </fieldset>
        }
    };

    view! {
        <details class="more">
            <summary>"More settings"</summary>
            <p class="soft">
                "Only "<code>"lens"</code>" and "<code>"cross-encoder"</code>" use these. Each is also a flag of "
                <code>"rankrate train"</code>". Empty fields have their defaults."
            </p>
            {groups.map(group).collect_view()}
        </details>
    }
}

#[component]
fn SettingField(setting: TrainingSetting) -> impl IntoView {
    let name = setting.name();
    let (id, field) = (format!("train-{name}"), format!("settings[{name}]"));
    let help_id = format!("{id}-help");
    let usual = describe_usual(setting);
    let SettingDeclaration {
        label,
        description,
        values,
        ..
    } = setting.declaration();
    let range = match &values {
        SettingValues::Lines | SettingValues::Words(_) => None,
        values => Some(format!(" Takes {}.", values.describe())),
    };

    let limits = |low: String, high: String, step: &'static str| {
        EitherOf4::A(view! {
            <input
                id=id.clone()
                name=field.clone()
                type="number"
                min=low
                max=high
                step=step
                aria-describedby=help_id.clone()
            />
        })
    };

    let input = match values {
        SettingValues::Count(range) => {
            limits(range.start().to_string(), range.end().to_string(), "1")
        }
        SettingValues::Number(range) => {
            limits(range.start().to_string(), range.end().to_string(), "any")
        }
        SettingValues::Words(words) => EitherOf4::B(view! {
            <select id=id.clone() name=field aria-describedby=help_id.clone()>
                <option value="">"default"</option>
                {words.iter().map(|word| view! { <option value=*word>{*word}</option> }).collect_view()}
            </select>
        }),
        SettingValues::Widths(_) => EitherOf4::C(view! {
            <input
                id=id.clone()
                name=field
                aria-describedby=help_id.clone()
            />
        }),
        SettingValues::Lines => EitherOf4::D(
            view! { <TextArea id=id.clone() name=field value="" rows=3 described_by=help_id.clone()/> },
        ),
    };

    view! {
        <div class="field">
            <label for=id>{label}</label>
            {input}
            <p class="help" id=help_id>{description}{range}{usual}" Flag: "<code>"--"{name}</code></p>
        </div>
    }
}

/// A sentence on the usual value, by trainer if it differs between them.
fn describe_usual(setting: TrainingSetting) -> Option<String> {
    let [lens, cross] = TRAINERS.map(|trainer| setting.usual(trainer));
    let usual = match (lens, cross) {
        (Some(lens), Some(cross)) if lens != cross => {
            format!("lens {lens}; cross-encoder {cross}")
        }
        (usual, other) => usual.or(other)?.to_owned(),
    };
    Some(format!(" Default: {usual}."))
}
