//! Imports and items of the source file around a function.
//!
//! The module reads only `use` statements and the first lines of items, as text. If the file cannot be found, the rules
//! use the common names.

use std::cell::RefCell;
use std::rc::Rc;

use proc_macro2::Span;
use syn::{ItemUse, Path, UseTree};

use super::hashers::{argument_count, has_own_hasher};
use crate::collections::by_name::NameMap;
use crate::syntax::root::is_piton;
use crate::syntax::source::statics::{SharedBy, is_interior_mutable};
use crate::syntax::source::{SourceFile, file_of};

thread_local! {
    // A file with several workflows is read once.
    static LAST: RefCell<Option<(Rc<SourceFile>, Rc<Imports>)>> = const { RefCell::new(None) };
}

/// Names that a source file imports or defines.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    meanings: NameMap<Option<Meaning>>,
    /// Statics with interior mutability, and thread locals.
    shared: NameMap<SharedBy>,
}

impl Imports {
    /// The names of the file that `span` is in.
    pub(crate) fn around(span: Span) -> Rc<Self> {
        let Some(file) = file_of(span) else { return Rc::default() };
        LAST.with_borrow_mut(|last| match last {
            Some((known, imports)) if Rc::ptr_eq(known, &file) => Rc::clone(imports),
            _ => {
                let imports = Rc::new(Self::of_text(&file.text));
                *last = Some((file, Rc::clone(&imports)));
                imports
            }
        })
    }

    /// The names in the text of a file.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut imports = Self::default();
        let mut lines = text.lines();
        let mut shared_by = SharedBy::Process;
        while let Some(line) = lines.next() {
            let mut line = line.trim_ascii();
            if let Some(rest) = line.strip_prefix("thread_local!") {
                shared_by = SharedBy::Thread;
                line = rest.trim_start_matches([' ', '{', '(']);
            } else if line.starts_with('}') || line.starts_with(')') {
                shared_by = SharedBy::Process;
            }
            let item = without_visibility(line);
            if item.starts_with("use ") {
                imports.add_use(item, &mut lines);
            } else if let Some((name, path)) = alias(item) {
                imports.add(name, Meaning::of(path));
            } else if let Some((name, shared_by)) = shared_static(item, shared_by) {
                imports.shared.insert(name.to_owned(), shared_by);
            } else if let Some(name) = defined_name(item) {
                imports.add(name.to_owned(), Meaning::Own);
            }
        }
        imports
    }

    /// All names.
    pub(crate) fn into_names(self) -> Vec<String> {
        let mut names: Vec<String> = self.meanings.into_names().collect();
        names.retain(|name| name != "_");
        names.sort();
        names
    }

    /// The meaning of `name`, unless the file gives it several.
    pub(crate) fn get(&self, name: &str) -> Option<&Meaning> {
        self.meanings.get(name)?.as_ref()
    }

    /// Whether the file has a static with interior mutability.
    pub(crate) fn share_anything(&self) -> bool {
        !self.shared.is_empty()
    }

    /// How the static called `name` is shared, if it has interior mutability.
    pub(crate) fn shared_by(&self, name: &str) -> Option<SharedBy> {
        self.shared.get(name).copied()
    }

    /// Adds a `use` statement whose first line is `first`.
    pub(crate) fn add_use<'a>(&mut self, first: &str, rest: &mut impl Iterator<Item = &'a str>) {
        let mut text = String::new();
        let mut next = Some(first);
        while let Some(line) = next {
            let line = line.split("//").next().unwrap_or_default();
            // Other text is prose or unusual. It is not parsed, because rustc reports an error for text that is not a
            // sequence of tokens.
            let is_plain = |c: char| c.is_alphanumeric() || "_:{}*,; \t".contains(c);
            if !line.chars().all(is_plain) {
                return;
            }
            text.push_str(line);
            text.push(' ');
            if line.contains(';') {
                break;
            }
            next = rest.next();
        }
        let Some((statement, after)) = text.split_once(';').filter(|(first, _)| is_balanced(first))
        else {
            return;
        };
        if let Ok(item) = syn::parse_str::<ItemUse>(&format!("{statement};")) {
            add_tree(&item.tree, &mut Vec::new(), &mut |name, path| {
                self.add(name, Meaning::of(path));
            });
        }
        // A line may have several statements.
        let after = without_visibility(after.trim_ascii());
        if after.starts_with("use ") {
            self.add_use(after, rest);
        }
    }

    /// Adds a name. The modules and bodies of a file may use a name differently; then it has no known meaning.
    fn add(&mut self, name: String, meaning: Meaning) {
        let meaning = Some(meaning);
        match self.meanings.get_mut(&name) {
            Some(known) if *known != meaning => *known = None,
            Some(_) => {}
            None => self.meanings.insert(name, meaning),
        }
    }
}

/// Whether a path names piton's type `name`, also by an import of the file under another name.
pub(crate) fn names_of_piton(path: &Path, name: &str) -> bool {
    let Some(last) = path.segments.last() else { return false };
    last.ident == name || path.get_ident().is_some_and(|ident| {
        matches!(Imports::around(ident.span()).get(&ident.to_string()), Some(Meaning::Path(full))
                if full.first().is_some_and(|first| is_piton(first))
                    && full.last().is_some_and(|last| last == name))
    })
}

/// The first `count` names of a path, resolved by the imports of its file as far as possible.
pub(crate) fn path_in_file(path: &Path, count: usize) -> Vec<String> {
    let mut names: Vec<_> =
        path.segments.iter().take(count).map(|segment| segment.ident.to_string()).collect();
    let first = path.segments.first().filter(|_| path.leading_colon.is_none());
    if let Some(first) = first {
        let imports = Imports::around(first.ident.span());
        // The target of an alias may be imported itself.
        for _ in 0..2 {
            let Some(Meaning::Path(full)) = imports.get(&names[0]) else { break };
            names.splice(..1, full.iter().cloned());
        }
    }
    match Meaning::of(names) {
        Meaning::Path(names) => names,
        Meaning::Own => Vec::new(),
    }
}

/// Whether a path names an item of piton, or one of unknown origin, such as from piton's prelude.
pub(crate) fn is_of_piton(path: &Path) -> bool {
    let Some(first) = path.segments.first() else { return false };
    let span = first.ident.span();
    if file_of(span).is_none() {
        return false;
    }
    match Imports::around(span).get(&first.ident.to_string()) {
        Some(Meaning::Path(path)) => path.first().is_some_and(|first| is_piton(first)),
        Some(Meaning::Own) => false,
        None => path.segments.len() == 1 || is_piton(&first.ident.to_string()),
    }
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_u32;
    text.chars().all(|c| match c {
        '{' => {
            depth += 1;
            true
        }
        '}' => depth.checked_sub(1).map(|less| depth = less).is_some(),
        _ => true,
    }) && depth == 0
}

pub(crate) fn without_visibility(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("pub") else { return line };
    let rest = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    rest.trim_start()
}

/// The name and the target of a type alias: `type Prices = HashMap<String, u64>;`.
fn alias(line: &str) -> Option<(String, Vec<String>)> {
    let (name, ty) = line.strip_prefix("type ")?.strip_suffix(';')?.split_once(" = ")?;
    let name = name.split('<').next()?;
    let with_arguments = ty.strip_suffix('>').and_then(|ty| ty.split_once('<'));
    let (path, arguments) = with_arguments.unwrap_or((ty, ""));
    let path: Vec<_> = path.trim_start_matches("::").split("::").map(str::to_owned).collect();
    let is_word = |text: &String| !text.is_empty() && !text.contains(is_no_word);
    let has_own_hasher = has_own_hasher(path.last()?, argument_count(arguments));
    (path.iter().all(is_word) && !has_own_hasher).then(|| (name.to_owned(), path))
}

/// The name of a line's static and how it is shared, if it has interior mutability.
fn shared_static(line: &str, shared_by: SharedBy) -> Option<(&str, SharedBy)> {
    let (name, ty) = line.strip_prefix("static ")?.split_once(':')?;
    if let Some(name) = name.strip_prefix("mut ") {
        return Some((name, SharedBy::ProcessMut));
    }
    let ty = ty.split('=').next()?;
    let is_shared = shared_by == SharedBy::Thread || ty.split(is_no_word).any(is_interior_mutable);
    is_shared.then_some((name, shared_by))
}

fn is_no_word(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

/// The name of the type, module or function that the line defines.
fn defined_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let (keyword, rest) = line.split_once(' ')?;
    if !matches!(
        keyword,
        "struct" | "enum" | "union" | "trait" | "type" | "mod" | "fn" | "macro_rules!"
    ) {
        return None;
    }
    let end = rest.find(is_no_word).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The item at this path.
    Path(Vec<String>),
    /// An item of the user.
    Own,
}

impl Meaning {
    /// The meaning of an import of `path`.
    pub(crate) fn of(mut path: Vec<String>) -> Self {
        match path.first_mut() {
            Some(first) if ["core", "alloc"].contains(&first.as_str()) => "std".clone_into(first),
            Some(_) => {}
            None => return Self::Own,
        }
        Self::Path(path)
    }
}

/// Calls `add` with each imported name and its path.
pub(crate) fn add_tree(
    tree: &UseTree,
    prefix: &mut Vec<String>,
    add: &mut impl FnMut(String, Vec<String>),
) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            add_tree(&path.tree, prefix, add);
            prefix.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            if let Some(last) = prefix.last() {
                add(last.clone(), prefix.clone());
            }
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            add(name.clone(), [&prefix[..], &[name]].concat());
        }
        UseTree::Rename(rename) => {
            let mut path = prefix.clone();
            if rename.ident != "self" {
                path.push(rename.ident.to_string());
            }
            add(rename.rename.to_string(), path);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                add_tree(tree, prefix, add);
            }
        }
        // The names of a glob import are unknown; the assumed names cover the usual ones.
        UseTree::Glob(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(imports: &Imports, name: &str) -> Option<String> {
        match imports.get(name)? {
            Meaning::Path(path) => Some(path.join("::")),
            Meaning::Own => Some("own".to_owned()),
        }
    }

    #[test]
    fn statements_and_heads_of_items_are_read() {
        let imports = Imports::of_text(
            "//! Use this; it's good.\n\
             use std::time::Instant as Clock;\n\
             pub(crate) use std::{\n    env, // for the settings\n    fs::File,\n};\n\
             use crate::own::Timer; pub use std::{\n    rc::Rc,\n}; use std::sync::Arc;\n\
             pub struct Utc;\n\
             async fn sleep() {}\n\
             let text = \"\nuse of 'quotes';\n\";\n\
             mod tests {\n    use std::{thread;\n}\n",
        );
        let expected = [
            ("Clock", Some("std::time::Instant")),
            ("env", Some("std::env")),
            ("File", Some("std::fs::File")),
            ("Timer", Some("crate::own::Timer")),
            ("Rc", Some("std::rc::Rc")),
            ("Arc", Some("std::sync::Arc")),
            ("Utc", Some("own")),
            ("sleep", Some("own")),
            ("thread", None),
            ("of", None),
        ];
        for (name, meaning) in expected {
            assert_eq!(path(&imports, name).as_deref(), meaning, "{name}");
        }
    }

    #[test]
    fn aliases_stand_for_what_they_name() {
        let imports = Imports::of_text(
            "type Prices = HashMap<String, BTreeMap<u8, u8>>;\n\
             pub(crate) type Clock = std::time::Instant;\n\
             type Fast<K> = HashMap<K, u64, Fixed>;\n\
             type Pair = (u64, u64);\n",
        );
        assert_eq!(path(&imports, "Prices").as_deref(), Some("HashMap"));
        assert_eq!(path(&imports, "Clock").as_deref(), Some("std::time::Instant"));
        assert_eq!(path(&imports, "Fast").as_deref(), Some("own"));
        assert_eq!(path(&imports, "Pair").as_deref(), Some("own"));
    }

    #[test]
    fn statics_are_known_by_their_types() {
        let imports = Imports::of_text(
            "static COUNT: AtomicU64 = AtomicU64::new(0);\n\
             pub static SETTINGS: std::sync::LazyLock<Settings> =\n    LazyLock::new(read);\n\
             static NAMES: [&str; 2] = [\"Mutex\", \"b\"];\n\
             static mut NEXT: u64 = 0;\n\
             thread_local! {\n    static DEPTH: u64 = 0;\n}\n\
             thread_local!(static CACHE: Cell<u64> = Cell::new(0));\n",
        );
        let expected = [
            ("COUNT", Some(SharedBy::Process)),
            ("SETTINGS", Some(SharedBy::Process)),
            ("NAMES", None),
            ("NEXT", Some(SharedBy::ProcessMut)),
            ("DEPTH", Some(SharedBy::Thread)),
            ("CACHE", Some(SharedBy::Thread)),
        ];
        for (name, shared_by) in expected {
            assert_eq!(imports.shared_by(name), shared_by, "{name}");
        }
    }

    #[test]
    fn a_name_with_two_meanings_has_none() {
        let imports = Imports::of_text("use tokio::time::Instant;\nuse std::time::Instant;\n");
        assert_eq!(path(&imports, "Instant"), None);
    }
}
