//! The modules of the compiler import each other in one direction.
//!
//! A folder may import those before it in [`FOLDERS`], and no import leads back. Within a folder, modules may import each
//! other in circles of at most [`MAX_CIRCLE`] files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree};

/// In the order of the data: facts, the passes, and what stands on top of them.
const FOLDERS: [&str; 21] = [
    "collections",
    "diagnostics",
    "syntax",
    "frontend",
    "check",
    "ir",
    "resolve",
    "values",
    "lower",
    "rematerialize",
    "desugar",
    "anf",
    "flow",
    "layout",
    "verify",
    "codegen",
    "pipeline",
    "activity",
    "derives",
    "attributes",
    "register",
];

const MAX_CIRCLE: usize = 4;

type Module = Vec<String>;

/// Each module, and those that it imports.
fn imports() -> BTreeMap<Module, BTreeSet<Module>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: BTreeMap<Module, PathBuf> =
        sources(&root).into_iter().map(|file| (module(&root, &file), file)).collect();
    let known: BTreeSet<Module> = files.keys().cloned().collect();
    let of_file = |(module, file): (&Module, &PathBuf)| {
        let text = std::fs::read_to_string(file).expect("a source file can be read");
        let syntax = syn::parse_file(&text).expect("a source file parses");
        let mut paths = Paths { module, found: BTreeSet::new() };
        paths.visit_file(&syntax);
        let imported = paths.found.into_iter().filter_map(|path| closest(&known, path));
        (module.clone(), imported.filter(|other| other != module).collect())
    };
    files.iter().map(of_file).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        let is_for_tests =
            ["tests.rs", "stability.rs", "fuzz"].iter().any(|name| path.ends_with(name));
        if path.is_dir() && !is_for_tests {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && !is_for_tests {
            found.push(path);
        }
    }
    found
}

fn module(root: &Path, file: &Path) -> Module {
    let path = file.strip_prefix(root).expect("a file of the folder").with_extension("");
    let mut names: Module = path.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| name == "mod" || name == "lib") {
        names.pop();
    }
    names
}

/// The module that a path leads to.
fn closest(known: &BTreeSet<Module>, mut path: Module) -> Option<Module> {
    while !known.contains(&path) {
        path.pop()?;
    }
    (!path.is_empty()).then_some(path)
}

/// The paths in a file that begin with `crate`, `self` or `super`, from the crate on.
struct Paths<'a> {
    module: &'a Module,
    found: BTreeSet<Module>,
}

impl Paths<'_> {
    fn add(&mut self, path: &[String]) {
        let mut from = self.module.clone();
        match path.first().map(String::as_str) {
            Some("crate") => from.clear(),
            Some("self" | "super") => {}
            _ => return,
        }
        for name in path {
            match name.as_str() {
                "crate" | "self" => {}
                "super" => {
                    from.pop();
                }
                name => from.push(name.to_owned()),
            }
        }
        self.found.insert(from);
    }

    fn add_tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => self.add_tree(&path.tree, &with(&path.ident)),
            UseTree::Name(name) => self.add(&with(&name.ident)),
            UseTree::Rename(rename) => self.add(&with(&rename.ident)),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, before))
            }
            UseTree::Glob(_) => self.add(before),
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[Attribute] = match item {
            Item::Mod(ItemMod { attrs, .. }) | Item::Use(ItemUse { attrs, .. }) => attrs,
            _ => &[],
        };
        if !attributes.iter().any(|attribute| attribute.path().is_ident("cfg")) {
            visit::visit_item(self, item);
        }
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(super)` imports nothing.
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.add_tree(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        self.add(&names.collect::<Vec<_>>());
        visit::visit_path(self, path);
    }
}

#[test]
fn folders_import_in_one_direction() {
    let place = |module: &Module| {
        let folder = module.first()?;
        let place = FOLDERS.iter().position(|known| known == folder);
        Some(place.unwrap_or_else(|| panic!("`{folder}` has a place in `FOLDERS`")))
    };
    let imports = imports();
    assert!(imports.len() > 200, "the sources are found");
    let mut back = Vec::new();
    for (module, imported) in &imports {
        for other in imported {
            if let (Some(here), Some(there)) = (place(module), place(other))
                && there > here
            {
                back.push(format!("{} imports {}", module.join("::"), other.join("::")));
            }
        }
    }
    assert!(back.is_empty(), "imports that lead back:\n{}", back.join("\n"));
}

#[test]
fn circles_of_modules_are_small() {
    let imports = imports();
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        imports.keys().map(|module| (module, reached(&imports, module))).collect();
    for (module, others) in &reached {
        let circle: Vec<_> = others
            .iter()
            .filter(|other| reached[**other].contains(*module))
            .map(|other| other.join("::"))
            .collect();
        assert!(circle.len() <= MAX_CIRCLE, "modules import each other: {}", circle.join(", "));
    }
}

/// The modules that imports lead to, itself only in a circle.
fn reached<'a>(
    imports: &'a BTreeMap<Module, BTreeSet<Module>>,
    module: &'a Module,
) -> BTreeSet<&'a Module> {
    let (mut found, mut todo) = (BTreeSet::new(), vec![module]);
    while let Some(module) = todo.pop() {
        todo.extend(imports[module].iter().filter(|other| found.insert(*other)));
    }
    found
}
