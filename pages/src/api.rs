//! The description of the HTTP API.

use leptos::prelude::*;

use app::{
    api_reference::{ApiContent, ApiField, ApiKind, ApiOperation, ApiReference, ApiSchema},
    layout::Page,
    links,
    request::absolute,
    services,
};

/// The requests of programs, with an example of each request. Everybody may read it.
#[component]
pub fn ApiPage() -> impl IntoView {
    let reference = services().api;
    let ApiReference {
        about,
        operations,
        schemas,
    } = (*reference).clone();
    let address = absolute(links::API_V1);

    let list = operations.iter().map(|operation| {
        let ApiOperation {
            id,
            method,
            path,
            summary,
            ..
        } = operation.clone();
        view! {
            <li>
                <a href=format!("#{id}")><code>{format!("{method} {path}")}</code></a>
                " "
                {summary}
            </li>
        }
    });
    let list = list.collect_view();

    let operations = operations
        .into_iter()
        .map(|operation| view! { <Operation operation address=address.clone()/> })
        .collect_view();
    let schemas = schemas
        .into_iter()
        .map(|schema| view! { <Schema schema/> })
        .collect_view();

    view! {
        <Page title="HTTP API">
            <h1>"HTTP API"</h1>
            <p>{about}</p>
            <p>
                <a href=links::to(links::API_DESCRIPTION)>"OpenAPI description"</a>
                " · "
                <a href=links::to(links::ACCOUNT)>"Your tokens"</a>
            </p>
            <nav aria-label="Requests">
                <ul>{list}</ul>
            </nav>
            {operations}
            <h2 id="schemas">"Objects"</h2>
            {schemas}
        </Page>
    }
}

#[component]
fn Operation(
    operation: ApiOperation,
    /// The full address of the API.
    address: String,
) -> impl IntoView {
    let example = curl_example(&operation, &address);
    let labelled_by = operation.id.clone();
    let ApiOperation {
        id,
        method,
        path,
        summary,
        description,
        parameters,
        bodies,
        responses,
        ..
    } = operation;

    let parameters = (!parameters.is_empty()).then(|| {
        view! { <Fields heading="Parameters" name=format!("{id}-parameters") fields=parameters/> }
    });
    let bodies = (!bodies.is_empty()).then(|| {
        view! { <p>"Body: "<Contents contents=bodies/></p> }
    });
    let responses = responses.into_iter().map(|response| {
        view! {
            <li>
                <code>{response.status}</code>
                " "
                {response.about}
                " "
                <Contents contents=response.contents/>
            </li>
        }
    });

    view! {
        <section aria-labelledby=labelled_by>
            <h2 id=id><code>{format!("{method} {path}")}</code></h2>
            <p>{summary}</p>
            <p>{description}</p>
            {parameters}
            {bodies}
            <ul>{responses.collect_view()}</ul>
            <pre><code>{example}</code></pre>
        </section>
    }
}

#[component]
fn Schema(schema: ApiSchema) -> impl IntoView {
    let ApiSchema {
        name,
        about,
        fields,
    } = schema;

    let id = schema_id(&name);
    let labelled_by = id.clone();
    let fields = (!fields.is_empty())
        .then(|| view! { <Fields heading="Fields" name=format!("{id}-fields") fields/> });

    view! {
        <section aria-labelledby=labelled_by>
            <h3 id=id>{name}</h3>
            <p>{about}</p>
            {fields}
        </section>
    }
}

/// Parameters or fields as a table.
#[component]
fn Fields(
    heading: &'static str,
    /// The id of the table's caption.
    name: String,
    fields: Vec<ApiField>,
) -> impl IntoView {
    let labelled_by = name.clone();
    let row = |field: ApiField| {
        let needed = if field.required { "needed" } else { "" };
        view! {
            <tr>
                <th scope="row" data-label="Name"><code>{field.name}</code></th>
                <td data-label="Type"><Kind kind=field.kind/></td>
                <td data-label="Needed">{needed}</td>
                <td data-label="Meaning">{field.about}</td>
            </tr>
        }
    };

    view! {
        <div class="table-scroll" role="group" aria-labelledby=labelled_by tabindex="0">
            <table class="fold">
                <caption id=name>{heading}</caption>
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"Type"</th>
                        <th scope="col">"Needed"</th>
                        <th scope="col">"Meaning"</th>
                    </tr>
                </thead>
                <tbody>{fields.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

#[component]
fn Contents(contents: Vec<ApiContent>) -> impl IntoView {
    let content = |content: ApiContent| {
        view! { <span><code>{content.media_type}</code>" ("<Kind kind=content.kind/>") "</span> }
    };
    contents.into_iter().map(content).collect_view()
}

#[component]
fn Kind(kind: ApiKind) -> impl IntoView {
    match kind.schema {
        Some(schema) => {
            view! { <a href=format!("#{}", schema_id(&schema))>{kind.words}</a> }.into_any()
        }
        None => kind.words.into_any(),
    }
}

fn schema_id(name: &str) -> String {
    format!("schema-{name}")
}

/// A request as a command. Words in capitals are placeholders.
fn curl_example(operation: &ApiOperation, address: &str) -> String {
    let path = operation.path.replace(['{', '}'], "");
    let path: Vec<_> = path
        .split('/')
        .zip(operation.path.split('/'))
        .map(|(plain, template)| match template.starts_with('{') {
            true => plain.to_uppercase(),
            false => plain.to_owned(),
        })
        .collect();

    let mut command = format!(
        "curl -H \"Authorization: Bearer $RANKRATE_TOKEN\" {address}{}",
        path.join("/")
    );
    if operation.method == "POST" {
        let mut bodies = operation.bodies.iter();
        let body = bodies.find(|body| !body.example.is_empty());
        let body = body.map_or_else(
            || "@body.json".to_owned(),
            |body| format!("'{}'", body.example),
        );
        command.push_str(" \\\n  -H 'Content-Type: application/json' --data ");
        command.push_str(&body);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_says_what_to_put_in() {
        let operation = ApiOperation {
            method: "POST".to_owned(),
            path: "/studies/{study}/scores".to_owned(),
            ..ApiOperation::default()
        };
        assert_eq!(
            curl_example(&operation, "https://a.example/api/v1"),
            "curl -H \"Authorization: Bearer $RANKRATE_TOKEN\" https://a.example/api/v1/studies/STUDY/scores \\\n  \
             -H 'Content-Type: application/json' --data @body.json"
        );
    }
}
