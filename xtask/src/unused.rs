use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, LocalId, Module, ValType};

/// In functions of this name a type of view wakes bit by bit, waiting in between. Nothing here takes
/// that way: islands wake at once. But each lies in a table of functions, where no optimiser dares
/// to drop it, and together they are a twentieth of the browser's part.
const UNUSED: &str = "13hydrate_async";
/// Only their innermost part is taken out: the compiler makes one of functions that do the same,
/// and the parts around it do what others do.
const INNERMOST: &str = "$u7b$$u7b$closure$u7d$$u7d$";
/// The length of the hash that the compiler ends a name with.
const HASH: usize = "17h0123456789abcdefE".len();

/// The compiled module with the bodies of [`UNUSED`] taken out; should one be called after all, it
/// traps.
pub(crate) fn remove_unused(wasm: &Path) -> Result<Vec<u8>> {
    let mut module =
        Module::from_file(wasm).with_context(|| format!("{} is no WebAssembly", wasm.display()))?;
    let unused: Vec<FunctionId> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| is_unused(module.funcs.get(*id).name.as_deref()))
        .map(|(id, _)| id)
        .collect();
    ensure!(
        !unused.is_empty(),
        "no function of the browser's part is called {UNUSED}: the compiler names them otherwise now"
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
    let name = name.and_then(|name| name.get(..name.len().checked_sub(HASH)?));
    name.is_some_and(|name| name.contains(UNUSED) && name.ends_with(INNERMOST))
}
