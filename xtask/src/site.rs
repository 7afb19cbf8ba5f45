//! `cargo xtask site`: builds the interface.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    compress, import_names, site_folder, split, styles, unused, unused_exports, workspace_root,
};

const TARGET: &str = "wasm32-unknown-unknown";

/// Builds WebAssembly, script, styles and public files under names that carry their hash.
///
/// The old site is replaced as a whole at the end, so that a running server never sees half of the new one.
pub(crate) fn build(release: bool) -> Result<()> {
    let wasm = cargo_build(release)?;
    let site = site_folder();
    let inputs = hash_inputs(&wasm, release)?;
    let stamp = site.with_extension("inputs");
    if site.exists() && fs::read_to_string(&stamp).is_ok_and(|built| built == inputs) {
        return Ok(());
    }

    // The new site is built next to the old one.
    let fresh = site.with_extension("new");
    remove(&fresh)?;
    let pkg = fresh.join("pkg");
    fs::create_dir_all(&pkg)?;

    let later = pkg.join(split::LATER_STEPS).with_extension("wasm");
    let mut first = split::split(&wasm, &pkg)?;
    if release {
        first = unused::remove_unused(&first)?;
        fs::write(&later, unused::remove_unused(&fs::read(&later)?)?)?;
    }

    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes("app", first)
        .web(true)?
        .typescript(false)
        .debug(!release)
        .keep_debug(!release)
        // wasm-opt orders functions by their names, and then drops the names.
        .remove_name_section(false)
        // The later steps share functions, memory and the stack with the first module.
        .keep_lld_exports(true)
        .remove_producers_section(release)
        .out_name("app")
        .generate(&pkg)
        .context("wasm-bindgen failed")?;

    let scripts = copy_page_scripts(&pkg)?;
    for sheet in ["main", "workspace"] {
        let rules = styles::bundle(&workspace_root().join(format!("style/{sheet}.css")))?;
        fs::write(pkg.join(format!("{sheet}.css")), rules)?;
    }

    if release {
        let (wasm, script) = (pkg.join("app_bg.wasm"), pkg.join("app.js"));
        unused_exports::remove(&wasm, &script)?;
        import_names::shorten(&wasm, &script)?;
        optimise(&pkg.join("app_bg.wasm"))?;
        optimise(&later)?;
    }

    let later_steps = rename_with_hash(&pkg, split::LATER_STEPS, "wasm")?;
    split::join_scripts(&pkg, &later_steps)?;
    if release {
        minify(&pkg)?;
    }

    let manifest = format!(
        "{{\"stylesheet\":{:?},\"workspace_stylesheet\":{:?},\"script\":{:?},\"wasm\":{:?},\"later_steps\":{:?},\"scripts\":{:?}}}\n",
        rename_with_hash(&pkg, "main", "css")?,
        rename_with_hash(&pkg, "workspace", "css")?,
        rename_with_hash(&pkg, "app", "js")?,
        rename_with_hash(&pkg, "app_bg", "wasm")?,
        later_steps,
        scripts
            .into_iter()
            .map(|name| {
                let path = rename_with_hash(&pkg, &name, "js")?;
                Ok((name, path))
            })
            .collect::<Result<BTreeMap<_, _>>>()?,
    );

    copy(&workspace_root().join("public"), &fresh)?;
    if release {
        compress::compress_folder(&fresh)?;
    }
    fs::write(fresh.join("manifest.json"), manifest)?;

    remove(&site)?;
    fs::rename(&fresh, &site)?;
    fs::write(stamp, inputs)?;
    Ok(())
}

/// A hash of all inputs of the site: while it is the same, so is the site.
fn hash_inputs(wasm: &Path, release: bool) -> Result<String> {
    let mut hash = blake3::Hasher::new();
    hash.update(&[u8::from(release)]);
    hash.update(&fs::read(wasm)?);
    hash.update(&fs::read(env::current_exe()?)?);
    for folder in ["style", "public"] {
        hash_folder(&mut hash, &workspace_root().join(folder))?;
    }
    for script in list_page_scripts()? {
        hash.update(script.as_os_str().as_encoded_bytes());
        hash.update(&fs::read(script)?);
    }
    Ok(hash.finalize().to_hex().to_string())
}

fn hash_folder(hash: &mut blake3::Hasher, folder: &Path) -> Result<()> {
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            hash_folder(hash, &path)?;
        } else {
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update(&fs::read(path)?);
        }
    }
    Ok(())
}

/// Compiles the browser's part and returns the path of the WebAssembly file.
fn cargo_build(release: bool) -> Result<std::path::PathBuf> {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace_root()).args([
        "build",
        "--package",
        "app",
        "--lib",
        "--features",
        "hydrate",
    ]);
    cargo.args(["--target", TARGET]);

    if release {
        // Set by environment variables: a Cargo profile of its own would rebuild every macro.
        cargo
            .arg("--release")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "z")
            // The server's part of it has a level of its own, which no variable sets.
            .args(["--config", "profile.release.package.app.opt-level='z'"])
            // wasm-opt strips later; it needs the list of WebAssembly features, which Cargo would strip.
            .env("CARGO_PROFILE_RELEASE_STRIP", "none")
            .env("CARGO_PROFILE_RELEASE_LTO", "fat")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1");
    } else {
        // Development builds optimise the server's figures, but the browser computes none.
        cargo.args(["--config", "profile.dev.package.domain.opt-level=0"]);
    }

    ensure!(
        cargo.status()?.success(),
        "the browser's part does not compile"
    );

    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace_root().join("target"), Into::into);
    let profile = if release { "release" } else { "debug" };
    Ok(target.join(TARGET).join(profile).join("app.wasm"))
}

/// Shrinks the WebAssembly as it is transferred: compressed with Brotli. Generic code repeats itself from
/// type to type, which compresses well. So copies are put next to each other, and passes that save bytes but
/// make copies differ are left out, above all the inlining of functions with one caller. Otherwise the
/// compressed module would be a tenth larger.
fn optimise(wasm: &Path) -> Result<()> {
    let mut wasm_opt = node_program("wasm-opt")?;
    wasm_opt.args([
        "-Oz",
        "--one-caller-inline-max-function-size=10",
        "--always-inline-max-function-size=2",
        // The stack begins at address 0 and is never full.
        "--low-memory-unused",
    ]);

    for pass in [
        "local-cse",
        "memory-packing",
        "reorder-functions",
        "ssa-nomerge",
    ] {
        wasm_opt.arg(format!("--skip-pass={pass}"));
    }

    wasm_opt.arg("--reorder-functions-by-name");
    wasm_opt.arg(wasm).arg("-o").arg(wasm);
    run(&mut wasm_opt)
}

/// The plain scripts that pages load, which are next to the components that they belong to. Those that a page
/// embeds end in `.inline.js` and are left out.
fn list_page_scripts() -> Result<Vec<PathBuf>> {
    let mut folders = vec![
        workspace_root().join("app/src"),
        workspace_root().join("pages/src"),
    ];

    let mut scripts = vec![];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_page_script(&path) {
                scripts.push(path);
            }
        }
    }

    scripts.sort();
    Ok(scripts)
}

fn is_page_script(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".js") && !name.ends_with(".inline.js")
}

/// Copies the plain scripts, and returns their names without the extension.
fn copy_page_scripts(pkg: &Path) -> Result<Vec<String>> {
    let copy = |script: PathBuf| {
        let name = script
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();

        let copy = pkg.join(format!("{name}.js"));
        ensure!(
            !copy.exists(),
            "two scripts have the name of {}",
            script.display()
        );
        fs::copy(script, copy)?;
        Ok(name)
    };

    list_page_scripts()?.into_iter().map(copy).collect()
}

/// Shortens scripts and style sheets: after compression, comments, names and spaces are a fifth of their
/// bytes.
fn minify(pkg: &Path) -> Result<()> {
    let mut esbuild = node_program("esbuild")?;
    esbuild.args([
        "--minify",
        "--format=esm",
        "--log-level=warning",
        "--allow-overwrite",
    ]);

    for entry in fs::read_dir(pkg)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "js" || extension == "css")
        {
            esbuild.arg(path);
        }
    }

    esbuild.arg(format!("--outdir={}", pkg.display()));
    run(&mut esbuild)
}

/// A program of this folder's Node packages.
fn node_program(name: &str) -> Result<Command> {
    let program = workspace_root().join("xtask/node_modules/.bin").join(name);
    ensure!(
        program.exists(),
        "{name} is missing; fetch it with: npm ci --prefix xtask (./run --release does so)"
    );
    Ok(Command::new(program))
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_owned();
    ensure!(command.status()?.success(), "{} failed", program.display());
    Ok(())
}

/// Puts the hash of a file into its name, and returns its path within the site.
fn rename_with_hash(pkg: &Path, stem: &str, extension: &str) -> Result<String> {
    let file = pkg.join(format!("{stem}.{extension}"));
    let hash = blake3::hash(&fs::read(&file)?).to_hex();
    let name = format!("{stem}-{}.{extension}", &hash[..16]);
    fs::rename(&file, pkg.join(&name))?;
    Ok(format!("/pkg/{name}"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("{} cannot be removed", folder.display()))?;
    }
    Ok(())
}
