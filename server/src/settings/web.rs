use std::net::SocketAddr;

use url::{Host, Url};

/// How the platform is reached.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Web")]
pub(crate) struct WebSettings {
    /// The address to listen on; port 0 takes any that is free.
    #[arg(
        long,
        env = "RANKRATE_LISTEN",
        default_value = "127.0.0.1:3000",
        value_name = "ADDR"
    )]
    pub(crate) listen: SocketAddr,
    /// The address that people type, where the server is behind a proxy.
    #[arg(long, env = "RANKRATE_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub(crate) public_url: Option<Url>,
    /// The path under which the site lives; by default that of the public address.
    #[arg(long, env = "RANKRATE_BASE_PATH", value_name = "PATH", value_parser = base_path)]
    base_path: Option<BasePath>,
    /// The largest form that is accepted, in KiB.
    #[arg(
        long,
        env = "RANKRATE_MAX_FORM",
        default_value_t = 2048,
        value_name = "KIB"
    )]
    pub(crate) max_form: u32,
    /// The largest upload that is accepted, in MiB.
    #[arg(
        long,
        env = "RANKRATE_MAX_UPLOAD",
        default_value_t = 512,
        value_name = "MIB"
    )]
    pub(crate) max_upload: u32,
    /// The most connections open at once; the limit of open files is raised for them. The last
    /// quarter is kept for addresses from which people who are signed in have been at work lately.
    #[arg(
        long,
        env = "RANKRATE_MAX_CONNECTIONS",
        default_value_t = 4000,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(16..=1_000_000)
    )]
    max_connections: u32,
    /// The most of them from one address (of IPv6: one /64 network). A browser takes up to seven, and a
    /// class may share one address. It does not apply with --proxies: there the proxy limits them.
    #[arg(
        long,
        env = "RANKRATE_MAX_CONNECTIONS_PER_ADDRESS",
        default_value_t = 500,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    max_connections_per_address: u32,
    /// The most requests of one token to the HTTP API in a minute.
    #[arg(
        long,
        env = "RANKRATE_API_RATE",
        default_value_t = 1200,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) api_rate: u32,
    /// Have browsers use https for all hosts below the site's own for a year, too: for every name that ends in
    /// .rate.example.org where the site is at rate.example.org. Only where all of these have it, now and later.
    #[arg(long, env = "RANKRATE_HTTPS_SUBDOMAINS")]
    https_subdomains: bool,
    /// Serve other machines without https: people on the way can read passwords and take sessions.
    #[arg(long, env = "RANKRATE_INSECURE")]
    insecure: bool,
}

impl WebSettings {
    /// Checks that other machines reach the site only by https, unless `--insecure` allows otherwise.
    ///
    /// # Errors
    /// When they would not; the sentence says what to set.
    pub(crate) fn check_protection(&self) -> anyhow::Result<()> {
        let is_protected = match &self.public_url {
            Some(url) => url.scheme() == "https" || is_this_machine(url),
            None => self.listen.ip().is_loopback(),
        };
        anyhow::ensure!(
            is_protected || self.insecure,
            "other machines would reach the site without https. Put a proxy with https in front, and \
             name the address that people type: --public-url https://… (RANKRATE_PUBLIC_URL). To serve \
             without https all the same, in a closed network, say --insecure",
        );
        Ok(())
    }

    /// The most connections that are open at once.
    pub(crate) const fn max_connections(&self) -> usize {
        self.max_connections as usize
    }

    /// The most connections from one address.
    pub(crate) const fn max_connections_per_address(&self) -> usize {
        self.max_connections_per_address as usize
    }

    /// The path under which the site lives: empty, or `/like/this`.
    pub(crate) fn base_path(&self) -> String {
        match (&self.base_path, &self.public_url) {
            (Some(path), _) => path.0.clone(),
            (None, Some(url)) => url.path().trim_end_matches('/').to_owned(),
            (None, None) => String::new(),
        }
    }

    /// The address that people type, if it is set, without a slash at its end.
    pub(crate) fn public_address(&self) -> Option<String> {
        let origin = self.public_url.as_ref()?.origin().ascii_serialization();
        Some(origin + &self.base_path())
    }

    /// The value of `Strict-Transport-Security` (RFC 6797); `None` if the site is not reached by https.
    ///
    /// By default it leaves out hosts below the site's own. They cannot harm the site, whose cookies have names that no
    /// other host can set, and those without https would become unreachable.
    pub(crate) fn transport_security(&self) -> Option<&'static str> {
        self.is_https().then_some(match self.https_subdomains {
            false => "max-age=31536000",
            true => "max-age=31536000; includeSubDomains",
        })
    }

    /// Whether people reach the site by https.
    pub(crate) fn is_https(&self) -> bool {
        self.public_url
            .as_ref()
            .is_some_and(|url| url.scheme() == "https")
    }
}

/// Whether the address is one by which a machine reaches only itself.
fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct BasePath(String);

fn public_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
        return Err("it begins with http:// or https:// and has no query".to_owned());
    }
    Ok(url)
}

fn base_path(text: &str) -> Result<BasePath, String> {
    let path = text.trim_matches('/');
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !path.chars().all(plain) || path.split('/').any(|part| matches!(part, "." | "..")) {
        return Err("it is made of letters, digits, -, _, . and /".to_owned());
    }
    Ok(BasePath(if path.is_empty() {
        String::new()
    } else {
        format!("/{path}")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct WebTestFlags {
        #[command(flatten)]
        web: WebSettings,
    }

    #[test]
    fn other_machines_are_served_by_https_only() {
        let check = |flags: &[&str]| {
            let flags = [&["test"], flags].concat();
            let settings = <WebTestFlags as clap::Parser>::parse_from(flags).web;
            settings.check_protection().is_ok()
        };

        let everywhere = "--listen=0.0.0.0:3000";
        assert!(check(&[]) && check(&["--listen=[::1]:3000"]));
        assert!(!check(&[everywhere]));
        assert!(!check(&["--listen=192.0.2.1:80"]));
        assert!(check(&[everywhere, "--insecure"]));
        assert!(check(&[
            everywhere,
            "--public-url=https://rate.example.org"
        ]));
        assert!(!check(&[
            everywhere,
            "--public-url=http://rate.example.org"
        ]));

        assert!(!check(&["--public-url=http://rate.example.org"]));
        assert!(check(&[everywhere, "--public-url=http://localhost:3000"]));
    }

    #[test]
    fn base_paths_are_normalised() {
        for (text, expect) in [("", ""), ("/", ""), ("rate", "/rate"), ("/a/b/", "/a/b")] {
            assert_eq!(base_path(text), Ok(BasePath(expect.to_owned())), "{text}");
        }
        for text in ["/a b", "/a?b", "/../a", "/<a>"] {
            assert!(base_path(text).is_err(), "{text}");
        }
    }
}
