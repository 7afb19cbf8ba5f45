//! One sender at a time across all tabs of the browser (Web Locks).

use leptos::{
    wasm_bindgen::{JsCast, JsValue, closure::Closure},
    web_sys::js_sys::{Function, Promise, Reflect},
};

/// Runs `work` once no other tab holds the lock of this name.
///
/// Browsers have locks on https and on localhost only. Elsewhere the work runs at once, and the server stores
/// a change once even if two tabs send it.
pub(super) async fn exclusively(name: &str, work: impl Future<Output = ()> + 'static) {
    let callback = Closure::once_into_js(move || future_to_promise(work));

    let result = match request() {
        Some((locks, request)) => request.call2(&locks, &name.into(), &callback),
        None => callback.unchecked_ref::<Function>().call0(&JsValue::NULL),
    };

    if let Ok(promise) = result.map(JsValue::unchecked_into::<Promise>) {
        let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
    }
}

fn request() -> Option<(JsValue, Function)> {
    let navigator = leptos::prelude::window().navigator();
    let locks = Reflect::get(&navigator, &"locks".into())
        .ok()
        .filter(|locks| !locks.is_undefined())?;
    let request = Reflect::get(&locks, &"request".into())
        .ok()?
        .dyn_into()
        .ok()?;
    Some((locks, request))
}

fn future_to_promise(work: impl Future<Output = ()> + 'static) -> Promise {
    wasm_bindgen_futures::future_to_promise(async move {
        work.await;
        Ok(JsValue::UNDEFINED)
    })
}
