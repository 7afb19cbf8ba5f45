//! The columns in which crowdsourcing platforms state the outcome of an assignment.

/// Names of status columns, letters and digits only, in lower case: those of Mechanical Turk
/// (`AssignmentStatus`), Toloka (`ASSIGNMENT:status`), Prolific (`Status`) and CloudResearch (`Approval Status`),
/// and common variants of them.
const STATUS_COLUMNS: [&str; 6] = [
    "assignmentstatus",
    "submissionstatus",
    "participantstatus",
    "prolificstatus",
    "approvalstatus",
    "status",
];

/// Statuses of assignments that were rejected or not completed. Work that awaits review counts.
const REJECTED: [&str; 7] = [
    "rejected",
    "returned",
    "timedout",
    "abandoned",
    "screenedout",
    "cancelled",
    "canceled",
];

/// Names of columns that are *true* for work that does not count: Appen's (`_tainted`) and Label Studio's
/// (`was_cancelled`).
const FLAG_COLUMNS: [&str; 2] = ["tainted", "wascancelled"];

/// Whether a column of this name states the outcome of an assignment.
pub(crate) fn is_status_column(name: &str) -> bool {
    let name = &letters(name)[..];
    STATUS_COLUMNS.contains(&name) || FLAG_COLUMNS.contains(&name)
}

/// Whether the value of a column says that the assignment was rejected, or was not completed.
pub(crate) fn is_rejected(column: &str, value: &str) -> bool {
    const LONGEST: usize = 20;
    let column = &letters(column)[..];
    if value.len() > LONGEST {
        return false;
    }
    let value = &letters(value)[..];
    STATUS_COLUMNS.contains(&column) && REJECTED.contains(&value)
        || FLAG_COLUMNS.contains(&column) && value == "true"
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|sign| sign.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_values_of_platforms_are_known() {
        for (column, value) in [
            ("AssignmentStatus", "Rejected"),
            ("ASSIGNMENT:status", "REJECTED"),
            ("Status", "TIMED-OUT"),
            ("status", "Returned"),
            ("_tainted", "true"),
            ("was_cancelled", "True"),
        ] {
            assert!(is_status_column(column), "{column}");
            assert!(is_rejected(column, value), "{column} {value}");
        }
        for (column, value) in [
            ("AssignmentStatus", "Approved"),
            ("AssignmentStatus", "Submitted"),
            ("Status", "AWAITING REVIEW"),
            ("Status", "true"),
            ("_tainted", "false"),
            ("decision", "rejected"),
        ] {
            assert!(!is_rejected(column, value), "{column} {value}");
        }
        assert!(!is_status_column("HITStatus") && !is_status_column("system"));
    }
}
