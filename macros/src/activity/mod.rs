//! `#[activity]`: an `async fn` that a workflow can call.
//!
//! ```text
//! #[activity(start_to_close = "30s")]
//! pub async fn charge(order: &str, cents: u64) -> Result<Receipt, Declined> { … }
//!
//! // becomes
//!
//! pub enum charge {}                                         // the type: `<charge as Activity>`
//! pub fn charge(order: &str, cents: u64) -> ActivityCall<charge> { … }
//! impl charge { pub async fn call(order: &str, cents: u64) -> Result<Receipt, Declined> { … } }
//! impl Activity for charge { … }
//! inventory::submit! { ActivityEntry { … } }
//! ```
//!
//! The body is kept token for token, also if it does not parse: rustc then says what is wrong with
//! it, and everything around it keeps its types.

mod args;
mod signature;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Signature, Visibility};

use self::args::ActivityArgs;
use self::signature::{ActivitySignature, Returns};
use crate::diagnostics::Diagnostics;

/// Compiles `item`. If anything is wrong with it, gives the errors and the item as it was.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let args = ActivityArgs::parse(args, &diagnostics);
    let function = match syn::parse2::<ActivityFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            diagnostics.push(error);
            return diagnostics.finish_with(item);
        }
    };
    // A mistake in the attribute leaves the types of the activity intact, so that the workflows
    // that call it get no errors of their own.
    let argument_errors = diagnostics.take_errors();
    let signature = ActivitySignature::parse(&function.signature, &args, &diagnostics);
    signature.check_patterns(&args.retry.non_retryable, &diagnostics);
    let mut output =
        if diagnostics.has_errors() { item } else { generate(&args, &function, &signature) };
    output.extend(argument_errors);
    diagnostics.finish_with(output)
}

/// An activity as written.
struct ActivityFn {
    attributes: Vec<Attribute>,
    visibility: Visibility,
    signature: Signature,
    /// Not looked into.
    body: TokenStream,
}

impl Parse for ActivityFn {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        Ok(Self {
            attributes: input.call(Attribute::parse_outer)?,
            visibility: input.parse()?,
            signature: input.parse()?,
            body: input.parse()?,
        })
    }
}

impl ActivityFn {
    /// Attributes that every item of the expansion needs.
    fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"))
    }

    /// Attributes of what users see: the function and the type.
    fn outer_attributes(&self) -> impl Iterator<Item = &Attribute> {
        const OUTER: [&str; 6] = ["doc", "cfg", "deprecated", "allow", "warn", "deny"];
        self.attributes
            .iter()
            .filter(|attribute| OUTER.iter().any(|name| attribute.path().is_ident(name)))
    }

    /// Attributes of the function that holds the body.
    fn body_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|attribute| {
            !["doc", "deprecated"].iter().any(|name| attribute.path().is_ident(name))
        })
    }
}

fn generate(
    args: &ActivityArgs,
    function: &ActivityFn,
    signature: &ActivitySignature<'_>,
) -> TokenStream {
    let definition = definition(function);
    let call = call(function, signature);
    let body = body(function);
    let activity = activity_impl(args, function, signature);
    let entry = entry(args, function, signature);
    quote!(#definition #call #body #activity #entry)
}

/// The type that carries what is known of the activity.
fn definition(function: &ActivityFn) -> TokenStream {
    let ActivityFn { visibility, signature: Signature { ident, .. }, .. } = function;
    let attributes = function.outer_attributes();
    let cfgs = function.cfgs();
    quote! {
        #(#attributes)*
        #[doc(hidden)]
        #[allow(missing_docs, non_camel_case_types)]
        #visibility enum #ident {}
        #(#cfgs)*
        impl ::piton::__private::Checked for #ident {}
    }
}

/// The function that makes a call.
fn call(function: &ActivityFn, signature: &ActivitySignature<'_>) -> TokenStream {
    let ActivityFn { visibility, signature: Signature { ident, generics, fn_token, .. }, .. } =
        function;
    let attributes = function.outer_attributes();
    let names: Vec<_> = signature.parameters.iter().map(|parameter| &parameter.name).collect();
    let types = signature.parameters.iter().map(|parameter| parameter.ty);
    let where_clause = &generics.where_clause;
    quote! {
        #(#attributes)*
        #[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]
        #visibility #fn_token #ident #generics (
            #(#names: #types),*
        ) -> ::piton::__private::ActivityCall<#ident> #where_clause {
            ::piton::__private::ActivityCall::new(&(#(#names,)*))
        }
    }
}

/// The body, as a function that tests can call.
fn body(function: &ActivityFn) -> TokenStream {
    let ActivityFn { visibility, signature, body, .. } = function;
    let ident = &signature.ident;
    let cfgs = function.cfgs();
    let attributes = function.body_attributes();
    let name = format_ident!("call", span = ident.span());
    let signature = Signature { ident: name, ..signature.clone() };
    let doc = format!("Runs the body of the activity `{ident}`, as a unit test does.");
    quote! {
        #(#cfgs)*
        impl #ident {
            #[doc = #doc]
            #(#attributes)*
            #visibility #signature #body
        }
    }
}

fn activity_impl(
    args: &ActivityArgs,
    function: &ActivityFn,
    signature: &ActivitySignature<'_>,
) -> TokenStream {
    let ident = &function.signature.ident;
    let cfgs = function.cfgs();
    let unraw = ident.unraw();
    let name = match &args.name {
        Some(name) => name.clone(),
        None => LitStr::new(&unraw.to_string(), ident.span()),
    };
    let (returns, output, convert) = match signature.returns {
        Returns::Result(ty) => (
            ty.to_token_stream(),
            quote_spanned! {ty.span()=>
                ::core::result::Result<
                    <#ty as ::piton::__private::ResultParts>::Ok,
                    ::piton::__private::ActivityError<
                        <#ty as ::piton::__private::ResultParts>::Err
                    >,
                >
            },
            quote!(::core::result::Result::Ok(::piton::__private::result_output(ended))),
        ),
        Returns::Plain(ty) => (ty.to_token_stream(), ty.to_token_stream(), plain_output()),
        Returns::Unit => (quote!(()), quote!(()), plain_output()),
    };
    let error = error(args, signature);
    quote! {
        #(#cfgs)*
        impl ::piton::__private::Activity for #ident {
            type Return = #returns;
            type Output = #output;
            const NAME: &'static str = #name;
            #[allow(clippy::needless_update)]
            const OPTIONS: ::piton::__private::ActivityOptions = #args;

            fn output(
                ended: ::core::result::Result<
                    Self::Return,
                    ::piton::__private::ActivityError<()>,
                >,
            ) -> ::core::result::Result<Self::Output, ::piton::__private::StepError> {
                #convert
            }

            #error
        }
    }
}

fn plain_output() -> TokenStream {
    quote! {
        ended.map_err(|__piton_error| {
            __piton_error.into_step_error(<Self as ::piton::__private::Activity>::NAME)
        })
    }
}

/// What is told of the error in a return value.
fn error(args: &ActivityArgs, signature: &ActivitySignature<'_>) -> Option<TokenStream> {
    let Returns::Result(_) = signature.returns else { return None };
    let patterns = &args.retry.non_retryable;
    let retry = if patterns.is_empty() {
        quote!((&__piton_probe).retry())
    } else {
        quote! {
            match __piton_error {
                #(#patterns)|* => NEVER_AGAIN,
                #[allow(unreachable_patterns)]
                _ => (&__piton_probe).retry(),
            }
        }
    };
    Some(quote! {
        fn error(
            __piton_returned: &Self::Return,
        ) -> ::core::option::Option<::piton::__private::ReportedError> {
            ::piton::__private::ResultParts::err_ref(__piton_returned).map(|__piton_error| {
                #[allow(unused_imports)]
                use ::piton::__private::report::*;
                let __piton_probe = ErrorProbe(__piton_error);
                (&&&__piton_probe).reported(#retry)
            })
        }
    })
}

/// The entry through which a worker finds and runs the activity.
fn entry(
    args: &ActivityArgs,
    function: &ActivityFn,
    signature: &ActivitySignature<'_>,
) -> TokenStream {
    let ident = &function.signature.ident;
    let cfgs = function.cfgs();
    let context = signature.has_context.then(|| quote!(&__piton_cx,));
    let locals: Vec<_> = (0..signature.parameters.len())
        .map(|index| format_ident!("__piton_argument_{index}"))
        .collect();
    let types = signature.parameters.iter().map(|parameter| &parameter.owned);
    let (kind, take, lent, give_back) = match signature.connection {
        None => (quote!(::core::option::Option::None), None, None, None),
        Some(ty) => (
            quote! {
                ::core::option::Option::Some(
                    ::piton::__private::transaction::ConnectionKind::of::<#ty>(),
                )
            },
            Some(quote! {
                let mut __piton_lent =
                    __piton_cx.desk().take().expect("the engine lends a connection");
            }),
            Some(quote! {
                ::piton::__private::transaction::connection::<#ty>(&mut *__piton_lent),
            }),
            Some(quote!(__piton_cx.desk().put(__piton_lent);)),
        ),
    };
    let passed = signature.parameters.iter().zip(&locals).map(|(parameter, local)| {
        let borrow = parameter.by_reference.then(|| quote!(&));
        quote!(#borrow #local)
    });
    // The spans make rustc point at the parameters if one cannot be decoded, and at the activity's
    // name if its future is not `Send`.
    let decoded = quote_spanned! {function.signature.paren_token.span.join()=>
        ::piton::__private::codec::from_payload(&__piton_arguments)?
    };
    // A blocking activity is called by a thread that may wait.
    let awaited = (!args.blocking).then(|| quote!(.await));
    let attempt = quote_spanned! {ident.span()=>
        ::std::boxed::Box::pin(async move {
            let (#(#locals,)*): (#(#types,)*) = #decoded;
            #take
            let __piton_returned = #ident::call(#context #lent #(#passed),*) #awaited;
            #give_back
            let __piton_error =
                <#ident as ::piton::__private::Activity>::error(&__piton_returned);
            ::piton::__private::report::returned::<#ident>(&__piton_returned, __piton_error)
        })
    };
    quote! {
        #(#cfgs)*
        const _: () = {
            fn __piton_run(
                __piton_cx: ::piton::__private::ActivityContext,
                __piton_arguments: ::piton::__private::Payload,
            ) -> ::piton::__private::BoxFuture<
                ::core::result::Result<
                    ::piton::__private::ActivityReport,
                    ::piton::__private::CodecError,
                >,
            > {
                #attempt
            }
            ::piton::__private::inventory::submit! {
                ::piton::__private::ActivityEntry {
                    name: <#ident as ::piton::__private::Activity>::NAME,
                    options: <#ident as ::piton::__private::Activity>::OPTIONS,
                    connection: #kind,
                    run: __piton_run,
                }
            }
        };
    }
}
