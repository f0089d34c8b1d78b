//! Keeps `$value:expr`, `$body:block` and `$first:stmt` fragments of `macro_rules!` macros intact.
//!
//! ```text
//! macro_rules! doubled { ($name:ident, $value:expr) => { #[workflow] async fn $name() -> i64 { $value * 2 } } }
//! doubled!(six, 1 + 2);
//! ```
//!
//! rustc passes such a fragment in a group without delimiters, and ignores the group in the tokens that the macro
//! returns (rust-lang/rust#67062), so this would become `1 + 2 * 2`. The fragment therefore gets parentheses, also
//! in the arguments of macros, unless nothing around it could split it. A statement gets its optional `;`, and a
//! block loses its group after a keyword that takes a block, such as `async`.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use syn::Expr;
use syn::buffer::{Cursor, TokenBuffer};
use syn::parse::{Parse, ParseStream, Parser};

use crate::frontend::origins;
use crate::syntax::names::is_any_of;

/// Parses tokens, after [`kept_together`] if they contain fragments. Parsing them as they are is the common case, and
/// costs no extra pass. Returns as well whether names in the tokens come from several expansions.
pub(crate) fn read<T: Parse>(tokens: &mut TokenStream) -> syn::Result<(T, bool)> {
    let mut are_several = true;
    let unless_split = |input: ParseStream| {
        if has_fragments(input.cursor()) {
            input.parse::<TokenStream>()?;
            return Ok(None);
        }
        are_several = origins::are_several(input.cursor());
        input.parse().map(Some)
    };
    if let Some(read) = unless_split.parse2(tokens.clone())? {
        return Ok((read, are_several));
    }
    *tokens = kept_together(std::mem::take(tokens));
    Ok((syn::parse2(tokens.clone())?, true))
}

/// The tokens with parentheses around fragments that are expressions, and a `;` after fragments that are statements.
pub(crate) fn kept_together(tokens: TokenStream) -> TokenStream {
    kept_in(tokens, true)
}

/// As [`kept_together`], for code (`is_code`) or for the input of a macro, whose parts need not be statements.
fn kept_in(tokens: TokenStream, is_code: bool) -> TokenStream {
    if !has_fragments(TokenBuffer::new2(tokens.clone()).begin()) {
        return tokens;
    }
    let mut out = TokenStream::new();
    let mut is_attribute = false;
    let mut before = Before::Start;
    let mut rest = tokens.into_iter().peekable();
    while let Some(tree) = rest.next() {
        let place = std::mem::replace(&mut before, Before::of(&tree));
        let TokenTree::Group(group) = tree else {
            is_attribute = match &tree {
                TokenTree::Punct(at) if at.as_char() == '!' => is_attribute,
                TokenTree::Punct(at) => at.as_char() == '#',
                _ => false,
            };
            out.extend([tree]);
            continue;
        };
        let inner = match std::mem::take(&mut is_attribute) {
            true => group.stream(),
            false => kept_in(group.stream(), place != Before::Bang),
        };
        let mut delimiter = group.delimiter();
        let may_be_statement = is_code && delimiter == Delimiter::None && place == Before::Start;
        if may_be_statement && is_let(&inner) {
            out.extend(inner);
            if !is_semicolon(rest.peek()) {
                out.extend([semicolon(group.span_close())]);
            }
            before = Before::Start;
            continue;
        }
        if may_be_statement && is_empty(&inner) {
            before = Before::Start;
            continue;
        }
        if delimiter == Delimiter::None
            && let Ok(expr) = syn::parse2::<Expr>(inner.clone())
        {
            if may_be_statement && is_statement(&expr, rest.peek()) {
                out.extend(inner);
                out.extend([semicolon(group.span_close())]);
                before = Before::Start;
                continue;
            }
            let is_block = matches!(&expr, Expr::Block(block) if block.label.is_none());
            if is_block && place == Before::OfBlock {
                out.extend(inner);
                continue;
            }
            if may_be_split(&expr, rest.peek()) {
                delimiter = Delimiter::Parenthesis;
            } else if is_one(&expr) {
                // The passes parse the group's content as rustc will.
                out.extend(inner);
                continue;
            }
        }
        let mut kept = Group::new(delimiter, inner);
        kept.set_span(group.span());
        out.extend([TokenTree::Group(kept)]);
    }
    out
}

/// The token before a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// The start of a statement.
    Start,
    /// A keyword that takes a block.
    OfBlock,
    /// The `!` of a macro call.
    Bang,
    Other,
}

impl Before {
    /// The role of a token for the next one.
    fn of(tree: &TokenTree) -> Self {
        const OF_BLOCKS: [&str; 7] = ["async", "const", "else", "loop", "move", "try", "unsafe"];
        match tree {
            TokenTree::Punct(semicolon) if semicolon.as_char() == ';' => Self::Start,
            TokenTree::Punct(bang) if bang.as_char() == '!' => Self::Bang,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Self::Start,
            TokenTree::Ident(word) if is_any_of(word, &OF_BLOCKS) => Self::OfBlock,
            _ => Self::Other,
        }
    }
}

/// Whether the tokens are a `let`, with or without `;`.
fn is_let(tokens: &TokenStream) -> bool {
    let mut first = tokens.clone().into_iter();
    matches!(first.next(), Some(TokenTree::Ident(word)) if word == "let")
}

/// Whether the tokens are `;`, an empty statement.
fn is_empty(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    is_semicolon(tokens.next().as_ref()) && tokens.next().is_none()
}

/// Whether an expression at a possible start of a statement is a statement: the next token starts another one, and
/// cannot continue a pattern, a type or a condition.
fn is_statement(expr: &Expr, next: Option<&TokenTree>) -> bool {
    const GO_ON: [&str; 6] = ["as", "else", "for", "if", "in", "where"];
    if matches!(expr, Expr::Let(_) | Expr::Lit(_) | Expr::Path(_) | Expr::Verbatim(_)) {
        return false;
    }
    match next {
        Some(TokenTree::Ident(word)) => !is_any_of(word, &GO_ON),
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::None,
        _ => false,
    }
}

fn is_semicolon(tree: Option<&TokenTree>) -> bool {
    matches!(tree, Some(TokenTree::Punct(semicolon)) if semicolon.as_char() == ';')
}

fn semicolon(span: Span) -> TokenTree {
    let mut semicolon = Punct::new(';', Spacing::Alone);
    semicolon.set_span(span);
    semicolon.into()
}

fn has_fragments(tokens: Cursor<'_>) -> bool {
    origins::any(tokens, &mut |tokens| {
        tokens.any_group().is_some_and(|(_, delimiter, ..)| delimiter == Delimiter::None)
    })
}

/// Whether the tokens around an expression could split it. Types, statements and other fragments that are no
/// expressions stay as they are.
fn may_be_split(expr: &Expr, next: Option<&TokenTree>) -> bool {
    match expr {
        // In parentheses, a called field is not a method.
        Expr::Field(_) => is_call(next),
        // The fragment may be a reference type.
        Expr::Reference(expr) => is_taken_apart_by(next) || may_be_split(&expr.expr, next),
        Expr::Group(_) | Expr::Let(_) | Expr::Verbatim(_) => false,
        // The fragment may be a statement, or the body of a function.
        Expr::Async(_)
        | Expr::Block(_)
        | Expr::Const(_)
        | Expr::ForLoop(_)
        | Expr::If(_)
        | Expr::Loop(_)
        | Expr::Match(_)
        | Expr::TryBlock(_)
        | Expr::Unsafe(_)
        | Expr::While(_) => {
            matches!(next, Some(TokenTree::Punct(at)) if !";,=#".contains(at.as_char()))
        }
        expr => !is_one(expr),
    }
}

/// Whether an expression binds as tightly as a name.
fn is_one(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Array(_)
            | Expr::Await(_)
            | Expr::Call(_)
            | Expr::Field(_)
            | Expr::Index(_)
            | Expr::Infer(_)
            | Expr::Lit(_)
            | Expr::Macro(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Path(_)
            | Expr::Reference(_)
            | Expr::Repeat(_)
            | Expr::Try(_)
            | Expr::Tuple(_)
    )
}

/// Whether the next token would apply to the borrowed place instead of the borrow.
fn is_taken_apart_by(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '.' | '?'),
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Bracket || is_call(next),
        _ => false,
    }
}

fn is_call(next: Option<&TokenTree>) -> bool {
    matches!(next, Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn fragment(tokens: TokenStream) -> Group {
        Group::new(Delimiter::None, tokens)
    }

    #[test]
    fn a_statement_gets_a_semicolon_and_a_block_stays_one() {
        let (first, call) = (fragment(quote!(let a = 1)), fragment(quote!(note(a))));
        let (block, empty) = (fragment(quote!({ 1 })), fragment(quote!(;)));
        let tokens = quote! {
            async fn f(#call: #call) -> i64 {
                #first #empty #call #call #first; #call; row! { #call #call }
                async #block.await + async move #block.await + if a { 1 } else #block
            }
        };
        let kept = kept_together(tokens).to_string();
        let expected = quote! {
            async fn f(note(a): note(a)) -> i64 {
                let a = 1; note(a); note(a); let a = 1; note(a); row! { note(a) note(a) }
                async { 1 }.await + async move { 1 }.await + if a { 1 } else { 1 }
            }
        };
        let flat = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(flat(&kept), flat(&expected.to_string()));
    }

    #[test]
    fn an_expression_gets_parentheses_and_nothing_else_does() {
        let (sum, name) = (fragment(quote!(1 + 2)), fragment(quote!(name)));
        let (ty, meta) = (fragment(quote!(Vec<i64>)), fragment(quote!(doc = "x")));
        let (block, branches) = (fragment(quote!({ 1 })), fragment(quote!(if a { 1 } else { 2 })));
        let nested = fragment(quote!(#sum * 2));
        let (borrow, given) = (fragment(quote!(&name)), fragment(quote!(&|x| x)));
        let field = fragment(quote!(a.b));
        let tokens = quote! {
            #[#meta]
            fn f(x: #ty, y: #borrow) -> i64 #block
            h(#borrow, #borrow.len(), #borrow == 1, #given, #field.c, #field(1));
            g(#sum * 2, #name, -#nested, #branches * 2); #branches
        };
        let kept = kept_together(tokens).to_string();
        let expected = quote! {
            #[doc = "x"]
            fn f(x: Vec<i64>, y: &name) -> i64 { 1 }
            h(&name, (&name).len(), &name == 1, (&|x| x), a.b.c, (a.b)(1));
            g((1 + 2) * 2, name, -((1 + 2) * 2), (if a { 1 } else { 2 }) * 2);
            if a { 1 } else { 2 }
        };
        let flat = |text: &str| text.replace(char::is_whitespace, "");
        assert_eq!(flat(&kept), flat(&expected.to_string()));
    }
}
