use domain::study::OutputPurpose;
use leptos::prelude::*;
use store::quality::Check;

/// How annotators did on quality-control items: of each kind, how many they met and what they made
/// of them. Nothing where nobody met any.
#[component]
pub fn Checks(
    /// Their scores, rater by rater.
    checks: Vec<Check>,
) -> impl IntoView {
    let row = |of: &[Check]| {
        let copies = Kind::of(of, OutputPurpose::Copy, |check| Some(check.value));
        let scrambled = Kind::of(of, OutputPurpose::Scrambled, below);
        let repeated = Kind::of(of, OutputPurpose::Repeated, distance);
        view! {
            <tr>
                <th scope="row" data-label="Annotator">{of[0].label.clone()}</th>
                <td data-label="Copies, mean score" class="number">{copies.said(1.0, "")}</td>
                <td data-label="Scrambled, scored below" class="number">
                    {scrambled.said(100.0, " %")}
                </td>
                <td data-label="Repeated, mean distance" class="number">{repeated.said(1.0, "")}</td>
            </tr>
        }
    };
    let same = |a: &Check, b: &Check| a.rater == b.rater;
    (!checks.is_empty()).then(|| {
        view! {
            <section aria-labelledby="checks">
                <h2 id="checks">"Quality control"</h2>
                <p class="soft">
                    "Items slipped in among the outputs, in sources that were handed in; in brackets,
                    how many. A scrambled output should score below the one it was made from, and a
                    repeated one about the same twice."
                </p>
                <div class="table-scroll" role="group" aria-labelledby="checks" tabindex="0">
                    <table class="fold">
                        <thead>
                            <tr>
                                <th scope="col">"Annotator"</th>
                                <th scope="col" class="number">"Copies, mean score"</th>
                                <th scope="col" class="number">"Scrambled, scored below"</th>
                                <th scope="col" class="number">"Repeated, mean distance"</th>
                            </tr>
                        </thead>
                        <tbody>{checks.chunk_by(same).map(row).collect_view()}</tbody>
                    </table>
                </div>
            </section>
        }
    })
}

/// 1 where a scrambled output scored below its original, else 0.
fn below(check: &Check) -> Option<f64> {
    let original = check.original?;
    Some(f64::from(u8::from(check.value < original)))
}

/// How far the second score of an output is from the first, in points.
fn distance(check: &Check) -> Option<f64> {
    Some((check.value - check.original?).abs())
}

/// An annotator's items of one kind.
struct Kind {
    count: u32,
    sum: f64,
}

impl Kind {
    /// Those of `purpose` that `figure` can be told of.
    fn of(checks: &[Check], purpose: OutputPurpose, figure: fn(&Check) -> Option<f64>) -> Self {
        let of = checks.iter().filter(|check| check.purpose == purpose);
        let none = Self { count: 0, sum: 0.0 };
        of.filter_map(figure).fold(none, |kind, figure| Self {
            count: kind.count + 1,
            sum: kind.sum + figure,
        })
    }

    /// Their mean, `times` as large, and their number; a dash for none.
    fn said(&self, times: f64, unit: &str) -> String {
        match self.count {
            0 => "–".to_owned(),
            count => format!("{:.0}{unit} ({count})", times * self.sum / f64::from(count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::{OutputId, RaterId, SourceId};
    use store::quality::Check;

    use super::*;

    fn check(purpose: OutputPurpose, value: f64, original: Option<f64>) -> Check {
        let id = uuid::Uuid::nil();
        Check {
            rater: RaterId(id),
            label: "annotator 1".into(),
            output: OutputId(id),
            purpose,
            source: SourceId(id),
            dimension: "overall".into(),
            value,
            original,
        }
    }

    #[test]
    fn each_kind_is_measured_in_its_own_way() {
        let checks = [
            check(OutputPurpose::Copy, 20.0, None),
            check(OutputPurpose::Copy, 30.0, None),
            check(OutputPurpose::Scrambled, 10.0, Some(60.0)),
            check(OutputPurpose::Scrambled, 60.0, Some(60.0)),
            check(OutputPurpose::Scrambled, 5.0, None),
            check(OutputPurpose::Repeated, 70.0, Some(64.0)),
        ];
        let said =
            |purpose, figure, times, unit| Kind::of(&checks, purpose, figure).said(times, unit);
        let value = |check: &Check| Some(check.value);
        assert_eq!(said(OutputPurpose::Copy, value, 1.0, ""), "25 (2)");
        assert_eq!(
            said(OutputPurpose::Scrambled, below, 100.0, " %"),
            "50 % (2)"
        );
        assert_eq!(said(OutputPurpose::Repeated, distance, 1.0, ""), "6 (1)");
        assert_eq!(Kind::of(&[], OutputPurpose::Copy, value).said(1.0, ""), "–");
    }
}
