//! Parses tokens into a [`WorkflowFn`].
//!
//! Input: the item under the attribute. Output: its parts, with `bail!` and `ensure!` expanded to the `return` in
//! them. Guarantees: the function is `async`, takes its arguments by value, and has no form that workflows do not
//! support. Assumes nothing.

use proc_macro2::{Literal, TokenStream};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, FnArg, Ident, Item, ItemFn, LitInt, LitStr, Pat, PatType, ReturnType,
    Signature, Stmt, Type, Visibility,
};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::{Level, Rule};
use crate::frontend::args::Durability;
use crate::frontend::generics::Parameters;
use crate::frontend::id_pattern::IdPattern;
use crate::frontend::method::{Method, attribute_named};
use crate::frontend::{conditions, expose, formerly, fragments, generics, origins, redact};
use crate::syntax::macros::expand;
use crate::syntax::owned::{
    NAME, NotOwned, OWN, OWN_LIFETIME, OWN_MUTABLE, SIZED, has_no_size, make_elided, make_static,
    not_owned,
};
use crate::syntax::source::imports::{is_of_piton, names_of_piton};

/// A workflow as the user wrote it.
#[derive(Debug)]
pub(crate) struct WorkflowFn {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    /// The stored name.
    pub(crate) name: String,
    /// The former stored names.
    pub(crate) formerly: Vec<LitStr>,
    /// The version, if the attribute has one.
    pub(crate) version: Option<LitInt>,
    /// When the states of its steps are on disk.
    pub(crate) durability: Durability,
    /// The number of past states to keep, if the attribute has one.
    pub(crate) history: Option<LitInt>,
    /// The pattern of the default workflow id, if the attribute has one.
    pub(crate) id: Option<IdPattern>,
    /// The redacted parameters, counted from 0.
    pub(crate) redacted: Vec<Literal>,
    /// The names of the exposed variables.
    pub(crate) exposed: Vec<Ident>,
    /// Whether it is declared in the body of another workflow.
    pub(crate) is_nested: bool,
    /// The level of the rule `repeated_state`.
    pub(crate) repeated_state: Level,
    /// Its `impl` block, if it is a method.
    pub(crate) method: Option<Method>,
    pub(crate) parameters: Parameters,
    /// The name of the context parameter.
    pub(crate) context: Option<Ident>,
    /// The type of the context parameter, as written.
    pub(crate) context_type: Option<Type>,
    /// The replaced macros that the body calls by their names alone.
    pub(crate) replaced: Vec<Ident>,
    pub(crate) params: Vec<PatType>,
    pub(crate) output: Type,
    pub(crate) body: Block,
    /// The stored names of its states, after `layout`.
    pub(crate) states: Vec<String>,
    /// The lints that the function and its statements allow.
    pub(crate) lints: Vec<TokenStream>,
}

impl WorkflowFn {
    /// Whether the return type is a `Result`, as far as its name shows.
    pub(crate) fn returns_result(&self) -> bool {
        matches!(ungrouped(&self.output), Type::Path(path)
            if path.path.segments.last().is_some_and(|segment| segment.ident == "Result"))
    }
}

/// Parses a function and reports errors in its tokens. If the body cannot be parsed, or comes from another macro, it is
/// left empty, so that the function's callers still resolve. `None` if the item is no function.
pub(crate) fn function(item: &mut TokenStream, diagnostics: &Diagnostics) -> Option<ItemFn> {
    let error = match fragments::read::<ItemFn>(item) {
        Ok((mut function, are_several)) => {
            // Inner attributes of the body become outer attributes.
            for attribute in &mut function.attrs {
                attribute.style = syn::AttrStyle::Outer;
            }
            check_instrumented(&mut function, diagnostics);
            if are_several {
                origins::check(&mut function, diagnostics);
            }
            return Some(function);
        }
        Err(error) => error,
    };
    let head = |input: ParseStream| {
        let attrs = input.call(Attribute::parse_outer)?;
        let (vis, sig): (Visibility, Signature) = (input.parse()?, input.parse()?);
        input.parse::<TokenStream>()?;
        Ok(ItemFn { attrs, ..syn::parse_quote!(#vis #sig {}) })
    };
    match head.parse2(item.clone()) {
        Ok(function) => {
            diagnostics.push(error);
            Some(function)
        }
        Err(_) => {
            match syn::parse2::<Item>(item.clone()) {
                Ok(Item::Verbatim(_)) | Err(_) => diagnostics.push(error),
                Ok(_) => refuse(
                    diagnostics,
                    item.clone().into_iter().next(),
                    "`#[workflow]` can only be applied to functions and `impl` blocks",
                    "put it on an `async fn`, or on an `impl` block that has such functions",
                ),
            }
            None
        }
    }
}

/// Whether two parameters have the same name. rustc reports it for the function that creates the call; in the machine,
/// the names would be two locals.
pub(crate) fn has_name_twice(params: &[PatType]) -> bool {
    struct Bound(Vec<Ident>);
    impl<'ast> Visit<'ast> for Bound {
        fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
            self.0.push(pat.ident.clone());
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut earlier: Vec<Ident> = Vec::new();
    params.iter().any(|param| {
        let mut bound = Bound(Vec::new());
        bound.visit_pat(&param.pat);
        let is_there = bound.0.iter().any(|ident| earlier.contains(ident));
        earlier.extend(bound.0);
        is_there
    })
}

/// Splits the function into its parts. `name` is the stored name, `method` the context if it is a method. Reports and
/// leaves out unsupported parts; `None` if the rest is no workflow.
pub(crate) fn parse(
    mut function: ItemFn,
    name: String,
    method: Option<Method>,
    diagnostics: &Diagnostics,
) -> Option<WorkflowFn> {
    redact::check(&mut function, diagnostics);
    formerly::check(&mut function, diagnostics);
    let exposed = expose::check(&mut function, diagnostics);
    let ItemFn { mut attrs, vis, sig, block, .. } = function;
    attrs.iter_mut().for_each(conditions::expect_nothing);
    if sig.asyncness.is_none() {
        refuse(
            diagnostics,
            sig.fn_token,
            "a workflow must be an `async fn`",
            "write `async fn`; code without an `.await` needs no `#[workflow]`",
        );
    }
    if let Some(constness) = &sig.constness {
        refuse(diagnostics, constness, "a workflow cannot be `const`", "remove `const`");
    }
    if let Some(abi) = &sig.abi {
        refuse(diagnostics, abi, "a workflow cannot have an ABI", "remove `extern`");
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        refuse(diagnostics, token, "a workflow cannot be `unsafe`", "remove `unsafe`");
    }
    if let Some(variadic) = &sig.variadic {
        refuse(diagnostics, variadic, "a workflow cannot be variadic", "pass a `Vec`");
    }
    let (mut context, mut context_type) = (None, None);
    let mut params = Vec::new();
    let receivers = usize::from(method.as_ref().is_some_and(|method| method.receiver.is_some()));
    for input in sig.inputs {
        match input {
            // rustc reports `self` outside an `impl` block.
            FnArg::Receiver(_) => return None,
            FnArg::Typed(mut param)
                if context_type.is_none() && params.len() == receivers && is_context(&param.ty) =>
            {
                redact::refuse(&mut param.attrs, diagnostics);
                context = context_name(&param.pat);
                context_type = Some(*param.ty);
            }
            FnArg::Typed(param) if is_misplaced_context(&param.ty) => {
                refuse(
                    diagnostics,
                    &param.ty,
                    "the context must be the first parameter, taken by reference",
                    "write `cx: &Context` in front of the other parameters",
                );
            }
            FnArg::Typed(param) if is_context_of_activities(&param.ty) => {
                let help = "write `cx: &Context` in front of the other parameters";
                refuse(
                    diagnostics,
                    &param.ty,
                    "a workflow cannot take the context of an activity",
                    help,
                );
            }
            FnArg::Typed(mut param) => {
                let is_named = |found: &NotOwned<'_>| !matches!(found, NotOwned::ImplTrait(_));
                // After the error, callers may pass any type.
                if !check_owned(&param.ty, "an argument", diagnostics)
                    && not_owned(&param.ty).iter().all(is_named)
                {
                    make_elided(&mut param.ty);
                }
                params.push(param);
            }
        }
    }
    let mut output = match sig.output {
        ReturnType::Default => {
            syn::parse_quote_spanned!(sig.paren_token.span.close()=> ())
        }
        ReturnType::Type(_, ty) => *ty,
    };
    if !check_owned(&output, "the value", diagnostics) {
        make_static(&mut output);
    }
    // A lifetime parameter usually comes with a reference, which is refused already.
    if let Some((name, span)) = generics::first_lifetime(&sig.generics) {
        if !diagnostics.has_errors() {
            diagnostics.error(
                span,
                Rule::WORKFLOW_SIGNATURE,
                "a workflow owns its data, so it cannot have a lifetime parameter",
                &format!("remove `{name}`, and take the data by value"),
            );
        }
        return None;
    }
    let is_redacted = |param: &PatType| redact::of(&param.attrs).is_some();
    let redacted = (0..).zip(&params).filter(|(_, param)| is_redacted(param));
    let redacted = redacted.map(|(number, _)| Literal::u32_unsuffixed(number)).collect();
    let stored = params.iter().map(|param| &*param.ty).chain([&output]);
    let parameters = Parameters::new(sig.generics, stored);
    let mut body = *block;
    expand::block(&mut body);
    let mut lints = conditions::lints_of(&attrs);
    lints.extend(conditions::lints(&body));
    Some(WorkflowFn {
        attrs,
        vis,
        ident: sig.ident,
        name,
        formerly: Vec::new(),
        version: None,
        durability: Durability::default(),
        history: None,
        id: None,
        redacted,
        exposed,
        is_nested: false,
        repeated_state: Level::Allow,
        method,
        parameters,
        context,
        context_type,
        replaced: Vec::new(),
        params,
        output,
        body,
        states: Vec::new(),
        lints,
    })
}

/// Refuses `#[instrument]`. Below `#[workflow]`, it would apply to the function that creates the call; above, it has
/// already replaced the body by a future.
fn check_instrumented(function: &mut ItemFn, diagnostics: &Diagnostics) {
    let is_made = |stmt: &Stmt| {
        matches!(stmt, Stmt::Local(syn::Local { pat: Pat::Ident(pat), .. })
            if pat.ident == "__tracing_instrument_future")
    };
    let span = match attribute_named(&["instrument"], &function.attrs) {
        Some(index) => function.attrs.remove(index).path().span(),
        None if function.block.stmts.iter().any(is_made) => function.sig.ident.span(),
        None => return,
    };
    diagnostics.error(
        span,
        Rule::WORKFLOW_SIGNATURE,
        "a workflow cannot be under `#[instrument]`, whose span would have to last from one process to the next",
        "instrument the activities, and log with `tracing::info!` here",
    );
    function.block.stmts.clear();
}

fn refuse(diagnostics: &Diagnostics, tokens: impl ToTokens, message: &str, help: &str) {
    diagnostics.error_at(tokens, Rule::WORKFLOW_SIGNATURE, message, help);
}

/// Refuses unsized types, references and `impl Trait` within the type of a stored value. Returns whether the type has
/// none.
fn check_owned(ty: &Type, what: &str, diagnostics: &Diagnostics) -> bool {
    if has_no_size(ty) {
        let message = format!("{what} of a workflow is stored, so it must be `Sized`");
        refuse(diagnostics, ty, &message, SIZED);
        return false;
    }
    let found = not_owned(ty);
    for found in &found {
        match found {
            NotOwned::Reference(found) => {
                let message =
                    format!("{what} of a workflow is stored, so it cannot contain references");
                let help = if found.mutability.is_some() { OWN_MUTABLE } else { OWN };
                refuse(diagnostics, found, &message, help);
            }
            NotOwned::Lifetime(found) => {
                let message = format!("{what} of a workflow is stored, so it cannot borrow");
                refuse(diagnostics, found, &message, OWN_LIFETIME);
            }
            NotOwned::ImplTrait(found) => {
                let message =
                    format!("{what} of a workflow is stored, so it cannot be `impl Trait`");
                refuse(diagnostics, found, &message, NAME);
            }
        }
    }
    found.is_empty()
}

/// Whether the type is `&Context`.
fn is_context(ty: &Type) -> bool {
    let Type::Reference(reference) = ungrouped(ty) else { return false };
    reference.mutability.is_none() && names_context(&reference.elem)
}

/// Whether the type is a context that is not taken by shared reference.
fn is_misplaced_context(ty: &Type) -> bool {
    match ungrouped(ty) {
        Type::Reference(reference) => names_context(&reference.elem),
        // By value, the name may be that of a user's type.
        Type::Path(path) => names_context(ty) && is_of_piton(&path.path),
        _ => false,
    }
}

fn is_context_of_activities(ty: &Type) -> bool {
    let Type::Reference(reference) = ungrouped(ty) else { return false };
    matches!(ungrouped(&reference.elem), Type::Path(path)
        if names_of_piton(&path.path, "ActivityContext"))
}

fn names_context(ty: &Type) -> bool {
    matches!(ungrouped(ty), Type::Path(path) if names_of_piton(&path.path, "Context"))
}

/// The type without the invisible group that a macro puts around it.
fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        ty => ty,
    }
}

fn context_name(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) => Some(pat.ident.clone()),
        _ => None,
    }
}
