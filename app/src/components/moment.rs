use cookie::time::OffsetDateTime;
use leptos::prelude::*;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The form in which a script shows a time in the browser's own time zone. Without scripts, times are in UTC.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MomentForm {
    /// The date and time, as fits after “since” and “until”.
    #[default]
    Exact,
    /// “2 hours ago”, or the date and time if more than a week away.
    Relative,
    /// “yesterday 17:20”.
    Visit,
    /// “3 December 2026”, for an estimate.
    Day,
}

impl MomentForm {
    /// The name by which the script knows the form.
    const fn name(self) -> &'static str {
        match self {
            Self::Relative => "relative",
            Self::Exact => "exact",
            Self::Visit => "visit",
            Self::Day => "day",
        }
    }
}

/// A time to the minute: in UTC, or with scripts in the browser's own time zone.
#[component]
pub fn Moment(
    /// Milliseconds since 1970.
    ms: i64,
    #[prop(optional)] form: MomentForm,
) -> impl IntoView {
    let (exact, shown) = format_moment(ms, form);
    view! { <time datetime=exact data-form=form.name()>{shown}</time> }
}

/// The day of a time in UTC: “2026-11-22”; empty outside the years 1 to 9999.
pub fn iso_date(ms: i64) -> String {
    format_moment(ms, MomentForm::default())
        .0
        .chars()
        .take(10)
        .collect()
}

/// A time for programs and for people; both are empty outside the years 1 to 9999.
fn format_moment(ms: i64, form: MomentForm) -> (String, String) {
    let Ok(at) = OffsetDateTime::from_unix_timestamp(ms.div_euclid(1000)) else {
        return Default::default();
    };

    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    let (hour, minute, second) = (at.hour(), at.minute(), at.second());
    let name = MONTHS[usize::from(month) - 1];
    let shown = match form {
        MomentForm::Day => format!("{day} {name} {year}"),
        _ => format!("{day} {} {year}, {hour:02}:{minute:02} UTC", &name[..3]),
    };

    (
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"),
        shown,
    )
}

/// A duration from milliseconds: “under a minute”, “42 min”, “3 h 05 min”.
pub fn format_duration(ms: u64) -> String {
    let minutes = ms / 60_000;
    match (minutes / 60, minutes % 60) {
        (0, 0) if ms == 0 => "none".to_owned(),
        (0, 0) => "under a minute".to_owned(),
        (0, minutes) => format!("{minutes} min"),
        (hours, minutes) => format!("{hours} h {minutes:02} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::{MomentForm, format_duration, format_moment, iso_date};

    #[test]
    fn a_moment_is_written_for_programs_and_people() {
        let expect = |ms, exact: &str, shown: &str| {
            let written = format_moment(ms, MomentForm::default());
            assert_eq!(written, (exact.to_owned(), shown.to_owned()));
        };
        expect(0, "1970-01-01T00:00:00Z", "1 Jan 1970, 00:00 UTC");
        expect(-1, "1969-12-31T23:59:59Z", "31 Dec 1969, 23:59 UTC");
        expect(
            951_782_400_000,
            "2000-02-29T00:00:00Z",
            "29 Feb 2000, 00:00 UTC",
        );
        expect(i64::MAX, "", "");
        assert_eq!(iso_date(951_782_400_000), "2000-02-29");
        let (_, day) = format_moment(951_782_400_000, MomentForm::Day);
        assert_eq!(day, "29 February 2000");
    }

    #[test]
    fn a_length_of_time_is_told_in_hours_and_minutes() {
        for (ms, shown) in [
            (0, "none"),
            (59_999, "under a minute"),
            (60_000, "1 min"),
            (3_600_000, "1 h 00 min"),
            (11_100_000, "3 h 05 min"),
        ] {
            assert_eq!(format_duration(ms), shown);
        }
    }
}
