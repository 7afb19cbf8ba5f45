//! Names and prose in plain English.

use std::{cell::RefCell, collections::BTreeMap};

use proc_macro2::{TokenStream, TokenTree};

use crate::sources::{CRATES, INTERFACE, any_group, each_file, each_source, read, root, tokens};

/// Words that this project once used in a sense of its own, with what a reader expects instead.
const BANNED: [(&str, &str); 9] = [
    ("anew", "again"),
    ("so many", "that many, n"),
    ("whoever", "the person who"),
    ("by lot", "at random"),
    ("gone without", "optional"),
    ("without anybody", "automatic"),
    ("without a word of", "without a heartbeat"),
    ("goes on from", "continues from"),
    ("amiss", "wrong"),
];

/// Words that texts on pages used in a sense of their own, with the everyday words for them. Names in code and
/// in data may keep them.
const BANNED_ON_PAGES: [(&str, &str); 26] = [
    ("in work", "in progress"),
    ("hand in", "submit"),
    ("hands in", "submits"),
    ("handed in", "submitted"),
    ("handing in", "submitting"),
    ("hand it in", "submit it"),
    ("handed it in", "submitted it"),
    ("handed this source in", "submitted this source"),
    ("hand-ins", "submissions"),
    ("go on", "continue"),
    ("goes on", "continues"),
    ("went on", "continued"),
    ("take back", "revoke"),
    ("takes back", "revokes"),
    ("taken back", "revoked"),
    ("take it back", "revoke it"),
    ("give back", "return"),
    ("gives back", "returns"),
    ("given back", "returned"),
    ("look into", "choose"),
    ("call off", "cancel"),
    ("called off", "cancelled"),
    ("is there for", "is for"),
    ("need do nothing", "do not need to do anything"),
    ("shall", "will"),
    ("stand wrong", "are in the wrong place"),
];

/// Type names that say nothing of what the type holds.
const VAGUE_TYPES: [&str; 25] = [
    "Asked",
    "Came",
    "Done",
    "Figures",
    "Found",
    "Given",
    "Hand",
    "Held",
    "Judged",
    "Known",
    "Lesson",
    "Looked",
    "Manner",
    "Means",
    "News",
    "Part",
    "Rated",
    "Row",
    "Said",
    "Scored",
    "Settlement",
    "Shelf",
    "Told",
    "Way",
    "Written",
];

/// How a doc comment must not begin: it names or says something.
const OPENINGS: [&str; 5] = ["What ", "Which.", "Who.", "Whether.", "How."];

#[test]
fn prose_is_plain_english() {
    let faults = RefCell::new(Vec::new());
    for folder in ["app", "server", "crates", "xtask", "tests"] {
        each_source(folder, |path, source| {
            if path.ends_with("tidy/words.rs") || path.contains("node_modules") {
                return;
            }
            let mut faults = faults.borrow_mut();
            faults.extend(find_banned_words(path, source));
            let mut in_comment = false;
            for (number, line) in (1..).zip(source.lines().map(str::trim_start)) {
                let text = line.strip_prefix("/// ").or(line.strip_prefix("//! "));
                if let Some(text) = text
                    && !in_comment
                    && OPENINGS.iter().any(|opening| text.starts_with(opening))
                {
                    faults.push(format!(
                        "{path}:{number}: begin a doc comment with a noun or a verb, not “{text}”"
                    ));
                }
                in_comment = line.starts_with("//");
            }
        });
    }

    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
    ] {
        let text = read(&root().join(name));
        faults.borrow_mut().extend(find_banned_words(name, &text));
    }

    each_file("docs/src", "md", |path, text| {
        faults.borrow_mut().extend(find_banned_words(path, text));
    });

    let faults = faults.into_inner();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(has_word("made anew.", "anew") && !has_word("a newer one", "anew"));
}

#[test]
fn pages_speak_plain_english() {
    let faults = RefCell::new(Vec::new());
    for folder in INTERFACE {
        each_source(folder, |path, source| {
            for text in find_texts(&tokens(source)) {
                let lower = text.to_lowercase();
                for (word, instead) in BANNED_ON_PAGES {
                    if has_word(&lower, word) {
                        let fault = format!("{path}: write “{instead}”, not “{word}”: {text}");
                        faults.borrow_mut().push(fault);
                    }
                }
            }
        });
    }

    let faults = faults.into_inner();
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    let source =
        "/// Told.\n#[server(endpoint = \"hand-in\")] fn a() { b(\"two \\\n    words\", 'c', 1) }";
    assert_eq!(find_texts(&tokens(source)), ["hand-in", "two words"]);
}

/// The texts in a program, doc comments aside: each on one line.
fn find_texts(stream: &TokenStream) -> Vec<String> {
    let trees: Vec<_> = stream.clone().into_iter().collect();
    let mut texts = Vec::new();
    if matches!(trees.first(), Some(TokenTree::Ident(word)) if word == "doc") {
        return texts;
    }

    for tree in trees {
        match tree {
            TokenTree::Group(inner) => texts.extend(find_texts(&inner.stream())),
            TokenTree::Literal(literal) => {
                let literal = literal.to_string();
                let quoted = literal
                    .split_once('"')
                    .and_then(|(_, rest)| rest.rsplit_once('"'));
                texts.extend(quoted.map(|(text, _)| join_lines(text)));
            }
            _ => {}
        }
    }
    texts
}

/// A text of several lines as one, as the compiler reads it.
fn join_lines(text: &str) -> String {
    let mut lines = text.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + line.trim_start())
}

/// The lines of a text with words that this project does not use.
fn find_banned_words(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::to_lowercase)) {
        for (word, instead) in BANNED {
            if has_word(&line, word) {
                faults.push(format!("{path}:{number}: write “{instead}”, not “{word}”"));
            }
        }
    }
    faults
}

/// Whether a text contains the words as whole words.
fn has_word(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[test]
fn no_two_types_of_a_crate_share_a_name_and_each_says_what_it_holds() {
    let faults = RefCell::new(Vec::new());
    for (_, folder) in CRATES {
        let places = RefCell::new(BTreeMap::<String, String>::new());
        each_source(folder, |path, source| {
            let mut faults = faults.borrow_mut();
            for name in type_names(&tokens(source)) {
                if VAGUE_TYPES.contains(&&*name) {
                    faults.push(format!(
                        "{path}: the type {name} does not say what it holds"
                    ));
                }
                if let Some(other) = places.borrow_mut().insert(name.clone(), path.to_owned()) {
                    faults.push(format!("{path}: {name} is a type of {other} too"));
                }
            }
        });
    }

    let faults = faults.into_inner();
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    let source = "pub struct A; mod m { enum B { C } trait D { type E; } type F = A; }";
    assert_eq!(type_names(&tokens(source)), ["A", "B", "D", "F"]);
}

/// The names of structs, enums, traits and aliases, associated types aside.
fn type_names(stream: &TokenStream) -> Vec<String> {
    let mut names = Vec::new();
    collect_type_names(stream, false, &mut names);
    names
}

fn collect_type_names(stream: &TokenStream, is_body: bool, names: &mut Vec<String>) {
    let trees: Vec<_> = stream.clone().into_iter().collect();
    let mut in_trait_or_impl = false;
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Ident(word) if word == "impl" || word == "trait" => in_trait_or_impl = true,
            TokenTree::Ident(word) if word == "mod" || word == "fn" => in_trait_or_impl = false,
            TokenTree::Group(inner) => collect_type_names(&inner.stream(), in_trait_or_impl, names),
            _ => {}
        }

        let TokenTree::Ident(keyword) = tree else {
            continue;
        };
        let is_alias = keyword == "type" && !is_body;
        if (keyword == "struct" || keyword == "enum" || keyword == "trait" || is_alias)
            && let Some(TokenTree::Ident(name)) = trees.get(at + 1)
        {
            names.push(name.to_string());
        }
    }
}

#[test]
fn functions_are_verbs() {
    for (_, folder) in CRATES {
        each_source(folder, |path, source| {
            let named_of = any_group(&tokens(source), &mut |group| {
                group.windows(2).any(|pair| {
                    matches!(pair, [TokenTree::Ident(keyword), TokenTree::Ident(name)] if keyword == "fn" && name == "of")
                })
            });
            assert!(
                !named_of,
                "{path}: a function is called “of”: give it a verb"
            );
        });
    }
}
