//! Members of a study and their assignments, as changed by its lead.

mod admit;
mod invite;
mod reassign;
mod release;
mod remove_member;
mod revoke_invitation;
mod set_member_group;
mod set_role;

pub use admit::{Admit, admit};
pub use invite::{Invite, invite};
pub use reassign::{Reassign, reassign};
pub use release::{Release, release};
pub use remove_member::{RemoveMember, remove_member};
pub use revoke_invitation::{RevokeInvitation, revoke_invitation};
pub use set_member_group::{SetMemberGroup, set_member_group};
pub use set_role::{SetRole, set_role};

#[cfg(feature = "ssr")]
use server_side::{find_assignment, redirect_to_assignments, redirect_to_members};

#[cfg(feature = "ssr")]
mod server_side {
    use domain::ids::AssignmentId;

    use crate::{
        error::Refusal,
        links::StudyPage,
        request::{RequestAccess, parse, refuse, see_other_with},
        services,
    };

    /// Parses the id of an assignment that must belong to the study.
    pub(super) async fn find_assignment(
        access: &RequestAccess,
        id: &str,
    ) -> Result<AssignmentId, Refusal> {
        let id: AssignmentId = parse::id(id)?;
        let place = services().store.assignment(id).await.map_err(refuse)?;
        match place {
            Some(place) if place.study == access.study.id => Ok(id),
            _ => Err(Refusal::NotFound),
        }
    }

    /// Redirects to the members, which then show `message`; refuses where the member was not found.
    pub(super) fn redirect_to_members(
        slug: &str,
        found: bool,
        message: &str,
    ) -> Result<(), Refusal> {
        redirect_to(StudyPage::Members, slug, found, message)
    }

    /// Redirects to the assignments, which then show `message`; refuses where the assignment was not found.
    pub(super) fn redirect_to_assignments(
        slug: &str,
        found: bool,
        message: &str,
    ) -> Result<(), Refusal> {
        redirect_to(StudyPage::Assignments, slug, found, message)
    }

    fn redirect_to(
        page: StudyPage<'_>,
        slug: &str,
        found: bool,
        message: &str,
    ) -> Result<(), Refusal> {
        if !found {
            return Err(Refusal::NotFound);
        }
        see_other_with(&page.path(slug), message);
        Ok(())
    }
}
