//! Removes functions from the WebAssembly that are never called, but that no optimiser can drop.

use anyhow::{Context as _, Result, ensure};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, LocalId, Module, ValType};

/// A part of the names of functions by which Leptos hydrates a type of view asynchronously. Nothing here calls
/// them, as islands are hydrated synchronously. But each is in a table of functions, so that no optimiser can
/// drop it, and together they are a twentieth of the browser's part.
const UNUSED: &str = "13hydrate_async";
/// The end of the names of their innermost closures. Only these are removed: the compiler merges identical
/// functions, and the outer ones may be shared with functions that are called.
const INNERMOST: &str = "$u7b$$u7b$closure$u7d$$u7d$";
/// The length of the hash at the end of a compiled name.
const HASH_LENGTH: usize = "17h0123456789abcdefE".len();

/// The compiled module without the bodies of the [`UNUSED`] functions. If one of them is called after all, it
/// traps.
pub(crate) fn remove_unused(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut module = Module::from_buffer(wasm).context("the browser's part is not WebAssembly")?;
    let unused: Vec<FunctionId> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| is_unused(module.funcs.get(*id).name.as_deref()))
        .map(|(id, _)| id)
        .collect();
    ensure!(
        !unused.is_empty(),
        "no function of the browser's part has a name with {UNUSED}: the compiler names them differently now"
    );
    for id in unused {
        let kind = module.types.get(module.funcs.get(id).ty());
        let (parameters, results): (Vec<ValType>, Vec<ValType>) =
            (kind.params().to_vec(), kind.results().to_vec());
        let arguments: Vec<LocalId> = parameters
            .iter()
            .map(|kind| module.locals.add(*kind))
            .collect();
        let mut body = FunctionBuilder::new(&mut module.types, &parameters, &results);
        body.func_body().unreachable();
        module.funcs.get_mut(id).kind = FunctionKind::Local(body.local_func(arguments));
    }
    Ok(module.emit_wasm())
}

fn is_unused(name: Option<&str>) -> bool {
    let name = name.and_then(|name| name.get(..name.len().checked_sub(HASH_LENGTH)?));
    name.is_some_and(|name| name.contains(UNUSED) && name.ends_with(INNERMOST))
}
