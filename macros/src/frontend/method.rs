//! Workflows and activities in `impl` blocks.
//!
//! An `impl` block cannot contain types beside a function, so all generated items are in the function's body. Items
//! there see neither `Self` nor the parameters of the block: `Self` is replaced by the type of the block, and `self`
//! becomes an ordinary parameter.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, FnArg, GenericParam, Generics, ImplItem, ItemFn, ItemImpl, Path, PathArguments,
    Signature, Type,
};

use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::Rule;
use crate::frontend::substitute::Substitute;
use crate::syntax::hygiene::Names;
use crate::syntax::names::is_any_of;
use crate::syntax::root::Root;
use crate::syntax::source::{Surroundings, surroundings_of};

/// The kind of a function in an `impl` block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    /// The name of its attribute.
    name: &'static str,
    /// The name with an article.
    a: &'static str,
    rule: Rule,
}

impl Kind {
    pub(crate) const WORKFLOW: Self =
        Self { name: "workflow", a: "a workflow", rule: Rule::WORKFLOW_SIGNATURE };
    pub(crate) const ACTIVITY: Self =
        Self { name: "activity", a: "an activity", rule: Rule::ACTIVITY_SIGNATURE };

    fn refuse_unseen(self, span: Span, diagnostics: &Diagnostics) {
        let name = self.name;
        diagnostics.error(
            span,
            self.rule,
            format!("the `impl` block of this {name} was not found in the source file"),
            &format!("put `#[{name}]` on the `impl` block too"),
        );
    }

    fn refuse_in_trait(self, span: Span, diagnostics: &Diagnostics) {
        let message = format!("{} cannot be a method of a trait", self.a);
        diagnostics.error(span, self.rule, message, FREE);
    }

    fn refuse_without_name(self, span: Span, diagnostics: &Diagnostics) {
        let message = format!("{} must be a method of a named type", self.a);
        diagnostics.error(span, self.rule, message, FREE);
    }
}

const FREE: &str = "make it a free function, or move it into an `impl` block without a trait";

/// The context of a function that is a method.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    /// The name of the block's type.
    pub(crate) of_type: String,
    /// The type and const parameters of the block.
    pub(crate) block_parameters: Vec<Ident>,
    /// The parameter that replaces `self`.
    pub(crate) receiver: Option<Ident>,
}

/// The head of the `impl` block around a function; `None` if there is none. Reports functions that cannot be in their
/// block.
pub(crate) fn block_around(
    signature: &Signature,
    kind: Kind,
    diagnostics: &Diagnostics,
) -> Result<Option<ItemImpl>, ()> {
    let span = signature.ident.span();
    match surroundings_of(span) {
        Some(Surroundings::Impl(header)) => {
            let tokens = syn::parse_str::<TokenStream>(&format!("{header} {{}}"));
            let block = tokens.and_then(|tokens| syn::parse2(respan(tokens, span)));
            block.map(Some).map_err(|_| kind.refuse_unseen(span, diagnostics))
        }
        Some(Surroundings::Trait) => {
            kind.refuse_in_trait(span, diagnostics);
            Err(())
        }
        Some(Surroundings::Macro) | None if names_self(signature) => {
            kind.refuse_unseen(span, diagnostics);
            Err(())
        }
        // Outside a block, rustc refuses `self`.
        _ => Ok(None),
    }
}

/// The index of the first attribute with one of these names, under any path.
pub(crate) fn attribute_named(names: &[&str], attrs: &[Attribute]) -> Option<usize> {
    attrs.iter().position(|attr| {
        attr.path().segments.last().is_some_and(|last| is_any_of(&last.ident, names))
    })
}

/// Whether the signature has `self` or `Self`.
fn names_self(signature: &Signature) -> bool {
    let names = Names::of(signature.to_token_stream());
    names.has("self") || names.has("Self")
}

/// The type of a block, as a path that can replace `Self` everywhere. Reports types that cannot have functions of this
/// kind.
pub(crate) fn type_of(
    block: &ItemImpl,
    function: &Ident,
    kind: Kind,
    diagnostics: &Diagnostics,
) -> Option<Path> {
    if block.trait_.is_some() {
        kind.refuse_in_trait(function.span(), diagnostics);
        return None;
    }
    match &*block.self_ty {
        Type::Path(ty) if ty.qself.is_none() => Some(with_turbofish(ty.path.clone())),
        _ => {
            kind.refuse_without_name(function.span(), diagnostics);
            None
        }
    }
}

/// Changes `function` into one that could be outside `block`.
pub(crate) fn free(
    function: &mut ItemFn,
    block: &ItemImpl,
    diagnostics: &Diagnostics,
) -> Option<Method> {
    let refuse = |tokens: &dyn ToTokens, message: &str, help: &str| {
        diagnostics.error_at(tokens, Rule::WORKFLOW_SIGNATURE, message, help);
    };
    let path = type_of(block, &function.sig.ident, Kind::WORKFLOW, diagnostics)?;
    let of_type = path.segments.last()?.ident.to_string();
    let receiver = match function.sig.inputs.first() {
        Some(FnArg::Receiver(receiver)) => {
            let written = receiver.to_token_stream().to_string();
            if written != "self" && written != "mut self" {
                let message = "a workflow stores `self`, so it must take `self` by value";
                refuse(
                    receiver,
                    message,
                    "write `self`, and call it on a clone where it is needed",
                );
            }
            let mut names = Names::of(function.to_token_stream());
            // An unused `self` gets no warning.
            let is_used = Names::of(function.block.to_token_stream()).has("self");
            let this = if is_used { "this" } else { "_this" };
            let this = Ident::new(this, receiver.self_token.span);
            let this = if names.has(&this.to_string()) { names.fresh(&this) } else { this };
            let mutability = receiver.mutability;
            let ty = &block.self_ty;
            function.sig.inputs[0] = syn::parse_quote!(#mutability #this: #ty);
            Some(this)
        }
        _ => None,
    };
    let mut substitute = Substitute { path, this: receiver.clone(), unclear: Vec::new() };
    substitute.visit_signature_mut(&mut function.sig);
    substitute.visit_block_mut(&mut function.block);
    for unclear in &substitute.unclear {
        unclear.report(diagnostics);
    }
    let mut of_block = block.generics.clone();
    substitute.visit_generics_mut(&mut of_block);
    add_parameters(&mut function.sig.generics, of_block);
    let block_parameters = block.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param.ident.clone()),
        GenericParam::Const(param) => Some(param.ident.clone()),
        GenericParam::Lifetime(_) => None,
    });
    Some(Method { of_type, block_parameters: block_parameters.collect(), receiver })
}

/// Prepends the parameters of the block to those of the function.
fn add_parameters(function: &mut Generics, block: Generics) {
    let is_lifetime = |param: &GenericParam| matches!(param, GenericParam::Lifetime(_));
    let (mut params, own) = (block.params, std::mem::take(&mut function.params));
    params.extend(own);
    let (lifetimes, others): (Vec<_>, Vec<_>) = params.into_iter().partition(is_lifetime);
    function.params = lifetimes.into_iter().chain(others).collect();
    if let Some(clause) = block.where_clause {
        function.make_where_clause().predicates.extend(clause.predicates);
    }
}

/// Compiles the functions with the attribute in an `impl` block whose own attribute has the arguments `args`.
pub(crate) fn each(
    mut block: ItemImpl,
    args: TokenStream,
    kind: Kind,
    diagnostics: Diagnostics,
    mut compile: impl FnMut(TokenStream, TokenStream, &ItemImpl) -> TokenStream,
) -> TokenStream {
    let mut head = block.clone();
    head.items.clear();
    let mut found = false;
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let Some(index) = attribute_named(&[kind.name], &function.attrs) else { continue };
        found = true;
        let attribute = function.attrs.remove(index);
        let arguments = match attribute.meta {
            syn::Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        let root = Root::of(&arguments);
        let compiled = compile(arguments, function.to_token_stream(), &head);
        *item = ImplItem::Verbatim(root.applied(compiled));
    }
    if !found {
        diagnostics.malformed(
            block.impl_token,
            format!("there is no {} in this `impl` block", kind.name),
            &format!("put `#[{}]` on its `async fn`s as well", kind.name),
        );
    }
    if !args.is_empty() {
        let help = "put the options on the functions of the block";
        diagnostics.malformed(args, "this attribute takes no options on an `impl` block", help);
    }
    diagnostics.finish_with(block.into_token_stream())
}

/// `Account<T>` as `Account::<T>`, which can replace `Self` everywhere.
fn with_turbofish(mut path: Path) -> Path {
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token = Some(Default::default());
        }
    }
    path
}

/// The tokens with another span.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let respanned = tokens.into_iter().map(|mut tree| {
        if let TokenTree::Group(group) = &tree {
            let mut new = Group::new(group.delimiter(), respan(group.stream(), span));
            new.set_span(span);
            tree = new.into();
        }
        tree.set_span(span);
        tree
    });
    respanned.collect()
}
