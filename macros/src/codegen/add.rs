//! Adds tokens to a stream one by one.
//!
//! Copying a stream made by `quote!` into another takes four calls of rustc. Tokens that are printed often are
//! therefore added directly to their destination.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream};
use quote::{ToTokens, TokenStreamExt};

/// As `quote_spanned!`, but adds the tokens to the stream `$out`. Only variables can be interpolated with `#`, and
/// there are no repetitions, literals and lifetimes.
macro_rules! add_at {
    // The end.
    ($out:ident, $span:ident,) => {{ _ = &$out; }};
    ($out:ident, $span:ident, # $piece:ident $($rest:tt)*) => {{
        ::quote::ToTokens::to_tokens(&$piece, $out);
        $crate::codegen::add::add_at!($out, $span, $($rest)*);
    }};
    ($out:ident, $span:ident, ($($inner:tt)*) $($rest:tt)*) => {{
        $crate::codegen::add::parentheses($out, $span, |out| {
            $crate::codegen::add::add_at!(out, $span, $($inner)*);
        });
        $crate::codegen::add::add_at!($out, $span, $($rest)*);
    }};
    ($out:ident, $span:ident, [$($inner:tt)*] $($rest:tt)*) => {{
        $crate::codegen::add::brackets($out, $span, |out| {
            $crate::codegen::add::add_at!(out, $span, $($inner)*);
        });
        $crate::codegen::add::add_at!($out, $span, $($rest)*);
    }};
    ($out:ident, $span:ident, { $($inner:tt)* } $($rest:tt)*) => {{
        $crate::codegen::add::braces($out, $span, |out| {
            $crate::codegen::add::add_at!(out, $span, $($inner)*);
        });
        $crate::codegen::add::add_at!($out, $span, $($rest)*);
    }};
    ($out:ident, $span:ident, $token:tt $($rest:tt)*) => {{
        $crate::codegen::add::token($out, $span, stringify!($token));
        $crate::codegen::add::add_at!($out, $span, $($rest)*);
    }};
}

/// As [`add_at`], like `quote!`.
macro_rules! add {
    ($out:ident, $($tokens:tt)*) => {{
        let span = ::proc_macro2::Span::call_site();
        $crate::codegen::add::add_at!($out, span, $($tokens)*);
    }};
}

pub(super) use {add, add_at};

/// A function that adds tokens, for interpolation with `#`.
pub(super) struct Piece<F>(pub(super) F);

impl<F: Fn(&mut TokenStream)> ToTokens for Piece<F> {
    fn to_tokens(&self, out: &mut TokenStream) {
        (self.0)(out);
    }
}

/// Adds a stream, which is usually empty.
pub(super) fn made(out: &mut TokenStream, tokens: TokenStream) {
    // Adding an empty stream takes as many calls of rustc.
    if !tokens.is_empty() {
        out.extend([tokens]);
    }
}

pub(super) fn parentheses(out: &mut TokenStream, span: Span, fill: impl FnOnce(&mut TokenStream)) {
    group(out, Delimiter::Parenthesis, span, fill);
}

pub(super) fn brackets(out: &mut TokenStream, span: Span, fill: impl FnOnce(&mut TokenStream)) {
    group(out, Delimiter::Bracket, span, fill);
}

pub(super) fn braces(out: &mut TokenStream, span: Span, fill: impl FnOnce(&mut TokenStream)) {
    group(out, Delimiter::Brace, span, fill);
}

fn group(
    out: &mut TokenStream,
    delimiter: Delimiter,
    span: Span,
    fill: impl FnOnce(&mut TokenStream),
) {
    let mut inner = TokenStream::new();
    fill(&mut inner);
    let mut group = Group::new(delimiter, inner);
    group.set_span(span);
    out.append(group);
}

/// Adds a word or punctuation.
pub(super) fn token(out: &mut TokenStream, span: Span, text: &str) {
    let bytes = text.as_bytes();
    if bytes[0].is_ascii_alphabetic() || bytes[0] == b'_' {
        return out.append(Ident::new(text, span));
    }
    let mut punct = |byte: u8, spacing| {
        let mut punct = Punct::new(char::from(byte), spacing);
        punct.set_span(span);
        out.append(punct);
    };
    let last = bytes.len() - 1;
    if last > 0 {
        bytes[..last].iter().for_each(|byte| punct(*byte, Spacing::Joint));
    }
    punct(bytes[last], Spacing::Alone);
}
