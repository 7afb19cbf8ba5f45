//! Public pages, and the message after a form was sent without scripts.

use axum::{
    body::Body,
    http::{Request, StatusCode, header},
};

use super::testing::TestSite;

#[tokio::test]
async fn an_unknown_address_is_a_page_that_says_so() {
    let site = TestSite::new().await;
    let page = site.open(None, "/no/such/page").await;
    assert_eq!(page.status, StatusCode::NOT_FOUND);
    assert!(page.body.contains("<h1>Page not found"), "{}", page.body);
}

#[tokio::test]
async fn a_plain_form_leads_back_and_a_refusal_is_shown_once() {
    let site = TestSite::new().await;
    let sentence = "Choose light, dark or system colours.";
    for (theme, cookie, is_refused) in [("dark", "theme=", false), ("purple", "flash=", true)] {
        let request = Request::post("/api/theme")
            .header(header::ACCEPT, "text/html")
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(header::HOST, "rate.example")
            .header(header::REFERER, "http://rate.example/login");

        let request = request.body(Body::from(format!("theme={theme}"))).unwrap();
        let answer = site.send(request).await;
        assert_eq!(answer.status(), StatusCode::SEE_OTHER);
        let back = answer.headers()[header::LOCATION].to_str().unwrap();
        assert!(back.ends_with("/login"), "{back}");

        let mut kept = answer.headers().get_all(header::SET_COOKIE).iter();
        let kept = kept.find_map(|kept| {
            let (value, _) = kept.to_str().ok()?.split_once(';')?;
            value.starts_with(cookie).then(|| value.to_owned())
        });

        let page = site.open(kept.as_deref(), "/login").await;
        assert_eq!(page.body.contains(sentence), is_refused, "{}", page.body);
        assert_eq!(page.body.contains("data-theme=\"dark\""), !is_refused);
        let is_taken = page.cookies.contains(&"flash=".to_owned());
        assert_eq!(is_taken, is_refused, "{:?}", page.cookies);
    }
}
