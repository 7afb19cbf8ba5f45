//! The forms of a page: their fields by label, and the data that a browser sends.

use scraper::{ElementRef, Html, Node, Selector};

/// Selects the visible fields.
pub(super) const FIELDS: &str = "input[name]:not([type=hidden]), select[name], textarea[name]";

/// A form as a browser sends it.
pub(super) struct Submission {
    /// The address; empty for that of the page.
    pub(super) action: String,
    pub(super) is_get: bool,
    pub(super) is_multipart: bool,
    pub(super) entries: Vec<(String, String)>,
}

impl Submission {
    /// The form that a button sends, with these fields filled in. The button is the one with that name in a form that
    /// has all these fields.
    pub(super) fn new(page: &Html, button: &str, fields: &[(&str, &str)]) -> Self {
        let has_fields = |button: &ElementRef<'_>| {
            let in_form = select(form_of(*button), FIELDS);
            let named = |label: &str| {
                let mut names = in_form.iter().map(|field| field_name(page, *field, label));
                names.any(|name| name.contains(label))
            };
            fields.iter().all(|(label, _)| named(label))
        };

        let mut buttons = select(page.root_element(), "form button:not([type=button])");
        buttons.retain(has_fields);
        let button = *choose(&buttons, button, |button| element_name(page, *button));
        let form = form_of(button);
        let action = button.attr("formaction").or(form.attr("action"));

        Self {
            action: action.unwrap_or_default().to_owned(),
            is_get: form.attr("method") != Some("post"),
            is_multipart: form.attr("enctype") == Some("multipart/form-data"),
            entries: entries(page, form, button, fields),
        }
    }
}

fn form_of(button: ElementRef<'_>) -> ElementRef<'_> {
    let mut around = button.ancestors().filter_map(ElementRef::wrap);
    around
        .find(|element| element.value().name() == "form")
        .expect("a button is in a form")
}

/// The entries of a form, in which `filled` replaces the page's own values.
fn entries(
    page: &Html,
    form: ElementRef<'_>,
    button: ElementRef<'_>,
    filled: &[(&str, &str)],
) -> Vec<(String, String)> {
    let controls = select(form, "input, select, textarea");
    let visible = select(form, FIELDS);
    let filled: Vec<_> = filled
        .iter()
        .map(|(label, value)| (find_field(page, &visible, label), *value))
        .collect();
    let ticked_radios: Vec<_> = filled
        .iter()
        .filter(|(field, value)| field.attr("type") == Some("radio") && !value.is_empty())
        .filter_map(|(field, _)| field.attr("name"))
        .collect();

    let mut entries = vec![];
    for control in controls {
        let Some(name) = control.attr("name") else {
            continue;
        };
        if control.attr("disabled").is_some() || control.attr("type") == Some("file") {
            continue;
        }

        let own = filled.iter().find(|(field, _)| field.id() == control.id());
        let own = own.map(|(_, value)| *value);

        let value = if is_box(control) {
            let other_radio =
                control.attr("type") == Some("radio") && ticked_radios.contains(&name);
            let is_ticked = match own {
                Some(value) => !value.is_empty(),
                None => !other_radio && control.attr("checked").is_some(),
            };
            is_ticked.then(|| control.attr("value").unwrap_or("on").to_owned())
        } else {
            Some(match own {
                Some(value) if control.value().name() == "select" => option(control, value),
                Some(value) => value.to_owned(),
                None => field_value(control),
            })
        };

        entries.extend(value.map(|value| (name.to_owned(), value)));
    }

    if let Some(name) = button.attr("name") {
        let value = button.attr("value").unwrap_or_default();
        entries.push((name.to_owned(), value.to_owned()));
    }
    entries
}

/// The value of the option with that value or text.
fn option(list: ElementRef<'_>, chosen: &str) -> String {
    let mut options = select(list, "option").into_iter();
    let found = options
        .find(|option| option.attr("value") == Some(chosen) || element_text(*option) == chosen);
    let found = found.unwrap_or_else(|| panic!("{chosen} in {}", list.html()));
    let text = || element_text(found);
    found.attr("value").map_or_else(text, str::to_owned)
}

fn is_box(field: ElementRef<'_>) -> bool {
    matches!(field.attr("type"), Some("checkbox" | "radio"))
}

/// The value that the page gives a field; `on` for a ticked box.
pub(super) fn field_value(field: ElementRef<'_>) -> String {
    match field.value().name() {
        _ if is_box(field) => field.attr("checked").map_or("", |_| "on").to_owned(),
        "textarea" => field.text().collect(),
        "select" => {
            let selected = select(field, "option[selected]").into_iter().next();
            let first = || select(field, "option").into_iter().next();
            let chosen = selected.or_else(first);
            let value = chosen.and_then(|option| option.attr("value"));
            value.unwrap_or_default().to_owned()
        }
        _ => field.attr("value").unwrap_or_default().to_owned(),
    }
}

/// The field with that label, or with that name if it has the form `list[0][name]`.
pub(super) fn find_field<'e>(
    page: &Html,
    fields: &[ElementRef<'e>],
    label: &str,
) -> ElementRef<'e> {
    *choose(fields, label, |field| field_name(page, *field, label))
}

/// The text by which a field is found: its label, or its name in the form.
fn field_name(page: &Html, field: ElementRef<'_>, asked: &str) -> String {
    match asked.contains('[') {
        true => field.attr("name").unwrap_or_default().to_owned(),
        false => element_name(page, field),
    }
}

/// The only element with that name, or else the only one whose name contains it.
fn choose<'e, E>(all: &'e [E], name: &str, name_of: impl Fn(&E) -> String) -> &'e E {
    let exact = |element: &&E| name_of(element) == name;
    let within = |element: &&E| name_of(element).contains(name);

    let mut found: Vec<_> = all.iter().filter(exact).collect();
    if found.is_empty() {
        found = all.iter().filter(within).collect();
    }

    let names: Vec<_> = all.iter().map(&name_of).collect();
    assert_eq!(
        found.len(),
        1,
        "{name} matches not exactly one of {names:?}"
    );
    found[0]
}

/// The name that assistive technology reads out.
pub(super) fn element_name(page: &Html, element: ElementRef<'_>) -> String {
    if let Some(label) = element.attr("aria-label") {
        return label.to_owned();
    }
    if matches!(element.value().name(), "a" | "button") {
        return element_text(element);
    }

    let id = element.attr("id").unwrap_or_default();
    let mut labels = select(page.root_element(), "label[for]").into_iter();
    let label = labels.find(|label| !id.is_empty() && label.attr("for") == Some(id));

    let around = || {
        let mut ancestors = element.ancestors().filter_map(ElementRef::wrap);
        ancestors.find(|ancestor| ancestor.value().name() == "label")
    };
    label.or_else(around).map(element_text).unwrap_or_default()
}

/// The text within an element, without that of scripts and fields.
pub(super) fn element_text(element: ElementRef<'_>) -> String {
    let mut text = String::new();
    collect_text(element, &mut text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn collect_text(element: ElementRef<'_>, text: &mut String) {
    for child in element.children() {
        match child.value() {
            Node::Text(own) => text.push_str(own),
            Node::Element(own)
                if !matches!(own.name(), "script" | "style" | "select" | "textarea") =>
            {
                collect_text(ElementRef::wrap(child).unwrap(), text);
                // Browsers show these apart, but pages have no space between them.
                if matches!(own.name(), "td" | "th" | "li" | "dt" | "dd") {
                    text.push(' ');
                }
            }
            _ => {}
        }
    }
}

/// The elements within another one that match the selector.
pub(super) fn select<'a>(within: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    let selector = Selector::parse(selector).unwrap();
    within.select(&selector).collect()
}
