//! `#[query]` and `#[validator]`: pure functions of exposed variables. They are unchanged.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{FnArg, ItemFn, Lifetime, Pat, Path, ReturnType, Token, Type, parse_quote};

use crate::diagnostics::Diagnostics;
use crate::syntax::root::parse_crate;

/// The kind of the function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Query,
    Validator,
}

/// `order`, perhaps followed by `crate = "…"`.
struct Args {
    workflow: Path,
}

impl Parse for Args {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let workflow = input.parse()?;
        while !input.is_empty() {
            input.parse::<Token![,]>()?;
            if input.is_empty() {
                break;
            }
            let key = input.call(Ident::parse_any)?;
            if key != "crate" {
                return Err(syn::Error::new(key.span(), "unknown option"));
            }
            parse_crate(input)?;
        }
        Ok(Self { workflow })
    }
}

/// A parameter for an exposed variable, or for the request that a validator checks.
struct Lent {
    name: Ident,
    ty: Type,
}

/// Adds the items for calls of the function.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    kind: Kind,
    diagnostics: Diagnostics,
) -> TokenStream {
    let help = match kind {
        Kind::Query => "write `#[query(order)]` with the workflow whose exposed variables it reads",
        Kind::Validator => "write `#[validator(order)]` with the workflow that the update is for",
    };
    let Args { workflow } = match syn::parse2(args) {
        Ok(args) => args,
        Err(error) => {
            let rule = crate::diagnostics::rules::Rule::ATTRIBUTES;
            diagnostics.error(error.span(), rule, error.to_string(), help);
            return diagnostics.finish_with(item);
        }
    };
    // rustc reports syntax errors better.
    let Ok(function) = syn::parse2::<ItemFn>(item.clone()) else {
        return diagnostics.finish_with(item);
    };
    let beside = is_pure(&function, kind, &diagnostics)
        .then(|| match kind {
            Kind::Query => query(&function, &workflow, &diagnostics),
            Kind::Validator => validator(&function, &workflow, &diagnostics),
        })
        .flatten();
    // The parameter is a reference to the variable's own type, so it cannot be a `&str` or a slice.
    diagnostics.finish_with(quote!(#[allow(clippy::ptr_arg)] #item #beside))
}

/// Reports unsupported functions.
fn is_pure(function: &ItemFn, kind: Kind, diagnostics: &Diagnostics) -> bool {
    let what = match kind {
        Kind::Query => "a query",
        Kind::Validator => "a validator",
    };
    let sig = &function.sig;
    if let Some(token) = &sig.asyncness {
        diagnostics.malformed(
            token,
            format!("{what} reads a saved state and cannot be `async`"),
            "remove `async`",
        );
        return false;
    }
    if !sig.generics.params.is_empty() {
        diagnostics.malformed(
            &sig.generics.params,
            format!("{what} cannot have type or lifetime parameters"),
            "write concrete types, and remove the lifetimes",
        );
        return false;
    }
    true
}

/// The borrowed variable: `name: &T`, where `T` is a nameable type.
fn lent(param: &FnArg) -> Option<Lent> {
    let FnArg::Typed(param) = param else { return None };
    let Pat::Ident(pat) = &*param.pat else { return None };
    Some(Lent { name: pat.ident.clone(), ty: lent_type(&param.ty)? })
}

/// The type of the borrowed variable.
fn lent_type(ty: &Type) -> Option<Type> {
    let Type::Reference(reference) = ty else { return None };
    let is_text = matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("str"));
    let is_unsized = is_text || matches!(&*reference.elem, Type::Slice(_) | Type::TraitObject(_));
    let is_lent = reference.mutability.is_none() && !is_unsized;
    is_lent.then(|| (*reference.elem).clone())
}

/// Makes rustc refuse a variable that the workflow does not expose.
fn check_exposed(workflow: &Path, lent: &[Lent]) -> TokenStream {
    let shown = path_text(workflow);
    let checks = lent.iter().map(|Lent { name, .. }| {
        let text = name.unraw().to_string();
        let message = format!(
            "`{shown}` exposes no variable `{text}`: write `#[expose] let mut {text} = …;` in it"
        );
        quote_spanned! {name.span()=>
            const _: () = ::core::assert!(::piton::__private::exposes::<#workflow>(#text), #message);
        }
    });
    quote!(#(#checks)*)
}

fn path_text(path: &Path) -> String {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

/// The type beside a query. Its function `args` creates a call.
fn query(function: &ItemFn, workflow: &Path, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let ident = &function.sig.ident;
    let exposed: Vec<Lent> = function.sig.inputs.iter().map_while(lent).collect();
    if exposed.is_empty() {
        diagnostics.malformed(
            &function.sig,
            "a query must read at least one exposed variable",
            "take exposed variables as the first parameters, each by its name and by reference: `fn total(cart: \
             &Cart, currency: &str)`; write `&String` for an exposed text",
        );
        return None;
    }
    let (mut params, mut names, mut checks) = (Vec::new(), Vec::new(), Vec::new());
    let mut arguments = Vec::new();
    for (index, param) in function.sig.inputs.iter().enumerate().skip(exposed.len()) {
        let FnArg::Typed(param) = param else { return None };
        let name = match &*param.pat {
            Pat::Ident(pat) => pat.ident.clone(),
            _ => format_ident!("__piton_argument{}", index),
        };
        arguments.push((name.unraw().to_string(), owned_type(&param.ty)));
        let mut ty = (*param.ty).clone();
        Named.visit_type_mut(&mut ty);
        let text = name.unraw().to_string();
        let message = format!(
            "`{text}` is an argument of this query and also an exposed variable of `{}`: rename the argument, or \
             take the variable before the arguments as `&T` (`&String` for a text)",
            path_text(workflow)
        );
        checks.push(quote_spanned! {name.span()=>
            const _: () =
                ::core::assert!(!::piton::__private::exposes::<#workflow>(#text), #message);
        });
        params.push(quote!(#name: #ty));
        names.push(name);
    }
    let is_exposed = check_exposed(workflow, &exposed);
    let output = match &function.sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let vis = &function.vis;
    let given = given(exposed.len());
    let read = read(&exposed);
    let by_name = by_name(ident, workflow, &exposed, &arguments);
    let doc = format!("Queries [`{ident}`](fn@{ident}).");
    Some(quote! {
        #[doc = #doc]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #ident {}

        impl #ident {
            /// A call of the query with these arguments.
            #[allow(dead_code, clippy::extra_unused_lifetimes)]
            #vis fn args<'__piton>(
                #(#params),*
            ) -> ::piton::client::QueryCall<'__piton, #workflow, #output> {
                ::piton::client::QueryCall::new(move |__piton_exposed: &::piton::client::Exposed| {
                    #(#read)*
                    ::core::result::Result::Ok(#ident(#(&#given,)* #(#names),*))
                })
            }
        }

        #is_exposed
        #(#checks)*
        #by_name
    })
}

/// Decodes the exposed variables into locals.
fn read(exposed: &[Lent]) -> Vec<TokenStream> {
    let locals = given(exposed.len());
    let each = exposed.iter().zip(locals).map(|(Lent { name, ty }, local)| {
        let text = name.unraw().to_string();
        quote_spanned!(ty.span()=> let #local: #ty = __piton_exposed.read(#text)?;)
    });
    each.collect()
}

/// The locals of the exposed variables.
fn given(count: usize) -> Vec<Ident> {
    (0..count).map(|index| format_ident!("__piton_exposed{}", index)).collect()
}

/// Registers a query, for calls by its name.
fn by_name(
    ident: &Ident,
    workflow: &Path,
    exposed: &[Lent],
    arguments: &[(String, Option<Owned>)],
) -> TokenStream {
    let names: Vec<_> = arguments.iter().map(|(name, _)| name).collect();
    let answer = match arguments.iter().find(|(_, owned)| owned.is_none()) {
        Some((name, _)) => quote! {
            ::core::result::Result::Err(__piton_arguments.not_owned(#name))
        },
        None => answer(ident, exposed, arguments),
    };
    quote! {
        const _: () = {
            #[allow(unused_variables)]
            fn run(
                __piton_exposed: &::piton::client::Exposed,
                __piton_arguments: &::piton::__private::QueryArguments<'_>,
            ) -> ::core::result::Result<::piton::__private::Json, ::piton::error::QueryError> {
                #answer
            }
            extern "C" fn register() {
                static QUERY: ::piton::__private::Query = ::piton::__private::Query::of::<#workflow>(
                    ::core::concat!(::core::module_path!(), "::", ::core::stringify!(#ident)),
                    &[#(#names),*],
                    run,
                );
                QUERY.register();
            }
            ::piton::__register! { register }
        };
    }
}

/// Calls the function with decoded arguments, and encodes its result.
fn answer(ident: &Ident, exposed: &[Lent], arguments: &[(String, Option<Owned>)]) -> TokenStream {
    let (given, read) = (given(exposed.len()), read(exposed));
    let (mut decoded, mut passed) = (Vec::new(), Vec::new());
    for (index, (name, owned)) in arguments.iter().enumerate() {
        let Some(Owned { ty, is_lent }) = owned else { continue };
        let local = format_ident!("__piton_argument{}", index);
        decoded.push(quote! {
            let #local = (&::piton::__private::QueryArgument::<#ty>::new())
                .read(__piton_arguments, #name)?;
        });
        passed.push(if *is_lent { quote!(&#local) } else { quote!(#local) });
    }
    quote! {
        #[allow(unused_imports)]
        use ::piton::__private::{NoAnswer as _, NoArgument as _, ReadArgument as _, ShowAnswer as _};
        #(#read)*
        #(#decoded)*
        let __piton_answer = #ident(#(&#given,)* #(#passed),*);
        (&::piton::__private::QueryAnswer(&__piton_answer)).show(__piton_arguments)
    }
}

/// The type of a decoded argument.
struct Owned {
    ty: Type,
    /// Whether the function takes a reference to it.
    is_lent: bool,
}

/// `String` for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`, or the type itself; `None` if a part of it is borrowed or
/// has no name.
fn owned_type(ty: &Type) -> Option<Owned> {
    let (ty, is_lent) = match ty {
        Type::Reference(reference) if reference.mutability.is_some() => return None,
        Type::Reference(reference) => (&*reference.elem, true),
        ty => (ty, false),
    };
    let mut found = Unowned(false);
    found.visit_type(ty);
    if found.0 {
        return None;
    }
    let ty = match ty {
        Type::Path(path) if path.path.is_ident("str") => parse_quote!(::std::string::String),
        Type::Slice(slice) => {
            let item = &slice.elem;
            parse_quote!(::std::vec::Vec<#item>)
        }
        ty => ty.clone(),
    };
    Some(Owned { ty, is_lent })
}

/// Whether a type contains a borrow or a type without a name.
struct Unowned(bool);

impl Visit<'_> for Unowned {
    fn visit_lifetime(&mut self, _: &Lifetime) {
        self.0 = true;
    }

    fn visit_type(&mut self, ty: &Type) {
        self.0 |= matches!(
            ty,
            Type::Reference(_) | Type::ImplTrait(_) | Type::TraitObject(_) | Type::Infer(_)
        );
        visit::visit_type(self, ty);
    }
}

/// Names the elided lifetimes of references.
struct Named;

impl VisitMut for Named {
    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        let lifetime = || Lifetime::new("'__piton", reference.and_token.span);
        if reference.lifetime.is_none() {
            reference.lifetime = Some(lifetime());
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }
}

/// The registration of a validator.
fn validator(function: &ItemFn, workflow: &Path, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let ident = &function.sig.ident;
    let mut inputs = function.sig.inputs.iter();
    let request = inputs.next().and_then(|param| match param {
        FnArg::Typed(param) => lent_type(&param.ty),
        FnArg::Receiver(_) => None,
    });
    let params: Vec<Lent> = inputs.by_ref().map_while(lent).collect();
    let is_whole = params.len() + 1 == function.sig.inputs.len();
    let Some(request) = request.filter(|_| is_whole) else {
        diagnostics.malformed(
            &function.sig,
            "a validator takes the update and exposed variables, each by reference",
            "write `fn name(request: &AddItem, cart: &Cart) -> Result<(), OutOfStock>`: the update, exposed \
             variables by their names, and the error of the refusal",
        );
        return None;
    };
    let is_exposed = check_exposed(workflow, &params);
    let (given, read) = (given(params.len()), read(&params));
    Some(quote! {
        #is_exposed

        const _: () = {
            fn run(
                __piton_request: &::piton::__private::Payload,
                __piton_exposed: &::piton::client::Exposed,
            ) -> ::core::result::Result<
                ::core::option::Option<::piton::__private::Payload>,
                ::piton::error::QueryError,
            > {
                ::piton::__private::validate::<#request>(__piton_request, |__piton_request| {
                    #(#read)*
                    ::core::result::Result::Ok(#ident(__piton_request, #(&#given),*))
                })
            }
            extern "C" fn register() {
                static VALIDATOR: ::piton::__private::Validator =
                    ::piton::__private::Validator::of::<#workflow, #request>(run);
                VALIDATOR.register();
            }
            ::piton::__register! { register }
        };
    })
}
