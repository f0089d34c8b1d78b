//! Uses for imports that a refused function would have used.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::syntax::source::file_of;
use crate::syntax::source::imports::{Imports, without_visibility};

/// Uses the imports of the file around a refused function. Without it, rustc would report them as unused, because the
/// function's body is left out.
pub(crate) fn use_imports_around(span: Span) -> TokenStream {
    let Some(file) = file_of(span) else { return TokenStream::new() };
    let names = at_the_top(&file.text, span.unwrap().start().line());
    let names = names.iter().filter_map(|name| syn::parse_str::<Ident>(name).ok());
    quote! {
        const _: () = {
            #(#[allow(unused_imports)] use #names as _;)*
        };
    }
}

/// The names that the imports at the top of a file bring in above the item at `line`. Empty if the item is in a module
/// or in a macro's input.
fn at_the_top(text: &str, line: usize) -> Vec<String> {
    let is_outermost = |line: &&str| line.starts_with(|c: char| c.is_alphabetic());
    let around = text.lines().take(line).filter(is_outermost).last().unwrap_or_default();
    let around = without_visibility(around);
    if !["async fn ", "fn ", "impl"].iter().any(|start| around.starts_with(start)) {
        return Vec::new();
    }
    let mut imports = Imports::default();
    let mut lines = text.lines().take(line);
    let mut is_conditional = false;
    while let Some(line) = lines.next() {
        if !is_conditional && without_visibility(line).starts_with("use ") {
            imports.add_use(without_visibility(line), &mut lines);
        }
        is_conditional = line.starts_with('#');
    }
    imports.into_names()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_at_the_top_are_seen_by_items_that_are_not_in_modules() {
        let text = "use a::{b, c as d};\n#[cfg(test)]\nuse e::f;\nmod m {\n    use g::h;\n    \
                    async fn x() {}\n}\nimpl X {\n    async fn y() {}\n}\nm! {\n    fn z() {}\n}\n";
        let at = |line| at_the_top(text, line).join(" ");
        assert_eq!(at(6), "");
        assert_eq!(at(9), "b d");
        assert_eq!(at_the_top("use a::b;\nasync fn x() {\nuse c::d;\n}\n", 2), ["b"]);
        assert_eq!(at(12), "");
    }
}
