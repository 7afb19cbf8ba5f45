//! Recruitment platforms, and the ids that they put into the address of a study.

/// The platforms, each with the query to append to a link, in which the platform fills in its ids.
pub const ADDRESS_ENDINGS: [(&str, &str); 3] = [
    (
        "Prolific",
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
    ),
    (
        "MTurk",
        "?workerId=${workerId}&hitId=${hitId}&assignmentId=${assignmentId}",
    ),
    ("SONA", "?participant=%SURVEY_CODE%"),
];

/// The domains of platforms.
const DOMAINS: [(&str, &str); 4] = [
    ("prolific.com", "Prolific"),
    ("prolific.co", "Prolific"),
    ("mturk.com", "MTurk"),
    ("sona-systems.com", "SONA"),
];

/// The name of the platform to which an address leads; “the platform” for others.
#[must_use]
pub fn platform_at(address: &str) -> &'static str {
    let host = address.strip_prefix("https://").unwrap_or_default();
    let host = host.split(['/', '?', '#', ':']).next().unwrap_or_default();

    let platform = DOMAINS
        .into_iter()
        .find(|(domain, _)| is_within(host, domain));
    platform.map_or("the platform", |(_, name)| name)
}

/// Whether a host is the domain or one of its subdomains.
fn is_within(host: &str, domain: &str) -> bool {
    let subdomain = host.strip_suffix(domain);
    subdomain.is_some_and(|subdomain| subdomain.is_empty() || subdomain.ends_with('.'))
}

/// Characters in the placeholders of platforms: `{{%PROLIFIC_PID%}}`, `${workerId}`, `%SURVEY_CODE%`, `[%RID%]`,
/// `<participant>`. No platform's id has any of them. The replacement character remains of a placeholder such as
/// `%CODE%`, whose beginning reads as an encoded byte.
const MARKS: [char; 9] = ['{', '}', '[', ']', '<', '>', '%', '…', '\u{fffd}'];

/// The names of placeholders, in letters and digits alone, and what programs write for a missing value.
const NAMES: [&str; 15] = [
    "prolificpid",
    "studyid",
    "sessionid",
    "workerid",
    "hitid",
    "assignmentid",
    "assignmentidnotavailable",
    "participant",
    "participantid",
    "surveycode",
    "yourid",
    "undefined",
    "null",
    "none",
    "nan",
];

/// Whether a platform's id is a placeholder that the platform did not fill in: it would be the same for everyone
/// sent.
#[must_use]
pub fn is_placeholder(id: &str) -> bool {
    let letters = id.chars().filter(|c| c.is_alphanumeric());
    let name: String = letters.flat_map(char::to_lowercase).collect();
    id.contains(MARKS) || (name.is_empty() && !id.is_empty()) || NAMES.contains(&name.as_str())
}

/// The sentence for a person whose link holds a placeholder.
#[must_use]
pub fn placeholder_sentence(id: &str) -> String {
    format!(
        "Your link holds “{id}” in place of an ID that the platform should have filled in. Open the study from the \
         platform again. If this page appears again, tell the people who run the study: the address of the study on \
         the platform needs a correction."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_to_be_filled_in_is_a_placeholder() {
        for (platform, ending) in ADDRESS_ENDINGS {
            for field in ending.trim_start_matches('?').split('&') {
                let (_, id) = field.split_once('=').expect("a name and a placeholder");
                assert!(is_placeholder(id), "{platform}: {id}");
            }
        }
    }

    #[test]
    fn an_address_leads_to_its_platform() {
        for (address, expect) in [
            (
                "https://app.prolific.com/submissions/complete?cc=A",
                "Prolific",
            ),
            ("https://app.prolific.co/x", "Prolific"),
            ("https://www.mturk.com", "MTurk"),
            (
                "https://uni.sona-systems.com/webstudy_credit.aspx?id=1",
                "SONA",
            ),
            ("https://notprolific.com/", "the platform"),
            ("https://prolific.com.example/", "the platform"),
            ("https://example.org/?next=prolific.com", "the platform"),
            ("", "the platform"),
        ] {
            assert_eq!(platform_at(address), expect, "{address}");
        }
    }

    #[test]
    fn what_a_platform_did_not_fill_in_is_no_id() {
        for placeholder in [
            "{{%PROLIFIC_PID%}}",
            "{{%STUDY_ID%}}",
            "%7B%7B%25PROLIFIC_PID%25%7D%7D",
            "${workerId}",
            "${e://Field/PROLIFIC_PID}",
            "{workerId}",
            "%SURVEY_CODE%",
            "\u{fffd}CODE%",
            "[%RID%]",
            "[ID]",
            "<participant>",
            "…",
            "...",
            "PROLIFIC_PID",
            "workerId",
            "$workerId",
            "ASSIGNMENT_ID_NOT_AVAILABLE",
            "undefined",
            "null",
        ] {
            assert!(is_placeholder(placeholder), "{placeholder}");
        }
        for id in [
            "",
            "5f1a9c0de7b3a4001c2d3e4f",
            "A1B2C3D4E5F6G7",
            "3EO896NRAWV9M8WFRXR7S9M0YZQTJ1",
            "12345",
            "anna.smith+2@example.org",
            "participant 7",
            "PID-1",
            "S",
            "名前",
        ] {
            assert!(!is_placeholder(id), "{id}");
        }
    }
}
