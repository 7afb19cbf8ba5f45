//! Settings of a training as people choose them in a form, under the names of the flags of `rankrate train`.
//!
//! A new setting is a variant of [`TrainingSetting`] with its row in the table below, and its place in the plan of a training,
//! which the server fills.

use std::{collections::BTreeMap, ops::RangeInclusive};

use domain::metrics::MetricTrainer;
use serde::{Deserialize, Serialize};

/// The most characters of a setting: those of a list of sources.
const MAX_CHARS: usize = 200_000;

/// A setting of a trainer that fine-tunes an encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrainingSetting {
    /// Epochs with the encoder frozen.
    FrozenEpochs,
    /// Epochs in which the encoder's last layers are tuned.
    TunedEpochs,
    /// The number of these layers.
    TunedLayers,
    /// Their peak learning rate.
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
    /// The number of references over which the error is taken.
    TopReferences,
    /// The widths of the regressor's hidden layers.
    Hidden,
    /// The vector of source and output that the heads see.
    Pooling,
    /// The weight of the ranking head.
    OrderShare,
    /// The share of the sources by which the best epoch is chosen.
    HeldOut,
    /// These sources by their texts, a line each.
    Split,
}

/// The values that a setting takes.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValues {
    /// A whole number.
    Count(RangeInclusive<u32>),
    /// A number above 0.
    Positive(f64),
    /// A number from 0 to one that it may be, too.
    Share(f64),
    /// Two whole numbers above 0, each at most this.
    Widths(u32),
    /// One of these words.
    Words(&'static [&'static str]),
    /// Lines of text.
    Lines,
}

use SettingValues::{Count, Lines, Positive, Share, Widths, Words};
use TrainingSetting::{
    Batch, Dropout, EncoderLr, FrozenEpochs, HeadLr, HeadLrFactor, HeldOut, Hidden, LensFeatures,
    OrderShare, Patience, Pooling, Split, TopReferences, TunedEpochs, TunedLayers, WeightDecay,
};

impl TrainingSetting {
    /// All of them, in the order of a form.
    pub const ALL: [Self; 17] = [
        EncoderLr,
        HeadLr,
        HeadLrFactor,
        FrozenEpochs,
        TunedEpochs,
        TunedLayers,
        Batch,
        Patience,
        Dropout,
        WeightDecay,
        TopReferences,
        Hidden,
        LensFeatures,
        Pooling,
        OrderShare,
        HeldOut,
        Split,
    ];

    /// Its name, that of the flag.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FrozenEpochs => "frozen-epochs",
            TunedEpochs => "tuned-epochs",
            TunedLayers => "tuned-layers",
            EncoderLr => "encoder-lr",
            HeadLr => "head-lr",
            HeadLrFactor => "head-lr-factor",
            Batch => "batch",
            Patience => "patience",
            Dropout => "dropout",
            WeightDecay => "weight-decay",
            LensFeatures => "lens-features",
            TopReferences => "top-references",
            Hidden => "hidden",
            Pooling => "pooling",
            OrderShare => "order-share",
            HeldOut => "held-out",
            Split => "split",
        }
    }

    /// The setting of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|setting| setting.name() == name)
    }

    /// The explanation of it, as a sentence for a form.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            FrozenEpochs => "Epochs with the encoder frozen.",
            TunedEpochs => {
                "Epochs after these, in which the encoder’s last layers are tuned as well."
            }
            TunedLayers => "The number of layers that are tuned, counted from the last.",
            EncoderLr => "The peak learning rate of the tuned layers.",
            HeadLr => "The peak learning rate of the head while the encoder is frozen.",
            HeadLrFactor => {
                "The head’s peak learning rate while layers are tuned, as a multiple of theirs."
            }
            Batch => "The batch size, in sources.",
            Patience => "The number of epochs without improvement after which training ends.",
            Dropout => "Dropout in the head and in the tuned layers.",
            WeightDecay => "Weight decay.",
            LensFeatures => {
                "The feature blocks: six as the paper prints them, seven as the released program has them."
            }
            TopReferences => {
                "The number k of references, those with the greatest predictions, over which the error is taken."
            }
            Hidden => "The widths of the two hidden layers.",
            Pooling => {
                "The vector of source and output that the heads see: the mean, or the first piece’s."
            }
            OrderShare => "The weight of the ranking head in the scores, in standard deviations.",
            HeldOut => "The share of the learned sources by which the best epoch is chosen.",
            Split => {
                "Sources by which the best epoch is chosen, in place of a random share: their texts, one a line."
            }
        }
    }

    /// Whether it is a setting of this trainer.
    #[must_use]
    pub const fn is_for(self, trainer: MetricTrainer) -> bool {
        match trainer {
            MetricTrainer::Hybrid => false,
            MetricTrainer::Lens => !matches!(self, Pooling | OrderShare),
            MetricTrainer::CrossEncoder => !matches!(
                self,
                FrozenEpochs | HeadLr | LensFeatures | TopReferences | Hidden
            ),
        }
    }

    /// The value where none is chosen; `None` where it is no setting of this trainer, or has no such value.
    #[must_use]
    pub const fn usual(self, trainer: MetricTrainer) -> Option<&'static str> {
        if !self.is_for(trainer) {
            return None;
        }
        let is_lens = matches!(trainer, MetricTrainer::Lens);
        Some(match self {
            FrozenEpochs => "20",
            TunedEpochs if is_lens => "6",
            TunedEpochs => "2",
            TunedLayers => "6",
            EncoderLr if is_lens => "0.0002",
            EncoderLr => "0.00008",
            HeadLr => "0.002",
            HeadLrFactor if is_lens => "5",
            HeadLrFactor => "8",
            Batch if is_lens => "4 while the encoder is frozen, then 1",
            Batch => "1",
            Patience => "10",
            Dropout | HeldOut => "0.1",
            WeightDecay => "0.01",
            LensFeatures => "seven",
            TopReferences => "3",
            Hidden => "128,64",
            Pooling => "mean",
            OrderShare => "0.2",
            Split => return None,
        })
    }

    /// The values that it takes.
    #[must_use]
    pub const fn values(self) -> SettingValues {
        match self {
            FrozenEpochs => Count(0..=200),
            TunedEpochs => Count(0..=100),
            TunedLayers => Count(1..=48),
            EncoderLr | HeadLr => Positive(0.1),
            HeadLrFactor => Positive(1_000.0),
            Batch => Count(1..=256),
            Patience => Count(1..=200),
            Dropout => Share(0.9),
            WeightDecay => Share(1.0),
            LensFeatures => Words(&["six", "seven"]),
            TopReferences => Count(1..=100),
            Hidden => Widths(4_096),
            Pooling => Words(&["mean", "first"]),
            OrderShare => Share(10.0),
            HeldOut => Share(0.5),
            Split => Lines,
        }
    }

    /// The value as it is stored, or why it is none.
    fn parse(self, written: &str) -> Result<String, String> {
        let name = self.name();
        let wrong = |expected: String| Err(format!("“{name}” takes {expected}, not “{written}”."));
        match self.values() {
            Count(range) => match written.parse::<u32>() {
                Ok(count) if range.contains(&count) => Ok(count.to_string()),
                _ => wrong(format!(
                    "a whole number from {} to {}",
                    range.start(),
                    range.end()
                )),
            },
            Positive(most) => match written.parse::<f64>() {
                Ok(number) if number > 0.0 && number <= most => Ok(number.to_string()),
                _ => wrong(format!("a number above 0, at most {most}")),
            },
            Share(most) => match written.parse::<f64>() {
                Ok(number) if (0.0..=most).contains(&number) => Ok(number.to_string()),
                _ => wrong(format!("a number from 0 to {most}")),
            },
            Widths(most) => match parse_widths(written) {
                Some(widths) if widths.iter().all(|width| (1..=most).contains(width)) => {
                    Ok(format!("{},{}", widths[0], widths[1]))
                }
                _ => wrong(format!(
                    "two whole numbers from 1 to {most}, such as 128,64"
                )),
            },
            Words(words) if words.contains(&written) => Ok(written.to_owned()),
            Words(words) => wrong(words.join(" or ")),
            Lines => {
                let lines = written.lines().map(str::trim);
                let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
                Ok(lines.join("\n"))
            }
        }
    }
}

/// Two widths, as they are written.
fn parse_widths(written: &str) -> Option<[u32; 2]> {
    let (first, second) = written.split_once(',')?;
    Some([first.trim().parse().ok()?, second.trim().parse().ok()?])
}

/// The settings that were chosen for a training; all others are the usual ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChosenSettings(BTreeMap<TrainingSetting, String>);

impl ChosenSettings {
    /// Checks what was written in a form, by the names of settings; what was left empty is not chosen.
    ///
    /// # Errors
    /// A sentence on a name that is none, a setting of another trainer, or a value out of its range.
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
            let setting = TrainingSetting::from_name(name)
                .ok_or_else(|| format!("There is no setting “{name}”."))?;
            if !setting.is_for(trainer) {
                return Err(format!(
                    "“{name}” is no setting of {trainer}. Leave it empty."
                ));
            }
            if value.chars().count() > MAX_CHARS {
                return Err(format!("“{name}” is longer than {MAX_CHARS} characters."));
            }
            chosen.insert(setting, setting.parse(value)?);
        }
        let chosen = Self(chosen);
        let epochs = [FrozenEpochs, TunedEpochs].map(|epochs| chosen.epochs(epochs, trainer));
        if trainer.tunes_encoder() && epochs == [0, 0] {
            return Err(
                "There must be one epoch at least: “tuned-epochs” or “frozen-epochs”.".to_owned(),
            );
        }
        Ok(chosen)
    }

    fn epochs(&self, setting: TrainingSetting, trainer: MetricTrainer) -> u32 {
        let usual = setting.usual(trainer).and_then(|usual| usual.parse().ok());
        self.number(setting).or(usual).unwrap_or(0)
    }

    /// The text of a setting, if it was chosen.
    #[must_use]
    pub fn text(&self, setting: TrainingSetting) -> Option<&str> {
        self.0.get(&setting).map(String::as_str)
    }

    /// The number of a setting, if it was chosen and is one.
    #[must_use]
    pub fn number<T: std::str::FromStr>(&self, setting: TrainingSetting) -> Option<T> {
        self.text(setting)?.parse().ok()
    }

    /// The widths of the hidden layers, if they were chosen.
    #[must_use]
    pub fn widths(&self) -> Option<[u32; 2]> {
        self.text(Hidden).and_then(parse_widths)
    }

    /// The sources by which the best epoch is chosen; none where it is a random share.
    pub fn split(&self) -> impl Iterator<Item = &str> {
        self.text(Split).into_iter().flat_map(str::lines)
    }

    /// The chosen settings, for people: `encoder-lr 0.0001, batch 2`; of a list of sources their number.
    #[must_use]
    pub fn describe(&self) -> String {
        let chosen = self
            .0
            .iter()
            .map(|(setting, value)| match setting.values() {
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
        assert_eq!(chosen.widths(), Some([64, 32]));
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
                "“batch” takes a whole number from 1 to 256, not “0”.",
            ),
            (Lens, "batch", "1.5", "a whole number"),
            (Lens, "encoder-lr", "0", "a number above 0, at most 0.1"),
            (Lens, "encoder-lr", "NaN", "a number above 0"),
            (CrossEncoder, "dropout", "0.95", "a number from 0 to 0.9"),
            (CrossEncoder, "weight-decay", "-1", "a number from 0 to 1"),
            (CrossEncoder, "order-share", "inf", "a number from 0 to 10"),
            (Lens, "hidden", "128", "two whole numbers"),
            (Lens, "hidden", "128,0", "two whole numbers"),
            (
                CrossEncoder,
                "pooling",
                "last",
                "“pooling” takes mean or first",
            ),
            (
                CrossEncoder,
                "hidden",
                "64,32",
                "“hidden” is no setting of cross-encoder",
            ),
            (Lens, "pooling", "mean", "no setting of lens"),
            (Hybrid, "batch", "2", "no setting of hybrid"),
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
        for setting in TrainingSetting::ALL {
            assert_eq!(TrainingSetting::from_name(setting.name()), Some(setting));
            assert_eq!(serde_json::json!(setting), setting.name());
            for trainer in [Lens, CrossEncoder] {
                // The usual batch of lens is two numbers.
                if let Some(usual) = setting.usual(trainer)
                    && (setting, trainer) != (Batch, Lens)
                {
                    assert_eq!(setting.parse(usual).as_deref(), Ok(usual));
                }
            }
        }
    }
}
