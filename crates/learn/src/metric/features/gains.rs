//! Features of how much easier an output's words are at the same meaning.

use std::collections::HashSet;

use domain::metrics::syllables;

use super::{
    FeatureRow,
    readability::{HARD_WORD_ZIPF, ratio, to_float},
    similarity::{LayerMatches, WordMatch},
    text::FeatureText,
};

/// The least cosine at which a word is taken to replace another.
const MIN_REPLACEMENT_COSINE: f64 = 0.4;
/// The difference in Zipf value from which a replacing word is harder.
const HARDER: f64 = 0.5;
/// The number of a text's rarest words that are compared.
const RAREST_WORDS: usize = 3;
/// The number of syllables from which a word is long.
const LONG_WORD: i64 = 3;

/// Adds gains over the source, in frequency, in syllables and in information per word. Each word is compared with the
/// closest one of the source in the encoder's vectors. Adds nothing without an encoder.
pub(super) fn add(
    row: &mut FeatureRow,
    source: &FeatureText,
    output: &FeatureText,
    matches: Option<&LayerMatches>,
) {
    let Some(matches) = matches else {
        return;
    };

    let words = to_float(output.words().max(1));
    let (mut gained, mut gained_only, mut frequency_lost, mut shorter) = (0.0, 0.0, 0.0, 0.0);
    for (at, closest) in matches.of_output.iter().enumerate() {
        let cosine = f64::from(closest.cosine);
        // A word without a match names none: the source may have no words at all.
        if cosine <= MIN_REPLACEMENT_COSINE {
            continue;
        }
        let (Some(new), Some(old)) = (output.zipf[at], source.zipf[closest.word]) else {
            continue;
        };
        let (word, replaced) = (&output.folded[at], &source.folded[closest.word]);
        if word == replaced {
            continue;
        }

        let gain = new - old;
        gained += cosine * gain;
        gained_only += cosine * gain.max(0.0);
        frequency_lost += if gain < -HARDER { -cosine * gain } else { 0.0 };
        #[expect(clippy::cast_precision_loss, reason = "syllables of a word")]
        let syllables_saved = (syllables(replaced) - syllables(word)) as f64;
        shorter += cosine * syllables_saved;
    }

    row.add("frequency gained", gained);
    row.add("frequency gained, gains alone", gained_only);
    row.add("frequency lost", frequency_lost);
    row.add("syllables saved", shorter);
    row.add("frequency gained a word", gained / words);

    let rarest_gain = mean_rarest_frequency(output) - mean_rarest_frequency(source);
    row.add("rarest three, difference", rarest_gain);
    add_hard_words(row, source, output, matches);

    let (from, to) = (measure_syllables(source), measure_syllables(output));
    row.add("syllables a word, difference", to.0 - from.0);
    row.add("long words, difference", to.1 - from.1);
    add_density(row, source, output, matches, gained);
}

/// The mean Zipf value of a text's rarest words; 0 without words.
fn mean_rarest_frequency(text: &FeatureText) -> f64 {
    let mut zipf: Vec<f64> = text.zipf.iter().flatten().copied().collect();
    zipf.sort_by(f64::total_cmp);
    zipf.truncate(RAREST_WORDS);
    zipf.iter().sum::<f64>() / to_float(zipf.len().max(1))
}

/// The syllables a word of a text, and its share of long words.
fn measure_syllables(text: &FeatureText) -> (f64, f64) {
    let words = (0..text.cut.len()).filter(|at| text.zipf[*at].is_some());
    let counts: Vec<i64> = words.map(|at| syllables(&text.folded[at])).collect();
    #[expect(clippy::cast_precision_loss, reason = "syllables of a text")]
    let all = counts.iter().sum::<i64>() as f64;
    let long = counts.iter().filter(|count| **count >= LONG_WORD).count();
    (
        all / to_float(counts.len().max(1)),
        ratio(long, counts.len()),
    )
}

/// Adds the share of the source's hard words that the output lacks, and how well its words cover them.
fn add_hard_words(
    row: &mut FeatureRow,
    source: &FeatureText,
    output: &FeatureText,
    matches: &LayerMatches,
) {
    let output_words: HashSet<&str> = output.folded.iter().map(String::as_str).collect();
    let hard: Vec<usize> = (0..source.cut.len())
        .filter(|at| source.zipf[*at].is_some_and(|zipf| zipf < HARD_WORD_ZIPF))
        .collect();
    let gone: Vec<usize> = hard
        .iter()
        .copied()
        .filter(|at| !output_words.contains(source.folded[*at].as_str()))
        .collect();

    let covered: f64 = gone
        .iter()
        .map(|at| f64::from(matches.of_other[*at].cosine))
        .sum();
    row.add("hard words replaced", covered / to_float(hard.len().max(1)));
    row.add("hard words gone", ratio(gone.len(), hard.len()));
}

/// Adds the information of the output, each word weighted by its rarity, in relation to its length.
fn add_density(
    row: &mut FeatureRow,
    source: &FeatureText,
    output: &FeatureText,
    matches: &LayerMatches,
    gained: f64,
) {
    let (source_information, covered) = weigh(source, &matches.of_other);
    let (output_information, supported) = weigh(output, &matches.of_output);
    let source_words = to_float(source.words().max(1));
    let output_words = to_float(output.words().max(1));
    let (recall, precision) = (
        covered / source_information.max(f64::MIN_POSITIVE),
        supported / output_information.max(f64::MIN_POSITIVE),
    );
    let length = output_words / source_words;

    row.add(
        "information a word, difference",
        output_information / output_words - source_information / source_words,
    );
    row.add(
        "ratio of information",
        output_information / source_information.max(f64::MIN_POSITIVE),
    );
    row.add(
        "frequency gained at equal meaning",
        gained * recall * precision,
    );
    row.add("shorter, covered", (1.0 - length) * recall);
    row.add(
        "shorter at equal meaning",
        (1.0 - length) * recall * precision,
    );
    row.add("coverage beyond length", recall - length);
}

/// The information of a text's words, by their rarity, and the part of it that the other text covers.
fn weigh(text: &FeatureText, matches: &[WordMatch]) -> (f64, f64) {
    let words = text.zipf.iter().zip(matches);
    words.fold((0.0, 0.0), |(all, matched), (zipf, closest)| {
        let information = zipf.map_or(0.0, |zipf| (8.0 - zipf).max(0.0));
        (
            all + information,
            matched + information * f64::from(closest.cosine),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{super::tests::text, *};

    const ZIPF: [(&str, f32); 5] = [
        ("the", 7.7),
        ("ship", 5.0),
        ("sank", 4.5),
        ("vessel", 4.0),
        ("foundered", 2.5),
    ];

    fn features(output: &str, of_other: &[(usize, f32)], of_output: &[(usize, f32)]) -> FeatureRow {
        let found = |matches: &[(usize, f32)]| {
            let matches = matches.iter();
            matches
                .map(|&(word, cosine)| WordMatch { word, cosine })
                .collect()
        };
        let matches = LayerMatches {
            layer: 3,
            of_other: found(of_other),
            of_output: found(of_output),
        };
        let mut row = FeatureRow::named();
        let source = text("The vessel foundered", &ZIPF);
        add(&mut row, &source, &text(output, &ZIPF), Some(&matches));
        row
    }

    #[test]
    fn easier_words_gain_by_how_well_they_match() {
        let matches = [(0, 1.0), (1, 0.8), (2, 0.5)];
        let row = features("The ship sank", &matches, &matches);
        let check = |name: &str, expected: f32| {
            let value = row.value(name);
            assert!((value - expected).abs() < 1e-5, "{name}: {value}");
        };
        check("frequency gained", 0.8 * 1.0 + 0.5 * 2.0);
        check("frequency lost", 0.0);
        // “vessel” has two syllables, “foundered” three.
        check("syllables saved", 0.8 + 0.5 * 2.0);
        check("hard words gone", 1.0);
        check("hard words replaced", (0.8 + 0.5) / 2.0);
        let recall = (0.3 + 4.0 * 0.8 + 5.5 * 0.5) / 9.8;
        check("coverage beyond length", recall - 1.0);
        check("shorter, covered", 0.0);
    }

    #[test]
    fn a_copy_gains_nothing() {
        let matches = [(0, 1.0), (1, 1.0), (2, 1.0)];
        let row = features("The vessel foundered", &matches, &matches);
        for name in [
            "frequency gained",
            "hard words gone",
            "shorter at equal meaning",
        ] {
            assert!(row.value(name).abs() < 1e-6, "{name}");
        }
        assert!((row.value("ratio of information") - 1.0).abs() < 1e-6);
    }

    #[test]
    fn a_source_without_words_gives_no_gains() {
        let matches = LayerMatches {
            layer: 3,
            of_other: vec![],
            of_output: vec![WordMatch {
                word: 0,
                cosine: 0.0,
            }],
        };
        let mut row = FeatureRow::named();
        add(
            &mut row,
            &text("", &ZIPF),
            &text("Ship", &ZIPF),
            Some(&matches),
        );
        assert!(row.value("frequency gained").abs() < 1e-6);
    }

    #[test]
    fn without_an_encoder_there_are_no_gains() {
        let mut row = FeatureRow::named();
        let source = text("The vessel foundered", &ZIPF);
        add(&mut row, &source, &source, None);
        assert!(row.values.is_empty());
    }
}
