//! Alternatives of or-patterns, and whether a value can match two of them.

use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Member, Pat, Path, Token};

use super::calls::names_constant;
use super::patterns::is_binding;

/// Whether alternatives in the pattern may match the same value.
pub(crate) fn may_match_twice(pat: &Pat) -> bool {
    match pat {
        Pat::Or(or) => !all_exclude(&or.cases) || or.cases.iter().any(may_match_twice),
        Pat::Paren(pat) => may_match_twice(&pat.pat),
        Pat::Reference(pat) => may_match_twice(&pat.pat),
        Pat::Ident(pat) => pat.subpat.as_ref().is_some_and(|(_, inner)| may_match_twice(inner)),
        Pat::Tuple(pat) => pat.elems.iter().any(may_match_twice),
        Pat::TupleStruct(pat) => pat.elems.iter().any(may_match_twice),
        Pat::Slice(pat) => pat.elems.iter().any(may_match_twice),
        Pat::Struct(pat) => pat.fields.iter().any(|field| may_match_twice(&field.pat)),
        _ => false,
    }
}

/// Whether no value matches two of the alternatives.
pub(crate) fn all_exclude(cases: &Punctuated<Pat, Token![|]>) -> bool {
    let mut pairs = cases
        .iter()
        .enumerate()
        .flat_map(|(index, one)| cases.iter().skip(index + 1).map(move |other| (one, other)));
    pairs.all(|(one, other)| exclude(one, other))
}

/// Whether no value matches both patterns, as far as their source shows.
pub(crate) fn exclude(one: &Pat, other: &Pat) -> bool {
    match (without_parens(one), without_parens(other)) {
        (Pat::Or(or), other) | (other, Pat::Or(or)) => {
            or.cases.iter().all(|case| exclude(case, other))
        }
        (Pat::Ident(pat), other) | (other, Pat::Ident(pat)) if is_binding(pat) => {
            pat.subpat.as_ref().is_some_and(|(_, inner)| exclude(inner, other))
        }
        (Pat::Reference(one), Pat::Reference(other)) => exclude(&one.pat, &other.pat),
        (Pat::Tuple(one), Pat::Tuple(other)) => parts_exclude(&one.elems, &other.elems),
        (Pat::Slice(one), Pat::Slice(other)) => {
            let is_exact = |parts: &Punctuated<Pat, Token![,]>| !parts.iter().any(is_rest);
            let least = |parts: &Punctuated<Pat, Token![,]>| {
                parts.iter().filter(|part| !is_rest(part)).count()
            };
            let (one, other) = (&one.elems, &other.elems);
            is_exact(one) && least(one) < least(other)
                || is_exact(other) && least(other) < least(one)
                || parts_exclude(one, other)
        }
        (Pat::TupleStruct(one), Pat::TupleStruct(other)) if is_same(&one.path, &other.path) => {
            parts_exclude(&one.elems, &other.elems)
        }
        (Pat::Struct(one), Pat::Struct(other)) if is_same(&one.path, &other.path) => {
            one.fields.iter().any(|field| {
                let same =
                    other.fields.iter().find(|other| is_same_member(&field.member, &other.member));
                same.is_some_and(|other| exclude(&field.pat, &other.pat))
            })
        }
        (one, other) => match (range_of(one), range_of(other)) {
            (Some(one), Some(other)) => one.1 < other.0 || other.1 < one.0,
            _ if may_be_constant(one) || may_be_constant(other) => false,
            _ => match (name_of(one), name_of(other)) {
                // By another path it may be the same variant.
                (Some((one, of_one)), Some((other, of_other))) => {
                    one != other && of_one == of_other
                }
                _ => false,
            },
        },
    }
}

/// Whether parts in the same place exclude each other.
pub(crate) fn parts_exclude(
    one: &Punctuated<Pat, Token![,]>,
    other: &Punctuated<Pat, Token![,]>,
) -> bool {
    let known = |part: &&Pat| !is_rest(part);
    let from_start = one.iter().take_while(known).zip(other.iter().take_while(known));
    let from_end = one.iter().rev().take_while(known).zip(other.iter().rev().take_while(known));
    from_start.chain(from_end).any(|(one, other)| exclude(one, other))
}

/// Whether the pattern stands for parts that are left out.
pub(crate) fn is_rest(pat: &Pat) -> bool {
    match pat {
        Pat::Rest(_) => true,
        Pat::Ident(pat) => pat.subpat.as_ref().is_some_and(|(_, inner)| is_rest(inner)),
        _ => false,
    }
}

pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    one.segments.last().map(|last| &last.ident) == other.segments.last().map(|last| &last.ident)
}

pub(crate) fn is_same_member(one: &Member, other: &Member) -> bool {
    match (one, other) {
        (Member::Named(one), Member::Named(other)) => one == other,
        (Member::Unnamed(one), Member::Unnamed(other)) => one.index == other.index,
        _ => false,
    }
}

/// Whether the pattern is a constant, as far as its spelling shows, of which another may have the value.
pub(crate) fn may_be_constant(pat: &Pat) -> bool {
    match pat {
        // Constants of the file are paths, and variants that are imported are names.
        Pat::Path(pat) => pat.path.get_ident().is_some() || is_in_capitals(&pat.path),
        Pat::Ident(pat) => is_in_capitals(&pat.ident.clone().into()),
        _ => false,
    }
}

/// Whether a path ends in a word in capitals.
pub(crate) fn is_in_capitals(path: &Path) -> bool {
    let is_word = path.segments.last().is_some_and(|last| last.ident.to_string().len() > 1);
    is_word && names_constant(path)
}

/// What tells the pattern from others of its type, a variant or a text, and of what it is.
pub(crate) fn name_of(pat: &Pat) -> Option<(String, Vec<String>)> {
    let named = |path: &Path| {
        let mut names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        names.pop().map(|last| (last, names))
    };
    match pat {
        Pat::Ident(pat) => Some((pat.ident.to_string(), Vec::new())),
        Pat::Path(pat) => named(&pat.path),
        Pat::TupleStruct(pat) => named(&pat.path),
        Pat::Struct(pat) => named(&pat.path),
        Pat::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some((format!("{:?}", text.value()), Vec::new())),
            Lit::Bool(literal) => Some((literal.value.to_string(), Vec::new())),
            _ => None,
        },
        _ => None,
    }
}

/// The first and the last number that the pattern matches.
pub(crate) fn range_of(pat: &Pat) -> Option<(i128, i128)> {
    match pat {
        Pat::Lit(literal) => {
            let number = number(&Expr::Lit(literal.clone()))?;
            Some((number, number))
        }
        Pat::Range(range) => {
            let start = range.start.as_deref().map_or(Some(i128::MIN), number)?;
            let end = range.end.as_deref().map_or(Some(i128::MAX), number)?;
            let is_open =
                range.end.is_some() && matches!(range.limits, syn::RangeLimits::HalfOpen(_));
            Some((start, if is_open { end - 1 } else { end }))
        }
        _ => None,
    }
}

pub(crate) fn number(expr: &Expr) -> Option<i128> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            Lit::Char(letter) => Some(i128::from(u32::from(letter.value()))),
            Lit::Byte(byte) => Some(i128::from(byte.value())),
            _ => None,
        },
        Expr::Unary(expr) if matches!(expr.op, syn::UnOp::Neg(_)) => {
            number(&expr.expr).map(|number| -number)
        }
        _ => None,
    }
}

pub(crate) fn without_parens(pat: &Pat) -> &Pat {
    match pat {
        Pat::Paren(pat) => without_parens(&pat.pat),
        pat => pat,
    }
}
