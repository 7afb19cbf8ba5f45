//! German ordinals: numbers whose period is not the end of a sentence, as in `am 3. Mai` or `Friedrich II. von Preußen`.

/// Months that only German writes so.
const GERMAN_MONTHS: &[&str] = &[
    "Januar", "Jänner", "Februar", "Feber", "März", "Mai", "Juni", "Juli", "Oktober", "Dezember",
];

/// Months that English writes in the same way.
const SHARED_MONTHS: &[&str] = &["April", "August", "September", "November"];

/// Words before a number that make it an ordinal.
const LEADS: &[&str] = &[
    "am", "beim", "das", "dem", "den", "der", "des", "die", "im", "ins", "vom", "zum", "zur",
];

/// Frequent words of German; English has few of them, and no English text has many.
const GERMAN_WORDS: &[&str] = &[
    "als", "am", "auf", "bei", "bis", "das", "dem", "den", "der", "des", "die", "ein", "eine",
    "einem", "einen", "einer", "er", "es", "für", "ihr", "im", "ist", "mit", "nach", "nicht",
    "seit", "sich", "sie", "und", "vom", "von", "wird", "wurde", "wurden", "zum", "zur",
    "zwischen",
];

/// The number of different words of [`GERMAN_WORDS`] from which a text is taken to be German.
const ENOUGH_WORDS: usize = 2;

/// Whether the number that ends `sentence`, a part of `text`, is a German ordinal: its period does not end the sentence
/// before the word `next`.
pub(super) fn is_german_ordinal(text: &str, sentence: &str, next: &str) -> bool {
    let mut words = sentence.split_whitespace().rev();
    let number = words.next().unwrap_or_default();
    let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|c| c.is_ascii_digit());
    let is_numeral = !number.is_empty() && number.chars().all(|c| "IVXL".contains(c));

    if is_number && GERMAN_MONTHS.contains(&next) {
        return true;
    }
    if !(is_number || is_numeral) || !is_german(text) {
        return false;
    }

    let lead = words.next().unwrap_or_default().to_lowercase();
    next.starts_with(char::is_lowercase)
        || (is_number && SHARED_MONTHS.contains(&next))
        || (is_number && LEADS.contains(&lead.as_str()) && next.starts_with(char::is_alphabetic))
}

fn is_german(text: &str) -> bool {
    let german_words = GERMAN_WORDS.iter().filter(|german| {
        let mut words = text.split(|c: char| !c.is_alphabetic());
        words.any(|word| word.to_lowercase() == **german)
    });
    german_words.take(ENOUGH_WORDS).count() == ENOUGH_WORDS
}

#[cfg(test)]
mod tests {
    use crate::text::sentences::split_sentences;

    fn check(text: &str, sentences: usize) {
        assert_eq!(split_sentences(text).len(), sentences, "{text}");
    }

    #[test]
    fn a_german_ordinal_does_not_end_a_sentence() {
        check("Die Brücke wurde am 3. Mai eröffnet.", 1);
        check("Er starb am 3. Mai.", 1);
        check("Am 19. August starb er.", 1);
        check("Vom 3. bis zum 5. April war das Museum geschlossen.", 1);
        check("Im 19. Jahrhundert wuchs die Stadt.", 1);
        check("Das war der 2. Weltkrieg und nicht der 1. Weltkrieg.", 1);
        check(
            "Friedrich II. von Preußen war der Sohn von Friedrich Wilhelm I. und der Königin.",
            1,
        );
        check("Er kam am 3. und ging am 4. Oktober.", 1);
    }

    #[test]
    fn german_sentences_still_end() {
        check(
            "Er starb am 3. Mai. Sie lebte bis 1990. Danach kam das Ende.",
            3,
        );
        check("Die Stadt hat 12. Sie ist alt und schön.", 2);
        check(
            "Das geschah im Jahr 1945. Mai und Juni waren die Monate danach.",
            2,
        );
        check(
            "Es war unter Friedrich II. Danach kam die Zeit der Reformen.",
            2,
        );
    }

    #[test]
    fn numbers_of_other_languages_end_sentences() {
        check("The bridge opened on day 3. May was warm.", 2);
        check("She was 19. August came.", 2);
        check("He fell in World War II. The war went on.", 2);
        check("The score was 3. after that they lost.", 2);
        check(
            "In 1990 it had 12. the rest were sold by Ludwig von Beethoven.",
            2,
        );
        check("I am 30. My wife is 31.", 2);
    }
}
