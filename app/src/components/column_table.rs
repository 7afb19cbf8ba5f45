use leptos::prelude::*;

/// The table in which a lead states the meaning of each column of a file.
#[component]
pub fn ColumnTable(
    /// The heading of the meanings.
    meaning: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <table class="fold mapping">
            <thead>
                <tr>
                    <th scope="col">"Column"</th>
                    <th scope="col">"For example"</th>
                    <th scope="col">{meaning}</th>
                </tr>
            </thead>
            <tbody>{children()}</tbody>
        </table>
    }
}

/// One column, with the choice of its meaning.
#[component]
pub fn ColumnRow(
    /// The heading of the meanings.
    meaning: &'static str,
    /// The name of the form's fields for this column, to which `[name]` and `[field]` are added.
    field: String,
    name: String,
    example: String,
    /// A remark on the choice made already, such as “guessed”.
    #[prop(default = None)]
    remark: Option<&'static str>,
    /// The options apart from “none of these”.
    children: Children,
) -> impl IntoView {
    view! {
        <tr>
            <th scope="row" data-label="Column">{name.clone()}</th>
            <td data-label="For example" class="excerpt">{example}</td>
            <td data-label=meaning>
                <input type="hidden" name=format!("{field}[name]") value=name.clone()/>
                <select name=format!("{field}[field]") aria-label=format!("{name} is")>
                    <option value="">"none of these"</option>
                    {children()}
                </select>
                {remark.map(|remark| view! { " " <span class="tag guess">{remark}</span> })}
            </td>
        </tr>
    }
}
