//! The addresses that the administrator allows.

use std::{fmt, net::IpAddr, str::FromStr, sync::Arc};

use url::{Host, Url};

use super::network::is_public;

/// The longest address, in bytes.
const LONGEST: usize = 2_000;

/// The reason why a text cannot be an entry of the list of allowed addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrefixError {
    /// It is not an address.
    #[error("“{text}” is not an address: write one like https://hooks.example.org/")]
    NotAnAddress {
        /// The text.
        text: String,
    },
    /// It has parts that an entry may not have.
    #[error("“{text}” has a {part}: write the address without it")]
    Part {
        /// The text.
        text: String,
        /// The part.
        part: &'static str,
    },
    /// Its scheme is not https.
    #[error(
        "“{text}” must begin with https://. Only an address of this machine may begin with http://, by its number or \
         as localhost: http://127.0.0.1:8000/"
    )]
    Scheme {
        /// The text.
        text: String,
    },
}

/// The reason why notices cannot be sent to an address, as a sentence for the person who entered it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    /// The list of allowed addresses is empty.
    #[error(
        "Webhooks are switched off on this server. Its administrator switches them on by listing allowed addresses in \
         its settings."
    )]
    Off,
    /// It is not an address.
    #[error("This is not an address. Enter one like https://hooks.example.org/studies.")]
    NotAnAddress,
    /// It is too long.
    #[error("The address is too long: use at most 2,000 characters.")]
    TooLong,
    /// It has parts that an address may not have.
    #[error("The address has a {0}: enter it without.")]
    Part(&'static str),
    /// It is not below any of the allowed ones.
    #[error("This server sends notices only to addresses that begin with {0}.")]
    NotAllowed(String),
}

/// An allowed address. Addresses below it are allowed, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedPrefix {
    url: Url,
}

impl FromStr for AllowedPrefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Self, PrefixError> {
        let text = text.trim();
        let not_an_address = || PrefixError::NotAnAddress {
            text: text.to_owned(),
        };

        let url = Url::parse(text).map_err(|_| not_an_address())?;
        let host = url.host().ok_or_else(not_an_address)?;

        let is_served = match url.scheme() {
            "https" => true,
            "http" => is_this_machine(&host),
            _ => false,
        };

        if !is_served {
            return Err(PrefixError::Scheme {
                text: text.to_owned(),
            });
        }

        let query = url.query().map(|_| "query (the part from ? on)");
        if let Some(part) = query.or_else(|| forbidden_part(&url)) {
            return Err(PrefixError::Part {
                text: text.to_owned(),
                part,
            });
        }

        Ok(Self { url })
    }
}

impl fmt::Display for AllowedPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

impl AllowedPrefix {
    /// Whether the address is this one or below it: with the same scheme, host and port, and the same first segments of
    /// the path.
    fn covers(&self, url: &Url) -> bool {
        let own = segments(&self.url);
        self.url.scheme() == url.scheme()
            && self.url.host() == url.host()
            && self.url.port_or_known_default() == url.port_or_known_default()
            && segments(url).starts_with(&own)
    }

    /// Whether a connection may be made to this address of the host. A name may lead only to public addresses, so
    /// that the owners of the name cannot send the server into its own network.
    fn permits(&self, address: IpAddr) -> bool {
        match self.url.host() {
            Some(Host::Ipv4(own)) => IpAddr::V4(own) == address,
            Some(Host::Ipv6(own)) => IpAddr::V6(own) == address,
            Some(Host::Domain("localhost")) => address.is_loopback(),
            Some(Host::Domain(_)) => is_public(address),
            None => false,
        }
    }
}

/// The addresses that the administrator allows. If there are none, webhooks are switched off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedAddresses(Arc<[AllowedPrefix]>);

impl AllowedAddresses {
    /// A list of these addresses.
    #[must_use]
    pub fn new(prefixes: Vec<AllowedPrefix>) -> Self {
        Self(prefixes.into())
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries of the list.
    pub fn iter(&self) -> impl Iterator<Item = &AllowedPrefix> {
        self.0.iter()
    }

    /// Checks that notices can be sent to an address.
    ///
    /// # Errors
    /// If it is not an address, or not below any of the allowed ones.
    pub fn check(&self, text: &str) -> Result<WebhookAddress, AddressRefusal> {
        if self.is_empty() {
            return Err(AddressRefusal::Off);
        }

        let text = text.trim();
        if text.len() > LONGEST {
            return Err(AddressRefusal::TooLong);
        }

        let url = Url::parse(text).map_err(|_| AddressRefusal::NotAnAddress)?;
        if url.host().is_none() {
            return Err(AddressRefusal::NotAnAddress);
        }

        if let Some(part) = forbidden_part(&url) {
            return Err(AddressRefusal::Part(part));
        }

        match self.0.iter().find(|prefix| prefix.covers(&url)) {
            Some(prefix) => Ok(WebhookAddress {
                prefix: prefix.clone(),
                url,
            }),
            None => {
                let all: Vec<_> = self.0.iter().map(ToString::to_string).collect();
                Err(AddressRefusal::NotAllowed(all.join(" or ")))
            }
        }
    }
}

/// An address to which notices can be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAddress {
    url: Url,
    /// The entry of the list that allows it.
    prefix: AllowedPrefix,
}

impl WebhookAddress {
    /// The address, normalised.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// The name of its host.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Whether a connection may be made to this address of the host.
    #[must_use]
    pub fn permits(&self, address: IpAddr) -> bool {
        self.prefix.permits(address)
    }
}

/// The host of an address. Logs and lists name only the host, because paths and queries may hold secrets of the
/// receiver.
#[must_use]
pub fn address_host(address: &str) -> String {
    let url = Url::parse(address).ok();
    url.and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default()
}

fn is_this_machine(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

/// A part that neither an address nor an entry of the list may have.
fn forbidden_part(url: &Url) -> Option<&'static str> {
    if !url.username().is_empty() || url.password().is_some() {
        return Some("user name or password");
    }
    if url.fragment().is_some() {
        return Some("fragment (the part from # on)");
    }

    // A receiver may decode such a path, and read another one than was compared.
    let path = url.path().to_ascii_lowercase();
    if ["%2f", "%5c", "%2e", "%00"]
        .iter()
        .any(|code| path.contains(code))
    {
        return Some("path with an encoded slash, backslash, dot or NUL");
    }

    None
}

/// The segments of the path, without the empty one after a slash at its end.
fn segments(url: &Url) -> Vec<&str> {
    let mut segments: Vec<_> = url.path().split('/').skip(1).collect();
    if segments.last() == Some(&"") {
        segments.pop();
    }

    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(entries: &[&str]) -> AllowedAddresses {
        let parse = |text: &&str| text.parse().expect("an entry");
        AllowedAddresses::new(entries.iter().map(parse).collect())
    }

    #[test]
    fn entries_are_https_or_this_machine_and_have_no_other_parts() {
        for good in [
            "https://hooks.example.org/",
            "https://hooks.example.org",
            " https://hooks.example.org:8443/studies/ ",
            "https://10.0.0.7/",
            "https://[fd00::7]/",
            "http://127.0.0.1:8000/",
            "http://127.1:8000/",
            "http://[::1]/",
            "http://localhost:8000/",
        ] {
            assert!(good.parse::<AllowedPrefix>().is_ok(), "{good}");
        }

        for (bad, words) in [
            ("", "not an address"),
            ("hooks.example.org", "not an address"),
            ("https://", "not an address"),
            ("http://hooks.example.org/", "must begin with https://"),
            ("http://10.0.0.7/", "must begin with https://"),
            ("http://localhost.example.org/", "must begin with https://"),
            ("ftp://hooks.example.org/", "must begin with https://"),
            ("file:///etc/passwd", "not an address"),
            ("https://a:b@hooks.example.org/", "user name or password"),
            ("https://hooks.example.org/?x=1", "query"),
            ("https://hooks.example.org/#x", "fragment"),
            ("https://hooks.example.org/a%2fb", "encoded slash"),
        ] {
            let error = bad.parse::<AllowedPrefix>().expect_err(bad).to_string();
            assert!(error.contains(words), "{bad}: {error}");
        }
    }

    #[test]
    fn an_address_lies_below_an_entry_by_its_parts_and_not_by_its_letters() {
        let list = allow(&[
            "https://hooks.example.org/studies",
            "http://127.0.0.1:8000/",
        ]);

        for good in [
            "https://hooks.example.org/studies",
            "https://hooks.example.org/studies/",
            "https://hooks.example.org:443/studies/a?key=b",
            "HTTPS://Hooks.Example.ORG/studies/../studies/a",
            "http://127.0.0.1:8000/x",
            "http://0x7f.1:8000/x",
            "http://2130706433:8000/",
        ] {
            assert!(list.check(good).is_ok(), "{good}");
        }

        for bad in [
            "https://hooks.example.org/",
            "https://hooks.example.org/studies-of-others",
            "https://hooks.example.org/studies/../admin",
            "https://hooks.example.org/studies/%2e%2e/admin",
            "https://hooks.example.org/Studies",
            "https://hooks.example.org//studies",
            "https://hooks.example.org:8443/studies",
            "http://hooks.example.org/studies",
            "https://hooks.example.org.evil.example/studies",
            "https://evil.example/https://hooks.example.org/studies",
            "https://hooks.example.org@evil.example/studies",
            "https://hooks.example.org\\@evil.example/studies",
            "https://hooks.example.org./studies",
            "http://127.0.0.1:8001/",
            "http://127.0.0.2:8000/",
            "http://localhost:8000/",
            "https://127.0.0.1:8000/",
        ] {
            let refused = list.check(bad);
            assert!(
                matches!(
                    refused,
                    Err(AddressRefusal::NotAllowed(_) | AddressRefusal::Part(_))
                ),
                "{bad}: {refused:?}"
            );
        }

        for (bad, expect) in [
            ("", AddressRefusal::NotAnAddress),
            ("/s/river", AddressRefusal::NotAnAddress),
            ("mailto:a@example.org", AddressRefusal::NotAnAddress),
            (&*"x".repeat(3_000), AddressRefusal::TooLong),
        ] {
            assert_eq!(list.check(bad), Err(expect), "{bad}");
        }

        let encoded = list.check("https://hooks.example.org/studies/..%2f..%2fadmin");
        assert!(matches!(encoded, Err(AddressRefusal::Part(_))));
        let named = list.check("https://u:p@hooks.example.org/studies");
        assert!(matches!(named, Err(AddressRefusal::Part(_))));
    }

    #[test]
    fn without_entries_webhooks_are_off() {
        let off = AllowedAddresses::default().check("https://hooks.example.org/");
        assert_eq!(off, Err(AddressRefusal::Off));
    }

    #[test]
    fn a_name_leads_to_public_addresses_and_a_number_to_itself() {
        let permits = |entry: &str, address: &str| {
            let address = address.parse().expect("an address");
            let checked = allow(&[entry]).check(entry).expect("it is allowed");
            checked.permits(address)
        };

        assert!(permits("https://hooks.example.org/", "93.184.216.34"));
        for private in ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "fd00::7"] {
            assert!(!permits("https://hooks.example.org/", private), "{private}");
        }

        assert!(permits("https://10.0.0.7/", "10.0.0.7"));
        assert!(!permits("https://10.0.0.7/", "10.0.0.8"));
        assert!(permits("http://localhost/", "127.0.0.1") && permits("http://localhost/", "::1"));
        assert!(!permits("http://localhost/", "10.0.0.7"));
    }
}
