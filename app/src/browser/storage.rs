//! Browser storage: texts for the lifetime of the tab, and the page itself for use without a
//! network.

use leptos::{
    prelude::{document, window},
    wasm_bindgen::{JsCast, JsValue},
};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ServiceWorkerContainer, ServiceWorkerRegistration};

/// The text stored under a name for the lifetime of the tab.
pub fn session_item(name: &str) -> Option<String> {
    window().session_storage().ok()??.get_item(name).ok()?
}

/// Stores a text under a name for the lifetime of the tab, where the browser allows it.
pub fn set_session_item(name: &str, text: &str) {
    if let Ok(Some(storage)) = window().session_storage() {
        let _ = storage.set_item(name, text);
    }
}

/// Has the service worker cache this page and its files, so that it can be reloaded without a
/// network.
pub async fn serve_offline() {
    let navigator = window().navigator();
    // Browsers have service workers on https and on localhost only.
    if !js_sys::Reflect::has(&navigator, &"serviceWorker".into()).unwrap_or(false) {
        return;
    }
    // Where this fails, the page works as before, with a network.
    let _ = cache_page(&navigator.service_worker()).await;
}

/// The page was loaded before its worker was active: its address and those of its files are sent to the
/// worker.
async fn cache_page(workers: &ServiceWorkerContainer) -> Result<(), JsValue> {
    let script = crate::links::to("/service-worker.js");
    JsFuture::from(workers.register(&script)).await?;
    let ready: ServiceWorkerRegistration = JsFuture::from(workers.ready()?).await?.dyn_into()?;
    let html = document().document_element();
    let named = |name| html.as_ref().and_then(|html| html.get_attribute(name));
    let sheet = document().query_selector("link[rel=stylesheet]")?;
    let files = [
        window().location().href().ok(),
        named("data-script"),
        named("data-wasm"),
        sheet.and_then(|link| link.get_attribute("href")),
    ];
    let files: js_sys::Array = files.into_iter().flatten().map(JsValue::from).collect();
    let message = js_sys::Object::new();
    js_sys::Reflect::set(&message, &"keep".into(), &files)?;
    match ready.active() {
        Some(worker) => worker.post_message(&message),
        None => Ok(()),
    }
}
