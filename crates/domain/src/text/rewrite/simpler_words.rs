//! Substitution of words by more frequent ones.

use super::super::tokenise::{TokenKind, tokenise};

/// Words with a simpler word, or two, of about the same meaning; in the order of the first.
#[rustfmt::skip]
const SIMPLER: [(&str, &str); 321] = [
    ("accompanied", "went with"),
    ("accompanies", "goes with"),
    ("accompany", "go with"),
    ("accompanying", "going with"),
    ("accurate", "right"),
    ("acquire", "get"),
    ("acquired", "got"),
    ("acquires", "gets"),
    ("acquiring", "getting"),
    ("additional", "more"),
    ("adjacent", "next"),
    ("ailment", "illness"),
    ("ailments", "illnesses"),
    ("alter", "change"),
    ("altered", "changed"),
    ("altering", "changing"),
    ("alters", "changes"),
    ("amongst", "among"),
    ("ancient", "old"),
    ("annual", "yearly"),
    ("annually", "each year"),
    ("anticipate", "expect"),
    ("anticipated", "expected"),
    ("anticipates", "expects"),
    ("anticipating", "expecting"),
    ("approximately", "about"),
    ("assist", "help"),
    ("assistance", "help"),
    ("assisted", "helped"),
    ("assisting", "helping"),
    ("assists", "helps"),
    ("attempt", "try"),
    ("attempted", "tried"),
    ("attempting", "trying"),
    ("attempts", "tries"),
    ("automobile", "car"),
    ("automobiles", "cars"),
    ("beneath", "under"),
    ("beneficial", "good"),
    ("beverage", "drink"),
    ("beverages", "drinks"),
    ("cease", "stop"),
    ("ceased", "stopped"),
    ("ceases", "stops"),
    ("ceasing", "stopping"),
    ("collide", "crash"),
    ("collided", "crashed"),
    ("collides", "crashes"),
    ("colliding", "crashing"),
    ("commence", "start"),
    ("commenced", "started"),
    ("commencement", "start"),
    ("commences", "starts"),
    ("commencing", "starting"),
    ("compensation", "pay"),
    ("complex", "hard"),
    ("component", "part"),
    ("components", "parts"),
    ("comprise", "include"),
    ("comprised", "included"),
    ("comprises", "includes"),
    ("comprising", "including"),
    ("concerning", "about"),
    ("conclude", "end"),
    ("concluded", "ended"),
    ("concludes", "ends"),
    ("concluding", "ending"),
    ("conclusion", "end"),
    ("conflict", "fight"),
    ("conflicts", "fights"),
    ("construct", "build"),
    ("constructed", "built"),
    ("constructing", "building"),
    ("constructs", "builds"),
    ("consume", "eat"),
    ("consumed", "ate"),
    ("consumes", "eats"),
    ("consuming", "eating"),
    ("contemporary", "modern"),
    ("currency", "money"),
    ("currently", "now"),
    ("deceased", "dead"),
    ("demonstrate", "show"),
    ("demonstrated", "showed"),
    ("demonstrates", "shows"),
    ("demonstrating", "showing"),
    ("depart", "leave"),
    ("departed", "left"),
    ("departing", "leaving"),
    ("departs", "leaves"),
    ("depict", "show"),
    ("depicted", "showed"),
    ("depicting", "showing"),
    ("depicts", "shows"),
    ("despite", "even with"),
    ("detrimental", "bad"),
    ("difficult", "hard"),
    ("discover", "find"),
    ("discovered", "found"),
    ("discovering", "finding"),
    ("discovers", "finds"),
    ("dwelling", "house"),
    ("dwellings", "houses"),
    ("eliminate", "remove"),
    ("eliminated", "removed"),
    ("eliminates", "removes"),
    ("eliminating", "removing"),
    ("encounter", "meet"),
    ("encountered", "met"),
    ("encountering", "meeting"),
    ("encounters", "meets"),
    ("enemies", "foes"),
    ("enlarge", "grow"),
    ("enlarged", "grew"),
    ("enlarges", "grows"),
    ("enlarging", "growing"),
    ("enormous", "huge"),
    ("entire", "whole"),
    ("entirely", "fully"),
    ("error", "mistake"),
    ("errors", "mistakes"),
    ("establish", "set up"),
    ("established", "set up"),
    ("establishes", "sets up"),
    ("establishing", "setting up"),
    ("evaluate", "judge"),
    ("evaluated", "judged"),
    ("evaluates", "judges"),
    ("evaluating", "judging"),
    ("extremely", "very"),
    ("fatalities", "deaths"),
    ("fatality", "death"),
    ("frequently", "often"),
    ("furthermore", "also"),
    ("garment", "dress"),
    ("garments", "clothes"),
    ("gigantic", "huge"),
    ("govern", "rule"),
    ("governed", "ruled"),
    ("governing", "ruling"),
    ("governs", "rules"),
    ("identical", "same"),
    ("immediately", "at once"),
    ("indicate", "show"),
    ("indicated", "showed"),
    ("indicates", "shows"),
    ("indicating", "showing"),
    ("individual", "person"),
    ("individuals", "people"),
    ("infant", "baby"),
    ("infants", "babies"),
    ("inform", "tell"),
    ("informed", "told"),
    ("informing", "telling"),
    ("informs", "tells"),
    ("inhabitants", "people"),
    ("initial", "first"),
    ("initially", "first"),
    ("instruct", "teach"),
    ("instructed", "taught"),
    ("instructing", "teaching"),
    ("instructs", "teaches"),
    ("intelligent", "smart"),
    ("locate", "find"),
    ("located", "found"),
    ("locates", "finds"),
    ("locating", "finding"),
    ("location", "place"),
    ("locations", "places"),
    ("majority", "most"),
    ("manufacture", "make"),
    ("manufactured", "made"),
    ("manufactures", "makes"),
    ("manufacturing", "making"),
    ("method", "way"),
    ("methods", "ways"),
    ("modified", "changed"),
    ("modifies", "changes"),
    ("modify", "change"),
    ("modifying", "changing"),
    ("monarch", "king"),
    ("monarchs", "kings"),
    ("moreover", "also"),
    ("municipalities", "towns"),
    ("municipality", "town"),
    ("nearly", "almost"),
    ("numerous", "many"),
    ("objective", "goal"),
    ("objectives", "goals"),
    ("obtain", "get"),
    ("obtained", "got"),
    ("obtaining", "getting"),
    ("obtains", "gets"),
    ("occupation", "job"),
    ("occupations", "jobs"),
    ("offspring", "children"),
    ("opportunities", "chances"),
    ("opportunity", "chance"),
    ("optimal", "best"),
    ("particularly", "very"),
    ("perish", "die"),
    ("perished", "died"),
    ("perishes", "dies"),
    ("perishing", "dying"),
    ("permit", "let"),
    ("permits", "lets"),
    ("permitted", "let"),
    ("permitting", "letting"),
    ("physician", "doctor"),
    ("physicians", "doctors"),
    ("portion", "part"),
    ("portions", "parts"),
    ("portray", "show"),
    ("portrayed", "showed"),
    ("portraying", "showing"),
    ("portrays", "shows"),
    ("possess", "have"),
    ("possessed", "had"),
    ("possesses", "has"),
    ("possessing", "having"),
    ("predominantly", "mostly"),
    ("previously", "before"),
    ("primarily", "mainly"),
    ("primary", "main"),
    ("principal", "main"),
    ("prior", "earlier"),
    ("prominent", "well-known"),
    ("province", "area"),
    ("provinces", "areas"),
    ("purchase", "buy"),
    ("purchased", "bought"),
    ("purchases", "buys"),
    ("purchasing", "buying"),
    ("rapidly", "quickly"),
    ("regarding", "about"),
    ("region", "area"),
    ("regions", "areas"),
    ("relocate", "move"),
    ("relocated", "moved"),
    ("relocates", "moves"),
    ("relocating", "moving"),
    ("renowned", "famous"),
    ("repair", "fix"),
    ("repaired", "fixed"),
    ("repairing", "fixing"),
    ("repairs", "fixes"),
    ("require", "need"),
    ("required", "needed"),
    ("requirement", "need"),
    ("requirements", "needs"),
    ("requires", "needs"),
    ("requiring", "needing"),
    ("resemble", "look like"),
    ("resembled", "looked like"),
    ("resembles", "looks like"),
    ("resembling", "looking like"),
    ("reside", "live"),
    ("resided", "lived"),
    ("residence", "home"),
    ("residences", "homes"),
    ("residents", "people"),
    ("resides", "lives"),
    ("residing", "living"),
    ("retain", "keep"),
    ("retained", "kept"),
    ("retaining", "keeping"),
    ("retains", "keeps"),
    ("reveal", "show"),
    ("revealed", "showed"),
    ("revealing", "showing"),
    ("reveals", "shows"),
    ("select", "choose"),
    ("selected", "chose"),
    ("selecting", "choosing"),
    ("selects", "chooses"),
    ("settlement", "town"),
    ("settlements", "towns"),
    ("several", "some"),
    ("severe", "bad"),
    ("significant", "important"),
    ("simultaneously", "together"),
    ("solely", "only"),
    ("structure", "building"),
    ("structures", "buildings"),
    ("submerge", "sink"),
    ("submerged", "sank"),
    ("submerges", "sinks"),
    ("submerging", "sinking"),
    ("subsequent", "later"),
    ("subsequently", "later"),
    ("substantial", "large"),
    ("sufficient", "enough"),
    ("summon", "call"),
    ("summoned", "called"),
    ("summoning", "calling"),
    ("summons", "calls"),
    ("terminate", "end"),
    ("terminated", "ended"),
    ("terminates", "ends"),
    ("terminating", "ending"),
    ("therefore", "so"),
    ("throughout", "across"),
    ("transmit", "send"),
    ("transmited", "sent"),
    ("transmiting", "sending"),
    ("transmits", "sends"),
    ("upon", "on"),
    ("utilise", "use"),
    ("utilised", "used"),
    ("utilises", "uses"),
    ("utilising", "using"),
    ("utilize", "use"),
    ("utilized", "used"),
    ("utilizes", "uses"),
    ("utilizing", "using"),
    ("various", "many"),
    ("vessel", "ship"),
    ("vessels", "ships"),
    ("via", "by"),
    ("wealthy", "rich"),
    ("whilst", "while"),
];

/// The text with listed words replaced, each only where all words of its replacement are more frequent.
pub(super) fn substitute_words(text: &str, zipf: &dyn Fn(&str) -> f32) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    for token in tokenise(text) {
        let word = &text[token.span.start..token.span.end];
        let simpler = match token.kind {
            TokenKind::Word => find_simpler(word, zipf),
            TokenKind::Number | TokenKind::Sign => None,
        };
        let Some(simpler) = simpler else { continue };

        changed.push_str(&text[copied..token.span.start]);
        fit_article(&mut changed, &simpler);
        changed.push_str(&simpler);
        copied = token.span.end;
    }
    changed.push_str(&text[copied..]);
    changed
}

fn find_simpler(word: &str, zipf: &dyn Fn(&str) -> f32) -> Option<String> {
    let lower = word.to_lowercase();
    let at = SIMPLER.binary_search_by_key(&&*lower, |(word, _)| word);
    let simpler = SIMPLER[at.ok()?].1;
    let frequency = zipf(&lower);
    let is_simpler = simpler.split(' ').all(|part| zipf(part) > frequency);

    let is_capitalised = word.starts_with(char::is_uppercase);
    is_simpler.then(|| match is_capitalised {
        true => super::capitalise(simpler),
        false => simpler.to_owned(),
    })
}

/// Changes the article at the end of `before` to the one that `word` takes.
fn fit_article(before: &mut String, word: &str) {
    let (articles, fitting) = match word.starts_with(['a', 'e', 'i', 'o']) {
        true => ([" a ", " A "], "n "),
        false => ([" an ", " An "], " "),
    };
    let padded = format!(" {before}");
    if articles.iter().any(|article| padded.ends_with(article)) {
        before.truncate(before.trim_end_matches([' ', 'n']).len());
        before.push_str(fitting);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_length(word: &str) -> f32 {
        10.0 - word.len() as f32
    }

    #[test]
    fn words_are_listed_in_order_and_no_substitute_is_listed() {
        assert!(SIMPLER.is_sorted_by(|a, b| a.0 < b.0));
        for (word, simpler) in SIMPLER {
            let listed = simpler
                .split(' ')
                .find(|part| SIMPLER.iter().any(|(word, _)| word == part));
            assert_eq!(listed, None, "{word}");
        }
    }

    #[test]
    fn case_and_article_fit_the_new_word() {
        for (text, expected) in [
            (
                "Individuals purchased an automobile.",
                "People bought a car.",
            ),
            ("An initial attempt.", "A first try."),
            (
                "A mishap, a vessel and a beverage.",
                "A mishap, a ship and a drink.",
            ),
            ("It was a location.", "It was a place."),
            ("They commence.", "They start."),
        ] {
            assert_eq!(substitute_words(text, &by_length), expected);
        }
    }

    #[test]
    fn only_a_more_frequent_word_takes_a_place() {
        assert_eq!(
            substitute_words("They purchase it.", &|_| 1.0),
            "They purchase it."
        );
        let rare_buy = |word: &str| if word == "buy" { 2.0 } else { 3.0 };
        assert_eq!(
            substitute_words("They purchase it.", &rare_buy),
            "They purchase it."
        );
    }
}
