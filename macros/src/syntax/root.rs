//! The name of the crate `piton` where a macro is used.
//!
//! The macros emit `::piton`. If `Cargo.toml` renames the dependency, that name is substituted, and likewise the
//! path given by `crate = "…"`.
//!
//! rustc receives the names of all crates as arguments, and the macro runs within rustc. So the macro need not read the
//! manifest or the workspace.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::LitStr;
use syn::parse::ParseStream;

use crate::syntax::names::is_plain;

/// The name of the crate and of its library.
const NAME: &str = "piton";

/// The path of the crate in generated code, if it is not `::piton`.
pub(crate) struct Root(Option<TokenStream>);

impl Root {
    /// The path in `crate = "…"`, or the dependency's name.
    pub(crate) fn of(arguments: &TokenStream) -> Self {
        let given = given(arguments).and_then(|path| path.parse::<syn::Path>().ok());
        let renamed = || {
            let name = Ident::new(renamed()?, Span::call_site());
            Some(quote!(::#name))
        };
        Self(given.map(ToTokens::into_token_stream).or_else(renamed))
    }

    /// The tokens with `::piton` replaced by the path.
    pub(crate) fn applied(&self, tokens: TokenStream) -> TokenStream {
        match &self.0 {
            Some(root) => replaced(tokens, root),
            None => tokens,
        }
    }
}

/// Whether a path's first name is the crate's.
pub(crate) fn is_piton(name: &str) -> bool {
    name == NAME || renamed().is_some_and(|renamed| name == renamed)
}

/// Parses `= "…"`, a path.
pub(crate) fn parse_crate(input: ParseStream) -> syn::Result<()> {
    input.parse::<syn::Token![=]>()?;
    let path: LitStr = input.parse()?;
    path.parse::<syn::Path>().map_err(|_| {
        let message = "`crate` must be the path of the `piton` crate";
        syn::Error::new(path.span(), message)
    })?;
    Ok(())
}

/// The path in `crate = "…"`, at any depth of the arguments.
fn given(arguments: &TokenStream) -> Option<LitStr> {
    let mut tokens = arguments.clone().into_iter().peekable();
    while let Some(tree) = tokens.next() {
        match tree {
            TokenTree::Ident(key) if key == "crate" => {
                let is_given = |tree: &TokenTree| matches!(tree, TokenTree::Punct(sign) if sign.as_char() == '=');
                if tokens.next_if(is_given).is_some() {
                    return syn::parse2(tokens.next()?.into()).ok();
                }
            }
            TokenTree::Group(group) => {
                if let Some(path) = given(&group.stream()) {
                    return Some(path);
                }
            }
            _ => {}
        }
    }
    None
}

/// The dependency's name, if it is not `piton`.
fn renamed() -> Option<&'static str> {
    static RENAMED: OnceLock<Option<String>> = OnceLock::new();
    RENAMED.get_or_init(|| renamed_in(std::env::args())).as_deref()
}

/// As [`renamed`], from rustc's arguments. One of them is `--extern name=…/libpiton-0123.rlib`.
fn renamed_in(arguments: impl Iterator<Item = String>) -> Option<String> {
    // Long argument lists are passed in a file.
    let arguments = arguments.flat_map(|argument| {
        let file = argument.strip_prefix('@').and_then(|file| std::fs::read_to_string(file).ok());
        file.map_or(vec![argument], |file| file.lines().map(ToOwned::to_owned).collect())
    });
    let mut name = None;
    let mut is_next = false;
    for argument in arguments {
        let given = argument.strip_prefix("--extern=");
        let given = given.or_else(|| is_next.then_some(&*argument));
        is_next = given.is_none() && argument == "--extern";
        let Some((known, file)) = given.and_then(|given| given.split_once('=')) else { continue };
        // Options may precede the name: `priv,noprelude:name`.
        let known = known.rsplit(':').next().unwrap_or(known);
        if is_library(file) {
            if known == NAME {
                return None;
            }
            name.get_or_insert_with(|| known.to_owned());
        }
    }
    name
}

/// Whether a file name is that of the library.
fn is_library(file: &str) -> bool {
    let stem = Path::new(file).file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let stem = stem.strip_prefix("lib").unwrap_or(stem);
    stem.split('-').next() == Some(NAME)
}

/// The tokens with `::piton` replaced by `root`.
fn replaced(tokens: TokenStream, root: &TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    let mut rest = &trees[..];
    let mut is_in_path = false;
    while let Some((first, behind)) = rest.split_first() {
        match rest {
            [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(name), ..]
                if !is_in_path && a.as_char() == ':' && b.as_char() == ':' && name == NAME =>
            {
                out.extend(root.clone().into_iter().map(|mut tree| {
                    tree.set_span(name.span());
                    tree
                }));
                rest = &rest[3..];
                is_in_path = true;
                continue;
            }
            _ => {}
        }
        is_in_path = matches!(first, TokenTree::Ident(name) if is_plain(&name.to_string()));
        out.extend([match first {
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), replaced(group.stream(), root));
                new.set_span(group.span());
                new.into()
            }
            other => other.clone(),
        }]);
        rest = behind;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(arguments: &[&str]) -> Option<String> {
        renamed_in(arguments.iter().map(|argument| (*argument).to_owned()))
    }

    #[test]
    fn the_name_is_the_one_that_rustc_is_told() {
        assert_eq!(name(&["rustc", "--extern", "piton=/deps/libpiton-01ab.rmeta"]), None);
        assert_eq!(name(&["rustc", "--extern", "p=/deps/libpiton-01ab.rmeta"]), Some("p".into()));
        assert_eq!(name(&["rustc", "--extern=priv:p=deps/libpiton.rlib"]), Some("p".into()));
        let both = ["--extern", "p=libpiton-2.rlib", "--extern", "piton=libpiton-1.rlib"];
        assert_eq!(name(&both), None);
        assert_eq!(name(&["--extern", "q=libpiton_macros-1.so", "--extern", "piton"]), None);
        assert_eq!(name(&["--cfg", "p=libpiton-1.rlib"]), None);
    }

    #[test]
    fn a_path_of_the_crate_gets_the_other_name() {
        let tokens = quote! {
            use ::piton::__private as __piton;
            impl ::piton::Signal for A {}
            fn f(x: u8) -> ::piton::Result<()> { my::piton::g(); #[::piton::workflow] h!(::piton::x) }
        };
        let root = Root::of(&quote!(name = "a", crate = "crate::parts::piton"));
        let expected = quote! {
            use crate::parts::piton::__private as __piton;
            impl crate::parts::piton::Signal for A {}
            fn f(x: u8) -> crate::parts::piton::Result<()> {
                my::piton::g(); #[crate::parts::piton::workflow] h!(crate::parts::piton::x)
            }
        };
        assert_eq!(root.applied(tokens).to_string(), expected.to_string());
    }
}
