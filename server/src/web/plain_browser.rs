//! A browser without JavaScript: it opens pages, fills in their forms by labels, and sends them.

use std::collections::{BTreeMap, BTreeSet};

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};
use scraper::Html;

use super::{
    plain_form::{FIELDS, Submission, element_name, element_text, field_value, find_field, select},
    testing::{TestSite, multipart_body, urlencoded_body},
};

const ORIGIN: &str = "http://rate.example";

/// A browser with its cookies and the page that it shows.
pub(super) struct PlainBrowser<'a> {
    site: &'a TestSite,
    cookies: BTreeMap<String, String>,
    pub(super) address: String,
    pub(super) status: StatusCode,
    pub(super) body: String,
}

impl<'a> PlainBrowser<'a> {
    /// A browser in which nobody is signed in.
    pub(super) fn new(site: &'a TestSite) -> Self {
        Self {
            site,
            cookies: BTreeMap::new(),
            address: String::new(),
            status: StatusCode::OK,
            body: String::new(),
        }
    }

    /// A browser with the cookie of a session.
    pub(super) fn with_session(site: &'a TestSite, cookie: &str) -> Self {
        let mut browser = Self::new(site);
        browser.keep_cookies(&[cookie.to_owned()]);
        browser
    }

    /// Opens a page, and the one that it redirects to.
    pub(super) async fn open(&mut self, path: &str) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        self.load(request).await;
    }

    /// Follows the link with that name.
    pub(super) async fn follow(&mut self, name: &str) {
        let path = self.link(name);
        self.open(&path).await;
    }

    /// The path of the link with that name. If several match, they must share one path.
    pub(super) fn link(&self, name: &str) -> String {
        let page = self.page();
        let links = select(page.root_element(), "a[href]");
        let named = |is_match: fn(&str, &str) -> bool| -> BTreeSet<_> {
            let found = links
                .iter()
                .filter(|link| is_match(&element_name(&page, **link), name));
            found.filter_map(|link| link.attr("href")).collect()
        };

        let mut found = named(|own, asked| own == asked);
        if found.is_empty() {
            found = named(|own, asked| own.contains(asked));
        }

        assert_eq!(found.len(), 1, "{name} on {}: {found:?}", self.address);
        found.first().unwrap().replace(ORIGIN, "")
    }

    /// Whether the page shows this text.
    pub(super) fn shows(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    pub(super) fn assert_shows(&self, texts: &[&str]) {
        for text in texts {
            let (page, address) = (self.text(), &self.address);
            assert!(page.contains(text), "{text} on {address}: {page}");
        }
    }

    pub(super) fn assert_lacks(&self, texts: &[&str]) {
        for text in texts {
            let (page, address) = (self.text(), &self.address);
            assert!(!page.contains(text), "{text} on {address}: {page}");
        }
    }

    /// The texts of the elements that match the selector.
    pub(super) fn texts(&self, selector: &str) -> Vec<String> {
        let page = self.page();
        let found = select(page.root_element(), selector);
        found.into_iter().map(element_text).collect()
    }

    /// The value of the field with that label; `on` for a ticked box.
    pub(super) fn value(&self, label: &str) -> String {
        let page = self.page();
        let fields = select(page.root_element(), FIELDS);
        let field = find_field(&page, &fields, label);
        field_value(field)
    }

    /// Fills in fields by their labels and presses a button. `on` ticks a box, and an empty text clears it; options are
    /// chosen by value or by text.
    pub(super) async fn send(&mut self, button: &str, fields: &[(&str, &str)]) {
        self.send_files(button, fields, &[]).await;
    }

    /// Like [`Self::send`], with files.
    pub(super) async fn send_files(
        &mut self,
        button: &str,
        fields: &[(&str, &str)],
        files: &[(&str, &[u8])],
    ) {
        let submission = Submission::new(&self.page(), button, fields);
        let entries = submission.entries.iter();
        let entries: Vec<_> = entries
            .map(|(name, value)| (&name[..], &value[..]))
            .collect();

        let action = match &submission.action[..] {
            "" => self.address.split('?').next().unwrap_or_default(),
            action => action,
        };

        if submission.is_get {
            let query = urlencoded_body(&entries);
            let address = format!("{action}?{query}");
            self.open(&address).await;
            return;
        }

        let (content_type, body) = match submission.is_multipart {
            true => multipart_body(&entries, files),
            false => {
                let kind = "application/x-www-form-urlencoded".to_owned();
                (kind, urlencoded_body(&entries).into_bytes())
            }
        };

        let request = Request::post(action)
            .header(header::CONTENT_TYPE, content_type)
            .header(header::CONTENT_LENGTH, body.len());
        self.load(request.body(Body::from(body)).unwrap()).await;
    }

    /// Sends a request, follows redirects, and keeps cookies and page.
    async fn load(&mut self, mut request: Request<Body>) {
        for _ in 0..5 {
            let path = request.uri().to_string();
            let headers = request.headers_mut();
            headers.insert(header::ACCEPT, "text/html".parse().unwrap());
            headers.insert(header::HOST, "rate.example".parse().unwrap());
            let referer = format!("{ORIGIN}{}", self.address);
            headers.insert(header::REFERER, referer.parse().unwrap());

            let cookies = self.cookies.iter();
            let cookies: Vec<_> = cookies
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            headers.insert(header::COOKIE, cookies.join("; ").parse().unwrap());

            let answer = self.site.answer(request).await;
            self.keep_cookies(&answer.cookies);
            let Some(location) = answer.location else {
                self.address = path;
                self.status = answer.status;
                self.body = answer.body;
                return;
            };

            let location = location.replace(ORIGIN, "");
            let location = location.split('#').next().unwrap();
            request = Request::get(location).body(Body::empty()).unwrap();
        }
        panic!("the site redirects again and again");
    }

    fn keep_cookies(&mut self, cookies: &[String]) {
        for cookie in cookies {
            let (name, value) = cookie.split_once('=').unwrap();
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    fn page(&self) -> Html {
        Html::parse_document(&self.body)
    }

    /// The text of the page.
    fn text(&self) -> String {
        element_text(self.page().root_element())
    }
}
