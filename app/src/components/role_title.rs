use domain::study::Role;

/// The displayed name of a role.
pub const fn role_title(role: Role) -> &'static str {
    match role {
        Role::Lead => "Lead",
        Role::Researcher => "Researcher",
        Role::Annotator => "Annotator",
    }
}
