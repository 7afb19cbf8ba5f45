//! The settings of a training that people choose in a form, named like the flags of `rankrate train`.
//!
//! A new setting is a variant of [`TrainingSetting`] with its name and its [`SettingDeclaration`]. The flag of the same
//! name in `server::tuning_args` has its place in the plan of a training.

use std::{collections::BTreeMap, ops::RangeInclusive};

use domain::{metrics::MetricTrainer, names};
use serde::{Deserialize, Serialize};

/// The most characters of a setting. A list of sources may have as many.
const MAX_CHARS: usize = 200_000;

/// A setting of a trainer that fine-tunes an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingSetting {
    /// Epochs with the encoder frozen.
    FrozenEpochs,
    /// Epochs in which the encoder's last layers are tuned.
    TunedEpochs,
    /// The number of layers that are tuned.
    TunedLayers,
    /// The peak learning rate of the tuned layers.
    EncoderLr,
    /// The head's peak learning rate while the encoder is frozen.
    HeadLr,
    /// The head's peak learning rate afterwards, as a multiple of the encoder's.
    HeadLrFactor,
    /// The batch size in sources.
    Batch,
    /// The number of epochs without improvement after which training ends.
    Patience,
    /// Dropout in head and tuned layers.
    Dropout,
    /// Weight decay.
    WeightDecay,
    /// The feature blocks of the regressor.
    LensFeatures,
    /// The number of references from which the error is computed.
    TopReferences,
    /// The widths of the regressor's hidden layers.
    Hidden,
    /// The vectors by which the heads see source and output.
    Pooling,
    /// The weight of the ranking head.
    OrderShare,
    /// The share of the sources that are held out to choose the best epoch.
    HeldOut,
    /// The texts of these sources, one per line.
    Split,
}

// In the order of a form.
names!(TrainingSetting, "setting", UnknownSetting,
    EncoderLr => "encoder-lr", HeadLr => "head-lr", HeadLrFactor => "head-lr-factor",
    FrozenEpochs => "frozen-epochs", TunedEpochs => "tuned-epochs", TunedLayers => "tuned-layers",
    Batch => "batch", Patience => "patience", Dropout => "dropout", WeightDecay => "weight-decay",
    TopReferences => "top-references", Hidden => "hidden", LensFeatures => "lens-features",
    Pooling => "pooling", OrderShare => "order-share", HeldOut => "held-out", Split => "split");

/// A setting as a form shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingDeclaration {
    /// Its name for people.
    pub label: &'static str,
    /// An explanation, as a sentence.
    pub description: &'static str,
    /// The values that a form accepts. Values that take much memory or many hours are left to `rankrate train`, because
    /// studies train one after another on the machine that serves their annotators.
    pub values: SettingValues,
    defaults: SettingDefaults,
}

/// The values that a setting can have.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValues {
    /// A whole number.
    Count(RangeInclusive<u32>),
    /// A number in this range.
    Number(RangeInclusive<f64>),
    /// Two whole numbers above 0, each at most this.
    Widths(u32),
    /// One of these words.
    Words(&'static [&'static str]),
    /// Lines of text.
    Lines,
}

/// The trainers that have a setting, with its default values.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SettingDefaults {
    /// Only lens has it.
    ForLens(&'static str),
    /// Only the cross-encoder has it.
    ForCross(&'static str),
    /// Both have it, each with its own default: that of lens, and that of the cross-encoder.
    ForEach(&'static str, &'static str),
    /// Both have it, and it has no default.
    NoDefault,
}

use SettingDefaults::{ForCross, ForEach, ForLens, NoDefault};
use SettingValues::{Count, Lines, Number, Widths, Words};
use TrainingSetting::{
    Batch, Dropout, EncoderLr, FrozenEpochs, HeadLr, HeadLrFactor, HeldOut, Hidden, LensFeatures,
    OrderShare, Patience, Pooling, Split, TopReferences, TunedEpochs, TunedLayers, WeightDecay,
};

impl TrainingSetting {
    /// The setting as a form shows it.
    #[must_use]
    pub const fn declaration(self) -> SettingDeclaration {
        match self {
            EncoderLr => SettingDeclaration {
                label: "Learning rate of the encoder",
                description: "The peak rate of the tuned layers.",
                values: Number(1e-7..=0.1),
                defaults: ForEach("0.0002", "0.00008"),
            },
            HeadLr => SettingDeclaration {
                label: "Learning rate of the head",
                description: "The peak rate while the encoder is frozen.",
                values: Number(1e-7..=0.1),
                defaults: ForLens("0.002"),
            },
            HeadLrFactor => SettingDeclaration {
                label: "Learning rate of the head, as a multiple of the encoder’s",
                description: "The peak rate while the encoder is tuned.",
                values: Number(0.01..=100.0),
                defaults: ForEach("5", "8"),
            },
            FrozenEpochs => SettingDeclaration {
                label: "Epochs with the encoder frozen",
                description: "Only the head learns in these.",
                values: Count(0..=40),
                defaults: ForLens("20"),
            },
            TunedEpochs => SettingDeclaration {
                label: "Epochs in which the encoder is tuned",
                description: "They come last; the encoder’s last layers learn in them as well.",
                values: Count(0..=20),
                defaults: ForEach("6", "2"),
            },
            TunedLayers => SettingDeclaration {
                label: "Tuned layers",
                description: "The number of layers of the encoder that learn, counted from the last.",
                values: Count(1..=48),
                defaults: ForEach("6", "6"),
            },
            Batch => SettingDeclaration {
                label: "Batch size",
                description: "The number of sources in a step. A larger one takes more memory.",
                values: Count(1..=16),
                defaults: ForEach("4 while the encoder is frozen, then 1", "1"),
            },
            Patience => SettingDeclaration {
                label: "Patience",
                description: "The number of epochs without improvement after which training ends.",
                values: Count(1..=40),
                defaults: ForEach("10", "10"),
            },
            Dropout => SettingDeclaration {
                label: "Dropout",
                description: "In the tuned layers, and in the head of lens.",
                values: Number(0.0..=0.9),
                defaults: ForEach("0.1", "0.1"),
            },
            WeightDecay => SettingDeclaration {
                label: "Weight decay",
                description: "Of all weights that learn.",
                values: Number(0.0..=1.0),
                defaults: ForEach("0.01", "0.01"),
            },
            TopReferences => SettingDeclaration {
                label: "Number of references in the error",
                description: "The error is taken over the k references with the greatest predictions; this is k.",
                values: Count(1..=100),
                defaults: ForLens("3"),
            },
            Hidden => SettingDeclaration {
                label: "Widths of the hidden layers",
                description: "Two numbers, such as 128,64.",
                values: Widths(512),
                defaults: ForLens("128,64"),
            },
            LensFeatures => SettingDeclaration {
                label: "Feature blocks",
                description: "Six, as the paper prints them, or seven, as the released program has them.",
                values: Words(&["six", "seven"]),
                defaults: ForLens("seven"),
            },
            Pooling => SettingDeclaration {
                label: "Pooling",
                description: "How the heads see source and output: by the mean of all vectors, or by the first vector.",
                values: Words(&["mean", "first"]),
                defaults: ForCross("mean"),
            },
            OrderShare => SettingDeclaration {
                label: "Weight of the ranking head",
                description: "In standard deviations of the scores.",
                values: Number(0.0..=10.0),
                defaults: ForCross("0.2"),
            },
            HeldOut => SettingDeclaration {
                label: "Share of sources that choose the best epoch",
                description: "Of the sources that are learned from. The fifth that is held out for the figures comes besides.",
                values: Number(0.0..=0.5),
                defaults: ForEach("0.1", "0.1"),
            },
            Split => SettingDeclaration {
                label: "Sources that choose the best epoch",
                description: "Texts of sources, one a line, exactly as they were imported. They take the place of a random share.",
                values: Lines,
                defaults: NoDefault,
            },
        }
    }

    /// Whether it is a setting of this trainer.
    #[must_use]
    pub const fn is_for(self, trainer: MetricTrainer) -> bool {
        match trainer {
            MetricTrainer::Hybrid => false,
            MetricTrainer::Lens => !matches!(self.declaration().defaults, ForCross(_)),
            MetricTrainer::CrossEncoder => !matches!(self.declaration().defaults, ForLens(_)),
        }
    }

    /// The default value; `None` if this trainer does not have the setting, or the setting has no default.
    #[must_use]
    pub const fn usual(self, trainer: MetricTrainer) -> Option<&'static str> {
        match (trainer, self.declaration().defaults) {
            (MetricTrainer::Lens, ForLens(usual) | ForEach(usual, _))
            | (MetricTrainer::CrossEncoder, ForCross(usual) | ForEach(_, usual)) => Some(usual),
            _ => None,
        }
    }

    /// The value in the form in which it is stored, or a sentence on why it is invalid.
    fn parse(self, written: &str) -> Result<String, String> {
        let SettingDeclaration { label, values, .. } = self.declaration();
        let value = match &values {
            Count(range) => {
                let count = written.parse::<u32>().ok();
                let count = count.filter(|count| range.contains(count));
                count.map(|count| count.to_string())
            }
            Number(range) => {
                let number = written.parse::<f64>().ok();
                let number = number.filter(|number| range.contains(number));
                number.map(|number| number.to_string())
            }
            Widths(most) => parse_widths(written)
                .filter(|widths| widths.iter().all(|width| (1..=*most).contains(width)))
                .map(|[first, second]| format!("{first},{second}")),
            Words(words) => words.contains(&written).then(|| written.to_owned()),
            Lines => {
                let lines = written.lines().map(str::trim);
                let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
                Some(lines.join("\n"))
            }
        };

        value.ok_or_else(|| {
            let values = values.describe();
            format!("“{label}” takes {values}, not “{written}”.")
        })
    }

    /// The names of the trainers that have the setting, for a sentence.
    fn name_trainers(self) -> String {
        let trainers = [MetricTrainer::Lens, MetricTrainer::CrossEncoder];
        let names = trainers.iter().filter(|trainer| self.is_for(**trainer));
        names
            .map(|trainer| trainer.name())
            .collect::<Vec<_>>()
            .join(" and ")
    }
}

impl SettingValues {
    /// The values in words: `a whole number from 1 to 16`.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Count(range) => format!("a whole number from {} to {}", range.start(), range.end()),
            Number(range) => format!("a number from {} to {}", range.start(), range.end()),
            Widths(most) => format!("two whole numbers from 1 to {most}, such as 128,64"),
            Words(words) => words.join(" or "),
            Lines => "lines of text".to_owned(),
        }
    }
}

/// Parses two widths, separated by a comma.
fn parse_widths(written: &str) -> Option<[u32; 2]> {
    let (first, second) = written.split_once(',')?;
    Some([first.trim().parse().ok()?, second.trim().parse().ok()?])
}

/// The settings that were chosen for a training; all others have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChosenSettings(BTreeMap<TrainingSetting, String>);

impl ChosenSettings {
    /// Checks the values from a form, by the names of settings. Empty values are not chosen.
    ///
    /// # Errors
    /// A sentence on an unknown name, a setting of another trainer, or a value out of its range.
    pub fn parse(
        trainer: MetricTrainer,
        written: &BTreeMap<String, String>,
    ) -> Result<Self, String> {
        let mut chosen = BTreeMap::new();
        for (name, value) in written {
            let value = value.trim();
            if value.is_empty() {
                continue;
            }

            let setting: TrainingSetting = name
                .parse()
                .map_err(|_| format!("There is no setting “{name}”."))?;

            let label = setting.declaration().label;
            if !setting.is_for(trainer) {
                let trainers = setting.name_trainers();
                return Err(format!("“{label}” is only for {trainers}: leave it empty."));
            }
            if value.chars().count() > MAX_CHARS {
                return Err(format!("“{label}” is longer than {MAX_CHARS} characters."));
            }

            chosen.insert(setting, setting.parse(value)?);
        }

        let chosen = Self(chosen);
        let epochs = [FrozenEpochs, TunedEpochs].map(|epochs| chosen.epochs(epochs, trainer));

        if trainer.tunes_encoder() && epochs == [0, 0] {
            return Err(format!(
                "There must be one epoch at least: choose more than 0 for “{}”.",
                TunedEpochs.declaration().label
            ));
        }

        Ok(chosen)
    }

    fn epochs(&self, setting: TrainingSetting, trainer: MetricTrainer) -> u32 {
        let usual = setting.usual(trainer).and_then(|usual| usual.parse().ok());
        self.number(setting).or(usual).unwrap_or(0)
    }

    /// The chosen settings with their values.
    pub fn entries(&self) -> impl Iterator<Item = (TrainingSetting, &str)> {
        let entries = self.0.iter();
        entries.map(|(setting, value)| (*setting, value.as_str()))
    }

    /// The number of a setting, if it was chosen and is a number.
    #[must_use]
    pub fn number<T: std::str::FromStr>(&self, setting: TrainingSetting) -> Option<T> {
        self.0.get(&setting)?.parse().ok()
    }

    /// The sources by which the best epoch is chosen; empty if it is a random share.
    pub fn split(&self) -> impl Iterator<Item = &str> {
        let texts = self.0.get(&Split).into_iter();
        texts.flat_map(|texts| texts.lines())
    }

    /// The chosen settings, for people: `encoder-lr 0.0001, batch 2`; for a list of sources, their number.
    #[must_use]
    pub fn describe(&self) -> String {
        let chosen = self
            .entries()
            .map(|(setting, value)| match setting.declaration().values {
                Lines => match value.lines().count() {
                    1 => format!("{} of 1 source", setting.name()),
                    count => format!("{} of {count} sources", setting.name()),
                },
                _ => format!("{} {value}", setting.name()),
            });
        chosen.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MetricTrainer::{CrossEncoder, Hybrid, Lens};

    fn parse(trainer: MetricTrainer, written: &[(&str, &str)]) -> Result<ChosenSettings, String> {
        let written = written.iter();
        let written = written.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        ChosenSettings::parse(trainer, &written.collect())
    }

    #[test]
    fn what_is_left_empty_is_not_chosen() {
        let written = [
            ("encoder-lr", " 1e-4 "),
            ("batch", ""),
            ("hidden", "64, 32"),
            ("split", "One.\n\n Two. \n"),
        ];

        let chosen = parse(Lens, &written).expect("in range");
        assert_eq!(chosen.number(EncoderLr), Some(1e-4));
        assert_eq!(chosen.number::<u32>(Batch), None);
        assert_eq!(chosen.0[&Hidden], "64,32");
        assert_eq!(chosen.split().collect::<Vec<_>>(), ["One.", "Two."]);
        assert_eq!(
            chosen.describe(),
            "encoder-lr 0.0001, hidden 64,32, split of 2 sources"
        );

        let stored = serde_json::to_value(&chosen).expect("plain data");
        assert_eq!(stored["encoder-lr"], "0.0001");
        assert_eq!(serde_json::from_value(stored).ok(), Some(chosen));

        assert_eq!(
            parse(Hybrid, &[("batch", "")]),
            Ok(ChosenSettings::default())
        );
    }

    #[test]
    fn what_is_out_of_range_or_of_another_trainer_is_explained() {
        for (trainer, name, value, expected) in [
            (
                Lens,
                "batch",
                "0",
                "“Batch size” takes a whole number from 1 to 16, not “0”.",
            ),
            (Lens, "batch", "1.5", "a whole number"),
            (Lens, "encoder-lr", "0", "a number from 0.0000001 to 0.1"),
            (Lens, "encoder-lr", "1e-300", "a number from 0.0000001"),
            (Lens, "encoder-lr", "NaN", "a number from"),
            (CrossEncoder, "dropout", "0.95", "a number from 0 to 0.9"),
            (CrossEncoder, "weight-decay", "-1", "a number from 0 to 1"),
            (CrossEncoder, "order-share", "inf", "a number from 0 to 10"),
            (Lens, "hidden", "128", "two whole numbers"),
            (Lens, "hidden", "128,0", "two whole numbers"),
            (
                CrossEncoder,
                "pooling",
                "last",
                "“Pooling” takes mean or first",
            ),
            (
                CrossEncoder,
                "hidden",
                "64,32",
                "“Widths of the hidden layers” is only for lens: leave it empty.",
            ),
            (Lens, "pooling", "mean", "only for cross-encoder"),
            (Hybrid, "batch", "2", "only for lens and cross-encoder"),
            (Lens, "speed", "2", "There is no setting “speed”."),
            (CrossEncoder, "tuned-epochs", "0", "one epoch at least"),
        ] {
            let error = parse(trainer, &[(name, value)]).expect_err(name);
            assert!(error.contains(expected), "{error}");
        }

        let no_epochs = [("tuned-epochs", "0"), ("frozen-epochs", "0")];
        assert!(parse(Lens, &no_epochs).is_err());
        assert!(parse(Lens, &no_epochs[..1]).is_ok());
    }

    #[test]
    fn a_setting_has_one_name_and_usual_values_in_its_range() {
        for setting in TrainingSetting::ALL.iter().copied() {
            assert_eq!(setting.name().parse(), Ok(setting));
            assert_eq!(serde_json::json!(setting), setting.name());
            for trainer in [Lens, CrossEncoder] {
                // The default batch size of lens is not a single number.
                if let Some(usual) = setting.usual(trainer)
                    && (setting, trainer) != (Batch, Lens)
                {
                    assert_eq!(setting.parse(usual).as_deref(), Ok(usual));
                }
            }
        }
    }
}
