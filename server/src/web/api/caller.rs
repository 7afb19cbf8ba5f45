//! The token behind a request, and what it may do.

use std::net::IpAddr;

use app::{
    error::Refusal,
    request::{RequestAccess, access_of, audit_entry_of},
};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::ids::StudyId;
use service::accounts::{API_PREFIX, SecretToken};
use store::{
    Person,
    api_tokens::{ApiToken, TokenAccess},
    audit::{AuditKind, AuditSubject, NewAuditEntry},
};

use super::{ApiState, Problem};
use crate::web::{request_log::RequestPerson, visitor::request_address};

/// The token of a request, and its person.
#[derive(Debug, Clone)]
pub(super) struct ApiCaller {
    pub(super) token: ApiToken,
    pub(super) person: Person,
    address: IpAddr,
}

/// Admits requests whose token works and has not used up its rate. Cookies are ignored: no page of another site can
/// use them here.
pub(super) async fn authenticate(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = request_address(&request, state.proxies);
    match find_caller(&state, request.headers(), address).await {
        Ok(caller) => {
            let person = RequestPerson(caller.person.id);
            request.extensions_mut().insert(caller);
            let mut response = next.run(request).await;
            response.extensions_mut().insert(person);
            response
        }
        Err(problem) => problem.into_response(),
    }
}

async fn find_caller(
    state: &ApiState,
    headers: &HeaderMap,
    address: IpAddr,
) -> Result<ApiCaller, Problem> {
    let services = &state.services;
    let now = services.context.now_ms();
    let hash = bearer(headers)?.hash();
    let limit = &state.rate_limit;
    let database = |error| Problem::store(services.context, error);

    // A token that failed a moment ago is not looked up again.
    let holder = match limit.is_refused(&hash, now) {
        true => None,
        false => services
            .store
            .api_token(&hash, now)
            .await
            .map_err(database)?,
    };

    let Some(holder) = holder else {
        let counted = limit.count_failure(address, &hash, now);
        counted.map_err(Problem::too_many)?;
        return Err(unauthorised(
            "This token does not work: it was revoked, has expired, or never was one.",
        ));
    };

    let counted = limit.count(holder.token.id, now);
    counted.map_err(Problem::too_many)?;
    let noted = services.store.note_token_use(&holder.token, now).await;
    noted.map_err(database)?;

    Ok(ApiCaller {
        token: holder.token,
        person: holder.person,
        address,
    })
}

/// The token of the header `Authorization`.
fn bearer(headers: &HeaderMap) -> Result<SecretToken, Problem> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(unauthorised(
            "Send a token, in one header: “Authorization: Bearer rankrate_…”. Tokens are made on the account page.",
        ));
    };

    let text = value.to_str().ok().and_then(|text| text.split_once(' '));
    let secret = text.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let secret = secret.map(|(_, secret)| secret.trim());

    match secret.filter(|secret| secret.starts_with(API_PREFIX) && secret.len() < 100) {
        Some(secret) => Ok(SecretToken::from_text(secret)),
        None => Err(unauthorised(
            "This is not a token: it has the form “Bearer rankrate_…”.",
        )),
    }
}

fn unauthorised(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, detail)
}

impl ApiCaller {
    /// Access to a study that the token covers and whose figures its person may read now.
    ///
    /// # Errors
    /// Not found, whether the study does not exist or the token or its person does not reach it.
    pub(super) async fn read(
        &self,
        state: &ApiState,
        slug: &str,
    ) -> Result<RequestAccess, Problem> {
        let access = access_of(&state.services, &self.person, slug).await?;
        let reaches = self.token.studies.include(access.study.id) && access.researches();
        match reaches {
            true => Ok(access),
            false => Err(Refusal::NotFound.into()),
        }
    }

    /// Access to a study that the person leads, for a change.
    ///
    /// # Errors
    /// Those of [`Self::read`]; forbidden for a token that only reads and for people who do not lead the study.
    pub(super) async fn write(
        &self,
        state: &ApiState,
        slug: &str,
    ) -> Result<RequestAccess, Problem> {
        let access = self.read(state, slug).await?;

        if self.token.access != TokenAccess::Write {
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "This token only reads: make one that may change studies.",
            ));
        }

        access.require_lead()?;
        access.require_unarchived()?;
        Ok(access)
    }

    /// Checks that the person may read the figures of some study that the token covers.
    ///
    /// # Errors
    /// Forbidden otherwise.
    pub(super) async fn require_any_study(&self, state: &ApiState) -> Result<(), Problem> {
        match state.readable_studies(self).await?.is_empty() {
            false => Ok(()),
            true => Err(Problem::new(
                StatusCode::FORBIDDEN,
                "This token reaches no study that its person leads or researches.",
            )),
        }
    }

    /// An entry for the log of changes about this request.
    pub(super) fn audit_entry(
        &self,
        state: &ApiState,
        kind: AuditKind,
        study: StudyId,
        subject: AuditSubject,
    ) -> NewAuditEntry {
        let (services, person) = (&state.services, self.person.id);
        audit_entry_of(services, person, self.address, kind, Some(study), subject)
    }
}
