use leptos::prelude::*;

/// A text area with `value` in it. The one place that draws one with a text inside: Leptos writes the
/// contents of a `textarea` into the page unescaped, so that a text could end the element and continue as
/// HTML. Islands, which set their text by script, draw their own.
#[component]
pub fn TextArea(
    #[prop(optional, into)] id: Option<String>,
    #[prop(into)] name: String,
    #[prop(into)] value: String,
    #[prop(optional)] rows: Option<u32>,
    #[prop(optional)] maxlength: Option<u32>,
    /// The id of the help text.
    #[prop(optional, into)]
    described_by: Option<String>,
    /// The full name, if there is no label or a shorter one.
    #[prop(optional, into)]
    label: Option<String>,
) -> impl IntoView {
    view! {
        <textarea id=id name=name rows=rows maxlength=maxlength aria-describedby=described_by aria-label=label>
            {to_contents(&value)}
        </textarea>
    }
}

/// The text as HTML. It begins with a line break because a browser drops the first one, which could be the
/// text's own.
fn to_contents(text: &str) -> String {
    let escaped = html_escape::encode_text(text);
    format!("\n{escaped}")
}

#[cfg(test)]
mod tests {
    use super::to_contents;

    #[test]
    fn a_text_never_ends_the_element() {
        assert_eq!(
            to_contents("a & b</textarea><b>"),
            "\na &amp; b&lt;/textarea&gt;&lt;b&gt;"
        );
        assert_eq!(to_contents("\nfirst line empty"), "\n\nfirst line empty");
    }
}
