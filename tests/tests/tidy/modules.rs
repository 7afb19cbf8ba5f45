//! Modules of a crate build on each other without circles.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::sources::{CRATES, each_source, tokens};

/// Which modules each module at the root of a crate names.
type ModuleGraph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_modules_form_a_circle() {
    for (name, folder) in CRATES {
        let graph = module_graph(folder);
        if let Some(circle) = find_circle(&graph) {
            panic!("modules of {name} form a circle: {}", circle.join(" -> "));
        }
    }

    let graph = |edges: &[(&str, &str)]| {
        let mut graph = ModuleGraph::new();
        for (from, to) in edges {
            graph
                .entry((*from).into())
                .or_default()
                .insert((*to).into());
        }
        find_circle(&graph)
    };
    assert_eq!(graph(&[("a", "b"), ("b", "c"), ("a", "c")]), None);
    let circle = graph(&[("a", "b"), ("b", "c"), ("c", "b")]).expect("b and c");
    assert_eq!(circle, ["b", "c", "b"]);
}

#[test]
fn modules_are_found_in_paths_and_in_use_trees() {
    let modules_in = |source: &str| {
        let mut modules = BTreeSet::new();
        named_modules(&tokens(source), &mut modules);
        modules.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(
        modules_in("use crate::{a::X, b::{Y, c::Z}, d}; fn f() { crate::e::g() }"),
        ["a", "b", "d", "e"]
    );
    assert_eq!(
        modules_in("#[cfg(test)] mod tests { use crate::a; } use super::b;"),
        [""; 0]
    );
}

fn module_graph(folder: &str) -> ModuleGraph {
    let graph = std::cell::RefCell::new(ModuleGraph::new());
    each_source(folder, |path, source| {
        let inside = &path[folder.len() + 1..];
        let top = inside
            .split('/')
            .next()
            .unwrap_or(inside)
            .trim_end_matches(".rs");
        if ["lib", "main"].contains(&top)
            || inside.ends_with("tests.rs")
            || inside.contains("/tests/")
        {
            return;
        }

        let mut modules = BTreeSet::new();
        named_modules(&tokens(source), &mut modules);
        modules.remove(top);
        graph
            .borrow_mut()
            .entry(top.to_owned())
            .or_default()
            .extend(modules);
    });
    graph.into_inner()
}

/// The names right after `crate::`, in paths and in use trees, tests aside.
fn named_modules(stream: &TokenStream, modules: &mut BTreeSet<String>) {
    let mut trees = stream.clone().into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            // An attribute: `#[cfg(test)]` hides the item behind it.
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let Some(TokenTree::Group(attribute)) = trees.peek() else {
                    continue;
                };
                if attribute.stream().to_string().replace(' ', "") == "cfg(test)" {
                    for hidden in trees.by_ref() {
                        match hidden {
                            TokenTree::Group(body) if body.delimiter() == Delimiter::Brace => break,
                            TokenTree::Punct(end) if end.as_char() == ';' => break,
                            _ => {}
                        }
                    }
                }
            }
            TokenTree::Ident(word) if word == "crate" => {
                if !is_path(&mut trees) {
                    continue;
                }

                match trees.next() {
                    Some(TokenTree::Ident(module)) => {
                        modules.insert(module.to_string());
                    }
                    Some(TokenTree::Group(list)) => first_names(&list.stream(), modules),
                    _ => {}
                }
            }
            TokenTree::Group(inner) => named_modules(&inner.stream(), modules),
            _ => {}
        }
    }
}

/// Takes `::` off the tokens, where it is next.
fn is_path(trees: &mut impl Iterator<Item = TokenTree>) -> bool {
    trees
        .by_ref()
        .take(2)
        .all(|tree| matches!(tree, TokenTree::Punct(colon) if colon.as_char() == ':'))
}

/// The first name of each entry of a use tree.
fn first_names(list: &TokenStream, modules: &mut BTreeSet<String>) {
    let mut is_first = true;
    for tree in list.clone() {
        match tree {
            TokenTree::Ident(name) if is_first => {
                modules.insert(name.to_string());
                is_first = false;
            }
            TokenTree::Punct(comma) if comma.as_char() == ',' => is_first = true,
            _ => {}
        }
    }
}

/// A way from a module back to itself, where there is one.
fn find_circle(graph: &ModuleGraph) -> Option<Vec<String>> {
    fn visit<'a>(
        graph: &'a ModuleGraph,
        module: &'a str,
        path: &mut Vec<&'a str>,
        finished: &mut BTreeSet<&'a str>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|before| *before == module) {
            let circle = path[start..].iter().chain([&module]);
            return Some(circle.map(|name| (*name).to_owned()).collect());
        }

        if !finished.contains(module) {
            path.push(module);
            for next in graph.get(module).into_iter().flatten() {
                if let Some(circle) = visit(graph, next, path, finished) {
                    return Some(circle);
                }
            }
            path.pop();
            finished.insert(module);
        }
        None
    }

    let mut finished = BTreeSet::new();
    graph
        .keys()
        .find_map(|module| visit(graph, module, &mut Vec::new(), &mut finished))
}
