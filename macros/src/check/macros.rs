//! Checks inside macro calls.
//!
//! The macro decides the meaning of its tokens. The arguments of well-known macros are checked like other code; in
//! other macros, only names and `.await` are.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Pat, PatGuard, Token};

use crate::syntax::macros::expand;
use crate::syntax::macros::names_literal;
use crate::syntax::select::Select;
use crate::syntax::suspend;

/// The code in the tokens of a macro call.
#[derive(Debug, Default)]
pub(super) struct MacroCode {
    /// Patterns that bind names.
    pub(super) patterns: Vec<Pat>,
    /// Expressions that run as a part of the surrounding body.
    pub(super) expressions: Vec<Expr>,
    /// Operations that the macro awaits; an `async` block among them is compiled.
    pub(super) operations: Vec<Expr>,
}

/// The grammar of a macro's tokens.
#[derive(Clone, Copy, Debug)]
enum Grammar {
    /// Expressions separated by commas, some of them `name = expression`.
    Expressions,
    /// As `Expressions`, or `value; count`.
    Vec,
    /// `value, pattern if guard`
    Matches,
    /// Fields of `tracing`, where `?value` and `%value` name a variable.
    Fields,
    /// `pattern = operation => expression`
    Select,
    /// Operations separated by commas.
    Join,
}

fn grammar(name: &str) -> Option<Grammar> {
    Some(match name {
        "anyhow" | "assert" | "assert_eq" | "assert_ne" | "bail" | "dbg" | "debug_assert"
        | "debug_assert_eq" | "debug_assert_ne" | "ensure" | "eprint" | "eprintln" | "format"
        | "format_args" | "panic" | "print" | "println" | "todo" | "unimplemented"
        | "unreachable" | "write" | "writeln" => Grammar::Expressions,
        "vec" => Grammar::Vec,
        "matches" => Grammar::Matches,
        "trace" | "debug" | "info" | "warn" | "error" | "event" => Grammar::Fields,
        "select" | suspend::MACRO => Grammar::Select,
        "join" | "try_join" => Grammar::Join,
        _ => return None,
    })
}

/// Whether a macro of this name is taken to be the known one.
pub(super) fn is_known(name: &Ident) -> bool {
    let name = name.to_string();
    grammar(&name).is_some() || names_literal(&name)
}

/// Whether the compiler replaces the macro by code.
pub(super) fn is_replaced(mac: &Macro) -> bool {
    suspend::awaiting(mac).is_some() || expand::returns(mac)
}

/// Parses the code in a call of a known macro. `None` if the macro is unknown or its tokens do not match its grammar.
pub(super) fn code(mac: &Macro) -> Option<MacroCode> {
    let name = mac.path.segments.last()?.ident.to_string();
    let grammar = grammar(&name)?;
    let parser = |input: ParseStream| {
        let mut code = MacroCode::default();
        parse(grammar, input, &mut code)?;
        Ok(code)
    };
    parser.parse2(mac.tokens.clone()).ok()
}

fn parse(grammar: Grammar, input: ParseStream, code: &mut MacroCode) -> syn::Result<()> {
    type List = Punctuated<Expr, Token![,]>;
    match grammar {
        Grammar::Expressions => {
            let list = List::parse_terminated(input)?;
            code.expressions.extend(list.into_iter().map(|expr| match expr {
                // A named argument.
                Expr::Assign(named) if matches!(*named.left, Expr::Path(_)) => *named.right,
                expr => expr,
            }));
        }
        Grammar::Join => code.operations.extend(List::parse_terminated(input)?),
        Grammar::Vec => {
            while !input.is_empty() {
                code.expressions.push(input.parse()?);
                if input.peek(Token![;]) {
                    input.parse::<Token![;]>()?;
                } else if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
        }
        Grammar::Matches => {
            code.expressions.push(input.parse()?);
            input.parse::<Token![,]>()?;
            let pat = Pat::parse_multi_with_leading_vert(input)?;
            code.patterns.push(match input.parse::<Option<Token![if]>>()? {
                Some(if_token) => Pat::Guard(PatGuard {
                    attrs: Vec::new(),
                    pat: Box::new(pat),
                    if_token,
                    guard: Box::new(input.parse()?),
                }),
                None => pat,
            });
            input.parse::<Option<Token![,]>>()?;
        }
        Grammar::Fields => {
            while !input.is_empty() {
                if input.peek(syn::token::Brace) {
                    let fields;
                    syn::braced!(fields in input);
                    parse(grammar, &fields, code)?;
                    input.parse::<Option<Token![,]>>()?;
                    continue;
                }
                parse_field(input, code)?;
                if !input.is_empty() {
                    input.parse::<Token![,]>()?;
                }
            }
        }
        Grammar::Select => {
            for arm in input.parse::<Select>()?.arms {
                if !arm.is_else {
                    code.patterns.push(arm.pat);
                    code.operations.push(arm.future);
                }
                code.expressions.extend(arm.cond);
                code.expressions.push(arm.handler);
            }
        }
    }
    Ok(())
}

/// Reads `name: value`, `a.b = value`, `?value`, `%value`, `value` or `{ fields }`.
fn parse_field(input: ParseStream, code: &mut MacroCode) -> syn::Result<()> {
    let parse_value = |input: ParseStream, code: &mut MacroCode| {
        if input.peek(Token![?]) {
            input.parse::<Token![?]>()?;
        } else if input.peek(Token![%]) {
            input.parse::<Token![%]>()?;
        }
        code.expressions.push(input.parse()?);
        Ok(())
    };
    let is_setting = input.peek(syn::Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]);
    if is_setting {
        input.parse::<Ident>()?;
        input.parse::<Token![:]>()?;
        return parse_value(input, code);
    }
    let fork = input.fork();
    if Punctuated::<syn::Ident, Token![.]>::parse_separated_nonempty(&fork).is_ok()
        && fork.peek(Token![=])
        && !fork.peek(Token![==])
    {
        Punctuated::<syn::Ident, Token![.]>::parse_separated_nonempty(input)?;
        input.parse::<Token![=]>()?;
    }
    parse_value(input, code)
}

/// The names in tokens that are not parsed.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Every path, as its segments.
    pub(super) paths: Vec<Vec<Ident>>,
    /// Every path followed by `!`.
    pub(super) macros: Vec<Vec<Ident>>,
    /// Every method called without arguments.
    pub(super) methods: Vec<Ident>,
    /// Every `unsafe`.
    pub(super) unsafes: Vec<Ident>,
    /// The first `await` after a dot.
    pub(super) first_await: Option<Ident>,
}

/// Collects the names in `tokens`.
pub(super) fn scan(tokens: TokenStream, names: &mut Names) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_punct = |index: usize, c: char| matches!(trees.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == c);
    let mut index = 0;
    while let Some(tree) = trees.get(index) {
        let is_member = index > 0 && is_punct(index - 1, '.');
        index += 1;
        match tree {
            TokenTree::Group(group) => scan(group.stream(), names),
            TokenTree::Ident(ident) if is_member => {
                if ident == "await" {
                    names.first_await.get_or_insert_with(|| ident.clone());
                } else if let Some(TokenTree::Group(arguments)) = trees.get(index)
                    && arguments.stream().is_empty()
                {
                    names.methods.push(ident.clone());
                }
            }
            TokenTree::Ident(ident) if ident == "unsafe" => names.unsafes.push(ident.clone()),
            TokenTree::Ident(ident) => {
                let mut path = vec![ident.clone()];
                while is_punct(index, ':')
                    && is_punct(index + 1, ':')
                    && let Some(TokenTree::Ident(segment)) = trees.get(index + 2)
                {
                    path.push(segment.clone());
                    index += 3;
                }
                if is_punct(index, '!') && !is_punct(index + 1, '=') {
                    names.macros.push(path);
                } else {
                    names.paths.push(path);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::parse_quote;

    use super::*;

    fn counts(mac: &Macro) -> Option<(usize, usize)> {
        code(mac).map(|code| (code.expressions.len(), code.operations.len()))
    }

    #[test]
    fn known_macros_are_read() {
        assert_eq!(counts(&parse_quote!(format!("{} {x}", a, x = b))), Some((3, 0)));
        assert_eq!(counts(&parse_quote!(vec![a; b])), Some((2, 0)));
        assert_eq!(counts(&parse_quote!(vec![a, b,])), Some((2, 0)));
        // The guard belongs to the pattern.
        assert_eq!(counts(&parse_quote!(matches!(a, Some(1) | None if b))), Some((1, 0)));
        let fields: Macro = parse_quote!(tracing::info!(target: "x", a.b = ?c, %d, e = 1, "{}", f));
        assert_eq!(counts(&fields), Some((6, 0)));
        assert_eq!(counts(&parse_quote!(join!(a(), async { b().await }))), Some((0, 2)));
        let select: Macro = parse_quote!(select! { x = a() => x, _ = b() => { c } _ = d() => e });
        assert_eq!(counts(&select), Some((3, 3)));
        assert_eq!(counts(&parse_quote!(unknown!(a))), None);
        assert_eq!(counts(&parse_quote!(format!("{}" a => b))), None);
    }

    #[test]
    fn names_are_found_in_any_tokens() {
        let mut names = Names::default();
        scan(quote!(a::b::c(x.now()) => { println!("{}", y.await != z) }), &mut names);
        let text =
            |path: &[Ident]| path.iter().map(ToString::to_string).collect::<Vec<_>>().join("::");
        let paths: Vec<String> = names.paths.iter().map(|path| text(path)).collect();
        assert_eq!(paths, ["a::b::c", "x", "y", "z"]);
        assert_eq!(names.macros.len(), 1);
        assert_eq!(names.methods.len(), 1);
        assert!(names.first_await.is_some());
    }
}
