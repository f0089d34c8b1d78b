//! The type and const parameters of a workflow.
//!
//! A plain `async fn` needs no bounds for a value that it only holds. A workflow saves it, so a type parameter that
//! occurs in a stored type must be `Durable`. The bound is checked once, at the first stored type in the signature. All
//! other generated code has the bound as an assumption, so a missing bound causes one error.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    GenericArgument, GenericParam, Generics, PathArguments, Token, Type, TypeParamBound,
    WherePredicate,
};

use crate::syntax::hygiene::hidden;
use crate::syntax::names::is_any_of;
use crate::syntax::source::imports::names_of_piton;

/// Types that can be saved if and only if their arguments can.
const CONTAINERS: [&str; 10] = [
    "Box", "BTreeMap", "BTreeSet", "HashMap", "HashSet", "Option", "Range", "Result", "Vec",
    "VecDeque",
];

/// The parameters of a workflow, and of the `impl` block that it is in.
#[derive(Debug)]
pub(crate) struct Parameters {
    /// As in the source.
    source: Generics,
    /// With the bounds that every workflow adds.
    bounded: Generics,
    /// The parameters that occur in stored types, with the span of the first occurrence.
    stored: Vec<Ident>,
}

impl Parameters {
    /// The parameters of `source`, for a workflow that stores values of the types `stored`.
    pub(crate) fn new<'a>(source: Generics, stored: impl Iterator<Item = &'a Type>) -> Self {
        let mut found = Vec::new();
        let names: Vec<_> = source.type_params().map(|param| param.ident.clone()).collect();
        stored.for_each(|ty| find_stored(ty, &names, &mut found));
        let mut bounded = source.clone();
        for name in &names {
            let Some(bounds) = bounds_of(&mut bounded, name) else { continue };
            bounds.push(syn::parse_quote!('static));
            // clippy reports a repeated bound.
            let is_durable = |bound: &TypeParamBound| matches!(bound, TypeParamBound::Trait(bound) if names_of_piton(&bound.path, "Durable"));
            if found.contains(name) && !bounds.iter().any(is_durable) {
                bounds.push(syn::parse_quote!(::piton::__private::Durable));
            }
        }
        Self { source, bounded, stored: found }
    }

    /// Whether there are no parameters.
    pub(crate) fn is_empty(&self) -> bool {
        self.source.params.is_empty()
    }

    /// The parameters with all bounds, the arguments, and the `where` clause.
    pub(crate) fn split(&self) -> (impl ToTokens, impl ToTokens, Option<&syn::WhereClause>) {
        self.bounded.split_for_impl()
    }

    /// The parameters and the `where` clause of a method in a block with the parameters `outer`.
    pub(crate) fn of_method(&self, outer: &[Ident]) -> (TokenStream, TokenStream) {
        let is_outer = |ident: &Ident| outer.contains(ident);
        let own = self.bounded.params.iter().filter(|param| match param {
            GenericParam::Type(param) => !is_outer(&param.ident),
            GenericParam::Const(param) => !is_outer(&param.ident),
            GenericParam::Lifetime(_) => true,
        });
        let bounds =
            self.bounded.type_params().filter(|param| is_outer(&param.ident)).map(|param| {
                let (ident, bounds) = (&param.ident, &param.bounds);
                quote!(#ident: #bounds,)
            });
        let clause = self.bounded.where_clause.as_ref().map(|clause| &clause.predicates);
        (quote!(<#(#own),*>), quote!(where #(#bounds)* #clause))
    }

    /// The parameters of the workflow's type, without bounds and with defaults, so that code that needs no particular
    /// instance can name the type without arguments.
    pub(crate) fn of_type(&self) -> Option<TokenStream> {
        self.declared(true)
    }

    /// As [`of_type`](Self::of_type), for an `impl`.
    pub(crate) fn of_impl(&self) -> Option<TokenStream> {
        self.declared(false)
    }

    fn declared(&self, with_defaults: bool) -> Option<TokenStream> {
        if self.is_empty() {
            return None;
        }
        let params = self.source.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => {
                let ident = &param.ident;
                let default = with_defaults.then(|| quote!(= ()));
                Some(quote!(#ident: ?::core::marker::Sized #default))
            }
            GenericParam::Const(param) => {
                let (ident, ty) = (&param.ident, &param.ty);
                let default =
                    with_defaults.then(|| match ty.to_token_stream().to_string().as_str() {
                        "bool" => quote!(= false),
                        "char" => quote!(= '\0'),
                        _ => quote!(= 0),
                    });
                Some(quote!(const #ident: #ty #default))
            }
            GenericParam::Lifetime(_) => None,
        });
        Some(quote!(<#(#params),*>))
    }

    /// The variant of the workflow's type that uses the parameters, so that they are not unused. It has no values.
    pub(crate) fn variant(&self) -> Option<TokenStream> {
        let types: Vec<_> = self.source.type_params().map(|param| &param.ident).collect();
        let name = hidden("parameters");
        (!types.is_empty()).then(|| {
            quote! {
                #[doc(hidden)]
                #name(
                    ::core::convert::Infallible,
                    ::core::marker::PhantomData<fn() -> (#(::core::marker::PhantomData<#types>,)*)>,
                )
            }
        })
    }

    /// A check that the stored parameters are `Durable` by the user's bounds alone.
    pub(crate) fn check(&self) -> Option<TokenStream> {
        if self.stored.is_empty() {
            // Without stored parameters, the check would only cost rustc time.
            return None;
        }
        let (params, _, bounds) = self.source.split_for_impl();
        let asks = self.stored.iter().map(|ident| {
            quote_spanned!(ident.span()=> ::piton::__private::stored_parameter::<#ident>();)
        });
        let check = hidden("check");
        Some(quote! {
            #[allow(dead_code, clippy::all, clippy::pedantic)]
            fn #check #params() #bounds { #(#asks)* }
        })
    }

    /// Checks that values of these types can be stored, assuming that the parameters can.
    pub(crate) fn ask(&self, types: Vec<&Type>) -> impl Iterator<Item = TokenStream> {
        // Parameters have a check of their own.
        let is_parameter = |ty: &Type| {
            matches!(ty, Type::Path(ty)
                if ty.path.get_ident().is_some_and(|ident| self.stored.contains(ident)))
        };
        let types = types.into_iter().filter(move |ty| !is_parameter(ty));
        types.map(|ty| quote_spanned!(ty.span()=> __piton::stored::<#ty>();))
    }
}

/// The bounds of a type parameter that can be extended: in the parameter list, or in the `where` clause.
fn bounds_of<'a>(
    generics: &'a mut Generics,
    name: &Ident,
) -> Option<&'a mut Punctuated<TypeParamBound, Token![+]>> {
    let predicates = generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates);
    let written = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) => Some(predicate),
        _ => None,
    });
    let mut of_name = written.filter(|predicate| {
        predicate.lifetimes.is_none()
            && matches!(&predicate.bounded_ty, Type::Path(ty) if ty.path.is_ident(name))
    });
    if let Some(predicate) = of_name.next() {
        return Some(&mut predicate.bounds);
    }
    let mut params = generics.params.iter_mut().filter_map(|param| match param {
        GenericParam::Type(param) => Some(param),
        _ => None,
    });
    params.find(|param| param.ident == *name).map(|param| &mut param.bounds)
}

/// Collects the parameters that `ty` stores.
fn find_stored(ty: &Type, params: &[Ident], found: &mut Vec<Ident>) {
    match ty {
        Type::Group(ty) => find_stored(&ty.elem, params, found),
        Type::Paren(ty) => find_stored(&ty.elem, params, found),
        Type::Array(ty) => find_stored(&ty.elem, params, found),
        Type::Tuple(ty) => ty.elems.iter().for_each(|ty| find_stored(ty, params, found)),
        Type::Path(ty) if ty.qself.is_none() => {
            if let Some(ident) = ty.path.get_ident()
                && params.contains(ident)
                && !found.contains(ident)
            {
                found.push(ident.clone());
            }
            let Some(last) = ty.path.segments.last() else { return };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return };
            if is_any_of(&last.ident, &CONTAINERS) {
                for argument in &arguments.args {
                    if let GenericArgument::Type(ty) = argument {
                        find_stored(ty, params, found);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The name and span of the first lifetime parameter.
pub(crate) fn first_lifetime(generics: &Generics) -> Option<(String, Span)> {
    let lifetime = &generics.lifetimes().next()?.lifetime;
    Some((lifetime.to_string(), lifetime.span()))
}
