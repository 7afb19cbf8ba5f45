use domain::edit::EditKind;
use leptos::{either::Either, prelude::*};

use service::live::StudyCorrections;

/// The rates at which annotators corrected the aligner's highlights.
#[component]
pub(super) fn Corrected(of: StudyCorrections) -> impl IntoView {
    let versions: Vec<_> = of.versions.into_iter().collect();

    let row = |kind: EditKind| {
        let counts = of.by_kind.of_kind(kind);
        let rate = match counts.correction_rate() {
            Ok(rate) => Either::Left(format!("{:.1} %", 100.0 * rate)),
            Err(reason) => {
                Either::Right(view! { <span class="soft">{format!("undefined: {reason}")}</span> })
            }
        };
        view! {
            <tr>
                <th scope="row">{kind.title()}</th>
                <td class="number">{counts.automatic()}</td>
                <td class="number">{counts.unchanged}</td>
                <td class="number">{counts.changed}</td>
                <td class="number">{counts.removed}</td>
                <td class="number">{counts.added}</td>
                <td class="number">{rate}</td>
            </tr>
        }
    };

    view! {
        <h2>"Corrected highlights"</h2>
        <dl class="facts">
            <div><dt>"Outputs checked"</dt><dd>{of.outputs}</dd></div>
            <div><dt>"Corrected"</dt><dd>{of.corrected}</dd></div>
            <div><dt>"Aligner"</dt><dd>{versions.join(", ")}</dd></div>
        </dl>
        <div class="table-scroll" role="group" aria-label="Corrected highlights" tabindex="0">
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Kind"</th>
                        <th scope="col" class="number">"Automatic"</th>
                        <th scope="col" class="number">"Unchanged"</th>
                        <th scope="col" class="number">"Changed"</th>
                        <th scope="col" class="number">"Removed"</th>
                        <th scope="col" class="number">"Added"</th>
                        <th scope="col" class="number">"Correction rate"</th>
                    </tr>
                </thead>
                <tbody>{EditKind::ALL.map(row)}</tbody>
            </table>
        </div>
        <p class="soft">
            "Of all submitted sources, whatever is chosen above. Every annotator who checked an \
             output counts; identical outputs count once. Correction rate = (changed + removed + \
             added) / (automatic + added)."
        </p>
    }
}
