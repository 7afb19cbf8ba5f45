use domain::study::Role;

/// A role, for people.
pub const fn role_title(role: Role) -> &'static str {
    match role {
        Role::Lead => "Lead",
        Role::Researcher => "Researcher",
        Role::Annotator => "Annotator",
    }
}
