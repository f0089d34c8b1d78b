//! The items that paths name, as far as imports are visible.
//!
//! Names come from three sources, the closest first: imports and items of the body, imports and items of the source
//! file, and a list of names that mean the same in nearly every program. Other paths are taken literally.

use std::rc::Rc;

use proc_macro2::{TokenStream, TokenTree};
use syn::{Block, Item, Path, PathArguments, Stmt, Type};

use crate::collections::by_name::NameMap;
use crate::syntax::root::is_piton;
use crate::syntax::source::hashers::has_own_hasher;
use crate::syntax::source::imports::{Imports, Meaning, add_tree};
use crate::syntax::source::statics::SharedBy;

/// Names and the paths that they usually stand for.
const ASSUMED: &[(&str, &str)] = &[
    ("Command", "std::process::Command"),
    ("File", "std::fs::File"),
    ("HashMap", "std::collections::HashMap"),
    ("HashSet", "std::collections::HashSet"),
    ("Instant", "std::time::Instant"),
    ("JoinSet", "tokio::task::JoinSet"),
    ("LazyLock", "std::sync::LazyLock"),
    ("Local", "chrono::Local"),
    ("OffsetDateTime", "time::OffsetDateTime"),
    ("OsRng", "rand::rngs::OsRng"),
    ("Path", "std::path::Path"),
    ("PathBuf", "std::path::PathBuf"),
    ("SystemTime", "std::time::SystemTime"),
    ("TcpListener", "std::net::TcpListener"),
    ("TcpStream", "std::net::TcpStream"),
    ("UdpSocket", "std::net::UdpSocket"),
    ("Ulid", "ulid::Ulid"),
    ("Utc", "chrono::Utc"),
    ("Uuid", "uuid::Uuid"),
    ("Zoned", "jiff::Zoned"),
    ("env", "std::env"),
    ("fs", "std::fs"),
    ("hash_map", "std::collections::hash_map"),
    ("process", "std::process"),
    ("thread", "std::thread"),
    ("thread_rng", "rand::thread_rng"),
];

/// The names in scope at one place of a body.
#[derive(Debug)]
pub(super) struct Names {
    file: Rc<Imports>,
    scopes: Vec<NameMap<Meaning>>,
}

impl Names {
    /// The names that the file declares.
    pub(super) fn new(file: Rc<Imports>) -> Self {
        Self { file, scopes: Vec::new() }
    }

    /// Enters a block: its imports and items are in scope in all of it.
    pub(super) fn enter(&mut self, block: &Block) {
        let mut scope = NameMap::default();
        for stmt in &block.stmts {
            let item = match stmt {
                Stmt::Item(Item::Macro(syn::ItemMacro { mac, .. }))
                | Stmt::Macro(syn::StmtMacro { mac, .. })
                    if mac.path.is_ident("thread_local") =>
                {
                    let names = statics(&mac.tokens).into_iter();
                    scope.extend(names.map(|name| (name, Meaning::Own)));
                    continue;
                }
                Stmt::Item(item) => item,
                _ => continue,
            };
            if let Item::Use(item) = item {
                add_tree(&item.tree, &mut Vec::new(), &mut |name, path| {
                    scope.insert(name, Meaning::of(path));
                });
            } else if let Some((name, path)) = alias(item) {
                scope.insert(name, Meaning::of(path));
            } else if let Some(name) = item_name(item) {
                scope.insert(name, Meaning::Own);
            }
        }
        self.scopes.push(scope);
    }

    /// Leaves the block entered last.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// How the static at `path` is shared, if the file declares one with interior mutability.
    pub(super) fn shared_by(&self, path: &Path) -> Option<SharedBy> {
        if !self.file.share_anything() {
            return None;
        }
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.shared_by_at(&segments.collect::<Vec<_>>())
    }

    /// As [`shared_by`](Self::shared_by), for the segments of a path. A path through modules may name any static of the
    /// file.
    pub(super) fn shared_by_at(&self, path: &[String]) -> Option<SharedBy> {
        let (name, modules) = path.split_last()?;
        let is_module = |part: &String| part.starts_with(|c: char| c.is_lowercase() || c == '_');
        let is_hidden = modules.is_empty() && self.is_in_body(name);
        let is_of_file = !is_hidden && modules.iter().all(is_module);
        self.file.shared_by(name).filter(|_| is_of_file)
    }

    /// Whether `path` names an item of the body.
    pub(super) fn is_of_body(&self, path: &Path) -> bool {
        path.get_ident().is_some_and(|name| self.is_in_body(&name.to_string()))
    }

    fn is_in_body(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.contains(name))
    }

    /// The full path of the item that `path` names, or `None` for an item of the user.
    pub(super) fn resolve(&self, path: &Path) -> Option<Vec<String>> {
        let segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.resolve_segments(segments, path.leading_colon.is_some())
    }

    /// As [`resolve`](Self::resolve), for the segments of a path.
    pub(super) fn resolve_segments(
        &self,
        mut path: Vec<String>,
        is_global: bool,
    ) -> Option<Vec<String>> {
        // An import may lead to another import, but rarely more than twice.
        let hops = if is_global { 0 } else { 3 };
        for _ in 0..hops {
            match self.meaning(path.first()?) {
                Some(Meaning::Own) => return None,
                Some(Meaning::Path(full)) if path.starts_with(full) => break,
                Some(Meaning::Path(full)) => {
                    path.splice(..1, full.iter().cloned());
                }
                None => break,
            }
        }
        if !is_global {
            let first = path.first()?;
            if let Some((_, full)) = ASSUMED.iter().find(|(name, _)| name == first) {
                path.splice(..1, full.split("::").map(str::to_owned));
            }
        }
        match Meaning::of(path) {
            Meaning::Path(mut path) if !is_own(&path) => {
                // The lists have the crate's own name.
                if path.first().is_some_and(|first| is_piton(first)) {
                    path[0] = "piton".to_owned();
                }
                Some(path)
            }
            _ => None,
        }
    }

    /// The path with which code outside the body names the item, or `None` for an item of the body.
    pub(super) fn outside(&self, path: &Path) -> Option<Vec<String>> {
        let mut segments: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let first = segments.first()?;
        match self.scopes.iter().rev().find_map(|scope| scope.get(first)) {
            Some(Meaning::Own) => return None,
            Some(Meaning::Path(full)) => {
                segments.splice(..1, full.iter().cloned());
            }
            None => {}
        }
        Some(segments)
    }

    fn meaning(&self, name: &str) -> Option<&Meaning> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).or_else(|| self.file.get(name))
    }
}

/// Whether the path starts in the user's own crate.
fn is_own(path: &[String]) -> bool {
    path.first().is_some_and(|first| ["crate", "self", "super", "Self"].contains(&first.as_str()))
}

/// The names of the statics in `thread_local!`.
fn statics(tokens: &TokenStream) -> Vec<String> {
    let trees: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let pairs = trees.windows(2).filter(|pair| pair[0].to_string() == "static");
    pairs.map(|pair| pair[1].to_string()).collect()
}

/// The name of an alias, and its target.
fn alias(item: &Item) -> Option<(String, Vec<String>)> {
    let Item::Type(item) = item else { return None };
    let Type::Path(ty) = &*item.ty else { return None };
    let last = ty.path.segments.last().filter(|_| ty.qself.is_none())?;
    let arguments = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.len(),
        _ => 0,
    };
    if has_own_hasher(&last.ident.to_string(), arguments) {
        return None;
    }
    let path = ty.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    Some((item.ident.to_string(), path))
}

fn item_name(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn resolve(names: &Names, path: &str) -> Option<String> {
        let path: Path = syn::parse_str(path).expect("a path");
        names.resolve(&path).map(|path| path.join("::"))
    }

    #[test]
    fn imports_of_the_body_are_followed() {
        let mut names = Names::new(Rc::default());
        names.enter(&parse_quote!({
            use crate::helpers::total;
            use std::time;
            use std::{
                env as surroundings,
                fs::{self, File as Document},
            };
            use time::Instant as Clock;
            struct Local;
        }));
        let total: Path = parse_quote!(total);
        let outside = ["crate", "helpers", "total"].map(str::to_owned).to_vec();
        assert_eq!(names.outside(&total), Some(outside));
        let expected = [
            ("Clock::now", Some("std::time::Instant::now")),
            ("time::Instant::now", Some("std::time::Instant::now")),
            ("surroundings::var", Some("std::env::var")),
            ("fs::read", Some("std::fs::read")),
            ("Document::open", Some("std::fs::File::open")),
            ("Local::now", None),
            ("crate::Instant::now", None),
            ("core::time::Instant::now", Some("std::time::Instant::now")),
            ("::std::env::var", Some("std::env::var")),
            ("charge", Some("charge")),
            ("total", None),
        ];
        for (path, full) in expected {
            assert_eq!(resolve(&names, path).as_deref(), full, "{path}");
        }
        names.leave();
        assert_eq!(resolve(&names, "Clock::now").as_deref(), Some("Clock::now"));
        assert_eq!(resolve(&names, "Local::now").as_deref(), Some("chrono::Local::now"));
    }

    #[test]
    fn imports_of_the_file_come_second() {
        let file = "use crate::clock::Instant;\nuse std::time::SystemTime as Clock;\n";
        let mut names = Names::new(Rc::new(Imports::of_text(file)));
        assert_eq!(resolve(&names, "Instant::now"), None);
        assert_eq!(resolve(&names, "Clock::now").as_deref(), Some("std::time::SystemTime::now"));
        names.enter(&parse_quote!({
            use std::time::Instant;
        }));
        assert_eq!(resolve(&names, "Instant::now").as_deref(), Some("std::time::Instant::now"));
    }
}
