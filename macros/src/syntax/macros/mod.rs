//! Splits macro calls into their expressions.
//!
//! The compiler cannot expand an unknown macro, but it must find the variables in it. A call whose arguments parse as
//! expressions is split into those and the tokens between them. For the macros in the list below, the compiler also
//! knows when each expression is evaluated and whether it is borrowed.

pub(crate) mod definition;
pub(crate) mod definitions;
pub(crate) mod expand;
mod fields;
mod format;
pub(crate) mod stringified;
mod tokens;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Lit, Macro, Pat, Token};

pub(crate) use self::fields::name_fields;
pub(crate) use self::format::{captures, rename_captures};
pub(crate) use self::tokens::{has_jump, rename_tokens, scan_leaves, scan_names};

/// The use of an expression in a macro call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Evaluated once, in order, and moved or copied.
    Value,
    /// Evaluated once, in order, and borrowed.
    Borrowed,
    /// As `Borrowed`, mutably.
    Changed,
    /// Evaluated after all others, or not at all.
    Lazy,
    /// The macro is unknown.
    Unknown,
}

/// A part of a macro call.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Tokens(TokenStream),
    Expr(Box<Expr>, Role),
}

/// The grammar of a macro's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Syntax {
    /// Expressions, some of them with `name =` before them.
    Arguments,
    /// As in the macros of `tracing`.
    Fields,
    /// One expression, then a pattern.
    Matches,
}

/// The grammar of a known macro, and the roles of its first, second and further arguments.
fn known(name: &str) -> Option<(Syntax, [Role; 3])> {
    use Role::{Borrowed, Changed, Lazy, Value};
    use Syntax::{Arguments, Fields, Matches};
    Some(match name {
        "format" | "format_args" | "panic" | "todo" | "unimplemented" | "unreachable" | "bail" => {
            (Arguments, [Borrowed; 3])
        }
        // An error value is moved.
        "anyhow" | "eyre" => (Arguments, [Value, Borrowed, Borrowed]),
        "write" | "writeln" => (Arguments, [Changed, Borrowed, Borrowed]),
        "vec" => (Arguments, [Value; 3]),
        "assert" | "debug_assert" | "ensure" => (Arguments, [Value, Lazy, Lazy]),
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => {
            (Arguments, [Borrowed, Borrowed, Lazy])
        }
        "trace" | "debug" | "info" | "warn" | "error" | "event" => (Fields, [Borrowed; 3]),
        "matches" => (Matches, [Borrowed; 3]),
        _ => return None,
    })
}

/// The macro's name without its path.
pub(crate) fn name(mac: &Macro) -> String {
    mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// Whether the evaluation order of the arguments is known.
pub(crate) fn is_known(mac: &Macro) -> bool {
    known(&name(mac)).is_some()
}

/// Whether the macro expands to a literal, whatever its arguments are.
pub(crate) fn is_literal(mac: &Macro) -> bool {
    names_literal(&name(mac))
}

/// As [`is_literal`], for a name.
pub(crate) fn names_literal(name: &str) -> bool {
    const NUMBERS: [&str; 3] = ["cfg", "column", "line"];
    NUMBERS.contains(&name) || names_static(name)
}

/// Whether the macro expands to a `'static` text or byte string.
pub(crate) fn is_static(mac: &Macro) -> bool {
    names_static(&name(mac))
}

fn names_static(name: &str) -> bool {
    const STATICS: [&str; 8] = [
        "concat",
        "env",
        "file",
        "include_bytes",
        "include_str",
        "module_path",
        "option_env",
        "stringify",
    ];
    STATICS.contains(&name)
}

/// The default message of an assertion. It contains the condition as written, which the passes change.
pub(crate) fn own_message(mac: &Macro, pieces: &[Piece]) -> Option<String> {
    let [Piece::Expr(condition, _), rest @ ..] = pieces else { return None };
    if rest.iter().any(|piece| matches!(piece, Piece::Expr(..))) {
        return None;
    }
    let is_assertion = ["assert", "debug_assert"].contains(&name(mac).as_str());
    is_assertion.then(|| format!("assertion failed: {}", written(condition)))
}

/// An expression as `stringify!` prints it.
pub(crate) fn written(expr: &Expr) -> String {
    expr.to_token_stream().to_string().replace(" ?", "?")
}

/// Splits the call, or returns `None` if its arguments do not parse as expressions.
pub(crate) fn parse(mac: &Macro) -> Option<Vec<Piece>> {
    let (syntax, roles) = known(&name(mac)).unwrap_or((Syntax::Arguments, [Role::Unknown; 3]));
    let parser = |input: ParseStream| parse_pieces(input, syntax, roles);
    parser.parse2(mac.tokens.clone()).ok()
}

/// The tokens of the pieces.
pub(crate) fn unparse(pieces: &[Piece]) -> TokenStream {
    let mut tokens = TokenStream::new();
    for piece in pieces {
        match piece {
            Piece::Tokens(piece) => tokens.extend(piece.clone()),
            Piece::Expr(expr, _) => expr.to_tokens(&mut tokens),
        }
    }
    tokens
}

/// Visits the expressions of a call in place. Returns whether its arguments parse as such.
pub(crate) fn visit_exprs_mut(mac: &mut Macro, visit: impl FnMut(&mut Expr)) -> bool {
    let Some(mut pieces) = parse(mac) else { return false };
    let exprs = pieces.iter_mut().filter_map(|piece| match piece {
        Piece::Expr(expr, _) => Some(&mut **expr),
        Piece::Tokens(_) => None,
    });
    exprs.for_each(visit);
    mac.tokens = unparse(&pieces);
    true
}

fn parse_pieces(input: ParseStream, syntax: Syntax, roles: [Role; 3]) -> syn::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut index = 0;
    while !input.is_empty() {
        if syntax == Syntax::Fields && input.peek(syn::token::Brace) {
            parse_braced(input, roles, &mut pieces)?;
            continue;
        }
        let prefix = parse_prefix(input, syntax)?;
        if !prefix.is_empty() {
            pieces.push(Piece::Tokens(prefix));
        }
        if !input.is_empty() && !input.peek(Token![,]) {
            let role = roles[index.min(2)];
            pieces.push(Piece::Expr(Box::new(input.parse()?), role));
        }
        index += 1;
        if input.peek(Token![,]) || input.peek(Token![;]) {
            let separator: TokenTree = input.parse()?;
            pieces.push(Piece::Tokens(separator.into()));
        } else if !input.is_empty() {
            return Err(input.error("expected a comma"));
        }
        if syntax == Syntax::Matches {
            pieces.push(Piece::Tokens(input.parse()?));
        }
    }
    Ok(pieces)
}

/// Fields in braces, which mean the same without the braces.
fn parse_braced(input: ParseStream, roles: [Role; 3], pieces: &mut Vec<Piece>) -> syn::Result<()> {
    let fields;
    syn::braced!(fields in input);
    let has_any = !fields.is_empty();
    pieces.extend(parse_pieces(&fields, Syntax::Fields, roles)?);
    pieces.pop_if(|last| has_any && is_separator(last));
    if let Some(comma) = input.parse::<Option<Token![,]>>()?
        && has_any
    {
        pieces.push(Piece::Tokens(comma.into_token_stream()));
    }
    Ok(())
}

/// The pattern of `matches!` and its guard, if the tokens parse as such.
pub(crate) fn matches_pattern(mac: &Macro, tokens: &TokenStream) -> Option<(Pat, Option<Expr>)> {
    let parser = |input: ParseStream| {
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = input.parse::<Option<Token![if]>>()?.map(|_| input.parse()).transpose()?;
        input.parse::<Option<Token![,]>>()?;
        Ok((pat, guard))
    };
    (name(mac) == "matches").then(|| parser.parse2(tokens.clone()).ok()).flatten()
}

/// The tokens before the expression of an argument.
fn parse_prefix(input: ParseStream, syntax: Syntax) -> syn::Result<TokenStream> {
    let mut prefix = TokenStream::new();
    if syntax == Syntax::Fields {
        // `target: "…"`
        if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
            take(input, &mut prefix, 2)?;
        }
        let mut length = 0;
        let ahead = input.fork();
        while ahead.peek(Ident) || ahead.peek(syn::LitStr) {
            ahead.parse::<TokenTree>()?;
            length += 1;
            if !ahead.peek(Token![.]) {
                break;
            }
            ahead.parse::<TokenTree>()?;
            length += 1;
        }
        if length > 0 && is_assignment(&ahead) {
            take(input, &mut prefix, length + 1)?;
        }
        if input.peek(Token![%]) || input.peek(Token![?]) {
            take(input, &mut prefix, 1)?;
        }
    } else if syntax == Syntax::Arguments && input.peek(Ident) {
        let ahead = input.fork();
        ahead.parse::<Ident>()?;
        if is_assignment(&ahead) {
            take(input, &mut prefix, 2)?;
        }
    }
    Ok(prefix)
}

fn is_assignment(input: ParseStream) -> bool {
    input.peek(Token![=]) && !input.peek(Token![==]) && !input.peek(Token![=>])
}

fn take(input: ParseStream, out: &mut TokenStream, count: usize) -> syn::Result<()> {
    for _ in 0..count {
        out.extend([input.parse::<TokenTree>()?]);
    }
    Ok(())
}

/// The index of the format string among the pieces of a known macro.
pub(crate) fn format_string(mac: &Macro, pieces: &[Piece]) -> Option<usize> {
    let (syntax, _) = known(&name(mac))?;
    let skipped = match name(mac).as_str() {
        "vec" | "matches" => return None,
        "write" | "writeln" | "assert" | "debug_assert" | "ensure" => 1,
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => 2,
        _ => 0,
    };
    let mut exprs = pieces.iter().enumerate().filter_map(|(index, piece)| match piece {
        Piece::Expr(expr, _) => Some((index, &**expr)),
        Piece::Tokens(_) => None,
    });
    let is_text = |(_, expr): &(usize, &Expr)| literal_text(expr).is_some();
    let found = match syntax {
        // The format string follows the fields, whose values have a name, `%` or `?` before them.
        Syntax::Fields => exprs.find(|found| {
            let before = found.0.checked_sub(1).map(|before| &pieces[before]);
            is_text(found) && before.is_none_or(is_separator)
        }),
        _ => exprs.nth(skipped).filter(is_text),
    };
    found.map(|(index, _)| index)
}

fn is_separator(piece: &Piece) -> bool {
    matches!(piece, Piece::Tokens(tokens) if matches!(tokens.to_string().as_str(), "," | ";"))
}

/// The named arguments after the format string: `b` in `format!("{b}", b = 1)`.
pub(crate) fn named_arguments(pieces: &[Piece], format: Option<usize>) -> Vec<String> {
    let named = pieces.iter().skip(format.unwrap_or(0)).filter_map(|piece| match piece {
        Piece::Tokens(tokens) => {
            let mut tokens = tokens.clone().into_iter();
            match (tokens.next(), tokens.next()) {
                (Some(TokenTree::Ident(name)), Some(TokenTree::Punct(punct)))
                    if punct.as_char() == '=' =>
                {
                    Some(name.to_string())
                }
                _ => None,
            }
        }
        Piece::Expr(..) => None,
    });
    named.collect()
}

/// The text of a string literal.
pub(crate) fn literal_text(expr: &Expr) -> Option<&syn::LitStr> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text),
            _ => None,
        },
        Expr::Group(group) => literal_text(&group.expr),
        _ => None,
    }
}
