//! The parts of an activity's signature: the context, the parameters, the kind of return type.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericParam, Ident, Pat, PatType, Receiver, ReturnType, Signature, Type, TypeReference,
};

use super::args::ActivityArgs;
use super::method::Method;
use super::types::{in_option, is_unsized, owned_type, ungrouped};
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::syntax::owned::{NAME, NotOwned, OWN, OWN_LIFETIME, SIZED, has_no_size, not_owned};
use crate::syntax::patterns::parameter_name;
use crate::syntax::source::imports::{is_of_piton, names_of_piton};

/// serde encodes tuples of up to this many elements.
const MAX_PARAMETERS: usize = 16;

/// The parts of a signature that the expansion needs.
pub(super) struct ActivitySignature<'a> {
    /// Whether the first parameter is the context.
    pub(super) has_context: bool,
    /// The target of the connection parameter's reference, if there is one.
    pub(super) connection: Option<&'a Type>,
    /// The other parameters.
    pub(super) parameters: Vec<Parameter<'a>>,
    /// The return type.
    pub(super) returns: Returns<'a>,
}

/// A parameter that is encoded at the call.
pub(super) struct Parameter<'a> {
    /// Its name in the function that creates a call.
    pub(super) name: Ident,
    /// The stored name of its argument; `None` if its pattern binds none.
    pub(super) stored_name: Option<String>,
    /// Its type, as written.
    pub(super) ty: &'a Type,
    /// The type that it is decoded as.
    pub(super) owned: TokenStream,
    /// How the body receives the decoded value.
    pub(super) lent: Lent,
    /// Whether it is `self`.
    pub(super) is_receiver: bool,
}

/// How the body of an activity receives a decoded argument.
#[derive(PartialEq)]
pub(super) enum Lent {
    /// By value.
    No,
    /// By reference.
    Whole,
    /// As a borrow of the owned type's content, like `str` from `String`.
    Part,
    /// As an `Option` of a borrow of its content, by this method.
    Within(&'static str),
}

/// The kind of a return type, judged by its last path segment.
pub(super) enum Returns<'a> {
    /// No value.
    Unit,
    /// A value.
    Plain(&'a Type),
    /// A type named `Result`.
    Result(&'a Type),
}

impl<'a> ActivitySignature<'a> {
    /// Parses the signature of a function or method. Reports unsupported parts.
    pub(super) fn parse(
        signature: &'a Signature,
        method: Option<&'a Method>,
        args: &ActivityArgs,
        diagnostics: &Diagnostics,
    ) -> Self {
        check_qualifiers(signature, args.blocking, diagnostics);
        check_generics(signature, diagnostics);
        let mut has_context = false;
        let mut connection = None;
        let mut parameters: Vec<Parameter<'a>> = Vec::new();
        let receivers = usize::from(signature.receiver().is_some());
        for (index, input) in signature.inputs.iter().enumerate() {
            match input {
                FnArg::Receiver(receiver) => {
                    if let Some(method) = method {
                        parameters.push(Parameter::of_receiver(receiver, method, diagnostics));
                    }
                }
                FnArg::Typed(input) if is_context(&input.ty) => {
                    has_context = true;
                    check_context(index - receivers.min(index), input, diagnostics);
                }
                FnArg::Typed(input) if is_context_of_workflows(&input.ty) => refuse(
                    diagnostics,
                    &input.ty,
                    "an activity cannot take the context of a workflow",
                    "write `cx: &ActivityContext` in front of the other parameters",
                ),
                FnArg::Typed(input)
                    if args.transaction.is_some()
                        && connection.is_none()
                        && parameters.len() == receivers
                        && lent(&input.ty).is_some() =>
                {
                    connection = lent(&input.ty);
                }
                FnArg::Typed(input) => {
                    parameters.push(Parameter::parse(parameters.len(), input, diagnostics));
                }
            }
        }
        if let Some(transaction) = &args.transaction
            && connection.is_none()
        {
            refuse(
                diagnostics,
                transaction,
                "an activity with a transaction takes the connection as its first parameter",
                "write `db: &mut piton::sqlx::SqliteConnection` or \
                 `db: &mut piton::sqlx::PgConnection` in front of the other parameters, after \
                 `cx: &ActivityContext` if there is one",
            );
        }
        let lent = usize::from(has_context) + usize::from(connection.is_some());
        if let Some(input) = signature.inputs.iter().nth(MAX_PARAMETERS + lent) {
            refuse(
                diagnostics,
                input,
                format!("an activity has at most {MAX_PARAMETERS} parameters"),
                "put some of them into a struct",
            );
        }
        let returns = Returns::parse(&signature.output, diagnostics);
        Self { has_context, connection, parameters, returns }
    }

    /// Whether the body borrows any argument.
    pub(super) fn borrows(&self) -> bool {
        let is_lent = |parameter: &Parameter<'_>| parameter.lent != Lent::No;
        self.has_context || self.connection.is_some() || self.parameters.iter().any(is_lent)
    }

    /// Reports error patterns for a function without errors.
    pub(super) fn check_patterns(&self, patterns: &[Pat], diagnostics: &Diagnostics) {
        if let Some(pattern) = patterns.first()
            && !matches!(self.returns, Returns::Result(_))
        {
            refuse(
                diagnostics,
                pattern,
                "`non_retryable` needs an activity that returns a `Result`",
                "return a `Result`, or remove `non_retryable`",
            );
        }
    }
}

impl<'a> Parameter<'a> {
    fn parse(index: usize, input: &'a PatType, diagnostics: &Diagnostics) -> Self {
        let name = match &*input.pat {
            Pat::Ident(pattern) if pattern.subpat.is_none() => pattern.ident.clone(),
            pattern => format_ident!("__piton_argument_{index}", span = pattern.span()),
        };
        let ty = &*input.ty;
        let (optional, ty_of_value) = match in_option(ty) {
            Some(inner) => (true, inner),
            None => (false, ungrouped(ty)),
        };
        let (owned, by_reference, inner) = match ty_of_value {
            Type::Reference(reference) => {
                check_borrow(reference, diagnostics);
                (owned_type(reference), true, &*reference.elem)
            }
            other => (quote_spanned!(other.span()=> #other), false, other),
        };
        check_owned(inner, "parameter", diagnostics);
        if let Type::TraitObject(object) = ungrouped(inner) {
            refuse(diagnostics, object, "a parameter of an activity cannot be a `dyn Trait`", NAME);
        }
        if !by_reference {
            check_sized(inner, "parameter", diagnostics);
        }
        let span = ty.span();
        let lent = match (optional, by_reference, is_unsized(ungrouped(inner))) {
            (false, false, _) => Lent::No,
            (false, true, false) => Lent::Whole,
            (false, true, true) => Lent::Part,
            (true, _, false) => Lent::Within("as_ref"),
            (true, _, true) => Lent::Within("as_deref"),
        };
        let owned = match optional {
            true => quote_spanned!(span=> ::core::option::Option<#owned>),
            false => owned,
        };
        let stored_name = parameter_name(&input.pat);
        Self { name, stored_name, ty, owned, lent, is_receiver: false }
    }

    /// `self` is encoded with the arguments.
    fn of_receiver(receiver: &Receiver, method: &'a Method, diagnostics: &Diagnostics) -> Self {
        let written = receiver.to_token_stream().to_string();
        if !["self", "mut self", "& self"].contains(&written.as_str()) {
            refuse(
                diagnostics,
                receiver,
                "an activity takes `self` by value or by shared reference",
                "write `&self` or `self`, and return the changed value",
            );
        }
        let by_reference = written.starts_with('&');
        Self {
            name: Ident::from(receiver.self_token),
            stored_name: Some("self".to_owned()),
            ty: if by_reference { &method.reference } else { &method.owner },
            owned: method.owner.to_token_stream(),
            lent: if by_reference { Lent::Whole } else { Lent::No },
            is_receiver: true,
        }
    }
}

impl<'a> Returns<'a> {
    fn parse(output: &'a ReturnType, diagnostics: &Diagnostics) -> Self {
        let ReturnType::Type(_, ty) = output else { return Self::Unit };
        check_owned(ty, "return type", diagnostics);
        check_sized(ty, "return type", diagnostics);
        match ungrouped(ty) {
            Type::Path(path)
                if path.path.segments.last().is_some_and(|last| last.ident == "Result") =>
            {
                Self::Result(ty)
            }
            _ => Self::Plain(ty),
        }
    }
}

fn refuse(
    diagnostics: &Diagnostics,
    tokens: impl ToTokens,
    message: impl std::fmt::Display,
    help: &str,
) {
    diagnostics.error_at(tokens, Rule::ACTIVITY_SIGNATURE, message, help);
}

fn check_qualifiers(signature: &Signature, blocking: bool, diagnostics: &Diagnostics) {
    match signature.asyncness {
        None if !blocking => refuse(
            diagnostics,
            signature.fn_token,
            format!("the activity `{}` must be an `async fn`", signature.ident),
            "write `async fn`, or `#[activity(blocking)]` for code that blocks its thread",
        ),
        Some(asyncness) if blocking => refuse(
            diagnostics,
            asyncness,
            format!("the blocking activity `{}` cannot be an `async fn`", signature.ident),
            "write `fn`, or remove `blocking` if its code does not block the thread",
        ),
        _ => {}
    }
    let qualifiers = [
        signature.constness.map(|token| ("const", token.to_token_stream())),
        match signature.safety {
            syn::Safety::Unsafe(token) => Some(("unsafe", token.to_token_stream())),
            _ => None,
        },
        signature.abi.as_ref().map(|abi| ("extern", abi.to_token_stream())),
    ];
    for (word, tokens) in qualifiers.into_iter().flatten() {
        refuse(
            diagnostics,
            tokens,
            format!("an activity cannot be `{word}`"),
            &format!("remove `{word}`"),
        );
    }
    if let Some(variadic) = &signature.variadic {
        refuse(
            diagnostics,
            variadic.dots,
            "an activity cannot be variadic",
            "take a `Vec` of the arguments",
        );
    }
}

fn check_generics(signature: &Signature, diagnostics: &Diagnostics) {
    for parameter in &signature.generics.params {
        if matches!(parameter, GenericParam::Lifetime(_)) {
            continue;
        }
        refuse(
            diagnostics,
            parameter,
            "an activity cannot be generic",
            "an activity is found by its stored name, so its types must be fixed: write one \
             activity for each type, which may share a generic function",
        );
    }
}

/// The target of a parameter `&mut Connection`.
fn lent(ty: &Type) -> Option<&Type> {
    match ungrouped(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => Some(&reference.elem),
        _ => None,
    }
}

pub(super) fn is_context(ty: &Type) -> bool {
    let ty = match ungrouped(ty) {
        Type::Reference(reference) => ungrouped(&reference.elem),
        other => other,
    };
    let Type::Path(path) = ty else { return false };
    names_of_piton(&path.path, "ActivityContext")
}

/// Whether the type is the context of workflows, and not a user's type of that name.
pub(super) fn is_context_of_workflows(ty: &Type) -> bool {
    let Type::Reference(reference) = ungrouped(ty) else { return false };
    matches!(ungrouped(&reference.elem), Type::Path(path)
        if names_of_piton(&path.path, "Context") && is_of_piton(&path.path))
}

fn check_context(index: usize, input: &PatType, diagnostics: &Diagnostics) {
    let shared = match ungrouped(&input.ty) {
        Type::Reference(reference) => reference.mutability.is_none(),
        _ => false,
    };
    if !shared || index > 0 {
        refuse(
            diagnostics,
            &input.ty,
            "the activity context must be the first parameter, taken by reference",
            "write `cx: &ActivityContext` in front of the other parameters",
        );
    }
}

fn check_borrow(reference: &TypeReference, diagnostics: &Diagnostics) {
    if let Some(mutability) = reference.mutability {
        refuse(
            diagnostics,
            mutability,
            "an activity cannot change its caller's value through `&mut`",
            "take the argument by value, and return the changed value: an attempt works on a decoded copy",
        );
    }
    if let Some(lifetime) =
        reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static")
    {
        refuse(
            diagnostics,
            lifetime,
            "an activity cannot take a `'static` reference: each attempt decodes its arguments anew",
            "remove `'static`, or take the argument by value: `String` for `&str`",
        );
    }
}

/// Reports references and `impl Trait` within the type of a stored value.
fn check_owned(ty: &Type, place: &str, diagnostics: &Diagnostics) {
    for found in not_owned(ty) {
        match found {
            NotOwned::Reference(found) => {
                let message = format!("the {place} of an activity cannot contain a reference");
                refuse(diagnostics, found, message, OWN);
            }
            NotOwned::Lifetime(found) => {
                let message = format!("the {place} of an activity cannot borrow");
                refuse(diagnostics, found, message, OWN_LIFETIME);
            }
            NotOwned::ImplTrait(found) => {
                let message = format!("the {place} of an activity cannot be `impl Trait`");
                refuse(diagnostics, found, message, NAME);
            }
        }
    }
}

/// Reports an unsized type.
fn check_sized(ty: &Type, place: &str, diagnostics: &Diagnostics) {
    if has_no_size(ty) {
        refuse(diagnostics, ty, format!("the {place} of an activity must be `Sized`"), SIZED);
    }
}
