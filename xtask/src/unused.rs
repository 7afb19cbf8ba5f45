//! Removes WebAssembly functions that are never called, but that no optimiser can drop.

use anyhow::{Context as _, Result, ensure};
use walrus::{FunctionBuilder, FunctionId, FunctionKind, LocalId, Module, ValType};

/// The method by which Leptos hydrates a type of view asynchronously. Nothing here calls it, because islands
/// are hydrated synchronously. But each instance is in a table of functions, so that no optimiser can drop
/// it, and together they make up a twentieth of the browser's part.
const UNUSED: &str = "::hydrate_async";

/// Replaces the bodies of closures in [`UNUSED`] functions by a trap, and renames all functions by
/// [`name_by_path`].
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
        "no function of the browser's part is a closure in {UNUSED}: the compiler names them differently now"
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

    for (place, function) in module.funcs.iter_mut().enumerate() {
        let size = match &function.kind {
            FunctionKind::Local(body) => body.size(),
            _ => 0,
        };
        function.name = function
            .name
            .as_deref()
            .map(|name| name_by_path(name, size, place));
    }

    Ok(module.emit_wasm())
}

/// A name that puts the instances of a generic function next to each other in alphabetical order, by which
/// wasm-opt arranges them: they repeat each other, which compresses well, best next to those of their size.
/// The names of newer compilers begin with types instead. Names of all compilers hold hashes that differ from
/// folder to folder: with them, the size would depend on where it is built.
fn name_by_path(name: &str, size: u64, place: usize) -> String {
    let path = format!("{:#}", rustc_demangle::demangle(name));
    format!("{} {size:06} {place}", without_type_arguments(&path))
}

/// A path without the arguments of generic types and functions.
fn without_type_arguments(path: &str) -> String {
    let mut kept = String::new();
    // The open brackets: true for those of arguments, false for those around a type with its trait.
    let mut open: Vec<bool> = vec![];
    let mut before = ' ';

    for next in path.chars() {
        let is_left_out = open.contains(&true);
        match next {
            '<' => {
                open.push(before.is_alphanumeric() || matches!(before, '_' | ':' | '}'));
                if !is_left_out && open.last() == Some(&false) {
                    kept.push(next);
                } else if !is_left_out && kept.ends_with("::") {
                    kept.truncate(kept.len() - "::".len());
                }
            }
            // An arrow does not close a bracket.
            '>' if before != '-' => {
                if open.pop() == Some(false) && !is_left_out {
                    kept.push(next);
                }
            }
            _ if !is_left_out => kept.push(next),
            _ => {}
        }
        before = next;
    }

    kept
}

/// Whether a function is a closure in an [`UNUSED`] one. Only these are removed: the compiler merges
/// identical functions, and the outer ones may be shared with functions that are called.
fn is_unused(name: Option<&str>) -> bool {
    let Some(name) = name else { return false };
    // The path without the hash, in either of the ways in which compilers have named functions.
    let path = without_type_arguments(&format!("{:#}", rustc_demangle::demangle(name)));
    let mut rest = &path[..];
    while let Some((outer, closure)) = rest.rsplit_once("::")
        && (closure == "{{closure}}" || closure.starts_with("{closure#") && closure.ends_with('}'))
    {
        rest = outer;
    }
    rest.len() < path.len() && rest.ends_with(UNUSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_found_by_the_names_of_older_and_newer_compilers() {
        let closure = "$u7b$$u7b$closure$u7d$$u7d$";
        let hash = "17h0123456789abcdefE";
        for unused in [
            &format!("_ZN6tachys4view13hydrate_async28_{closure}{hash}")[..],
            "_RNCNvNtCs1234_6tachys4view13hydrate_async0Cs1234_3app",
            "_RNCNCNvNtCs1234_6tachys4view13hydrate_async00Cs1234_3app",
            "_RNCINvNtCs1234_6tachys4view13hydrate_asynclE0Cs1234_3app",
        ] {
            assert!(
                is_unused(Some(unused)),
                "{:#}",
                rustc_demangle::demangle(unused)
            );
        }
        for used in [
            &format!("_ZN6tachys4view13hydrate_async{hash}")[..],
            "_RNvNtCs1234_6tachys4view13hydrate_async",
            // A function with such a closure among its type arguments.
            "_RINvCs1234_5owner4withNCNvNtCs1234_6tachys4view13hydrate_async0ECs1234_3app",
            "_RNCNvNtCs1234_6tachys4view7hydrate0Cs1234_3app",
        ] {
            assert!(
                !is_unused(Some(used)),
                "{:#}",
                rustc_demangle::demangle(used)
            );
        }
        assert!(!is_unused(None));
    }

    #[test]
    fn paths_lose_their_type_arguments_alone() {
        for (path, kept) in [
            (
                "<a::B<c::D, fn(E) -> F<G>> as h::I<J>>::k::<L>::{closure#0}",
                "<a::B as h::I>::k::{closure#0}",
            ),
            ("a::b::<<C as D<E>>::F>", "a::b"),
            ("<[a::B<C>] as D>::e", "<[a::B] as D>::e"),
            ("memcpy", "memcpy"),
        ] {
            assert_eq!(without_type_arguments(path), kept);
        }
    }
}
