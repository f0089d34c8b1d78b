//! The entry through which a worker finds an activity and runs it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::args::ActivityArgs;
use super::function::ActivityFn;
use super::generate::returned;
use super::method::Method;
use super::signature::{ActivitySignature, Lent, Returns};
use crate::codegen::values_of;
use crate::syntax::hygiene::hidden;

/// The items of the trait implementation for the worker. The registration is within one of them, which saves an item in
/// the module.
pub(super) fn entry(
    args: &ActivityArgs,
    function: &ActivityFn,
    method: Option<&Method>,
    signature: &ActivitySignature<'_>,
) -> TokenStream {
    let ident = &function.signature.ident;
    let given = hidden("given");
    let through = signature.connection.map(|ty| {
        quote! {
            const CONNECTION: ::core::option::Option<::piton::__private::transaction::ConnectionKind> =
                ::core::option::Option::Some(
                    ::piton::__private::transaction::ConnectionKind::of::<#ty>(),
                );
        }
    });
    let attempt = attempt(args, ident, method, signature, &given);
    let unstored = match signature.returns {
        Returns::Result(_) => quote!(Unstored as _, UnstoredResult as _),
        Returns::Plain(_) | Returns::Unit => quote!(Unstored as _),
    };
    quote! {
        #through

        fn attempt(
            __piton_cx: &::piton::__private::ActivityContext,
            #given: &mut ::piton::__private::Reader<'_>,
        ) -> ::core::option::Option<::piton::__private::Attempt> {
            use ::piton::__private as __piton;
            #[allow(unused_imports)]
            use __piton::{#unstored};
            ::piton::__register! { __piton::register_activity::<#ident> }
            #attempt
        }
    }
}

/// Decodes the arguments and creates the future of one attempt.
fn attempt(
    args: &ActivityArgs,
    ident: &Ident,
    method: Option<&Method>,
    signature: &ActivitySignature<'_>,
    given: &Ident,
) -> TokenStream {
    let locals: Vec<_> = (0..signature.parameters.len())
        .map(|index| format_ident!("__piton_argument_{index}"))
        .collect();
    let passed = passed(signature, &locals);
    // The spans make rustc point at the activity's name if its future is not `Send`.
    let span = ident.span();
    let body = match method {
        Some(method) => method.body(ident),
        None => quote_spanned!(span=> #ident::call),
    };
    let mut call = quote_spanned!(span=> #body(#(#passed)*));
    if args.blocking || signature.borrows() {
        call = lending(args, signature, &call);
    }
    let returned = returned(signature);
    let values = quote_spanned!(span=> __piton::ValuesOf::<#returned>);
    let attempt = match signature.returns {
        Returns::Result(_) => {
            let error = quote!(<#ident as __piton::Activity>::error);
            quote_spanned!(span=> #values::attempt_result(#call, #error))
        }
        Returns::Plain(_) | Returns::Unit => quote_spanned!(span=> #values::attempt(#call)),
    };
    let needs_context = signature.has_context || signature.connection.is_some();
    let context = needs_context.then(|| quote!(let __piton_cx = __piton_cx.clone();));
    with_arguments(signature, &locals, given, quote!(#context #attempt))
}

/// The future of an attempt, which owns the values that the function borrows.
fn lending(
    args: &ActivityArgs,
    signature: &ActivitySignature<'_>,
    call: &TokenStream,
) -> TokenStream {
    // A blocking activity is called on a thread that may block.
    let awaited = (!args.blocking).then(|| quote!(.await));
    if signature.connection.is_none() {
        return quote_spanned!(call.span()=> async move { #call #awaited });
    }
    quote_spanned! {call.span()=>
        async move {
            let mut __piton_lent = __piton_cx.desk().take().expect("the engine lends a connection");
            let __piton_returned = #call #awaited;
            __piton_cx.desk().put(__piton_lent);
            __piton_returned
        }
    }
}

/// Decodes the arguments, and evaluates `attempt` with them. With `let … else` instead of `match`, rustc would add a path
/// that drops a decoded value if dropping its source panics.
fn with_arguments(
    signature: &ActivitySignature<'_>,
    locals: &[Ident],
    given: &Ident,
    attempt: TokenStream,
) -> TokenStream {
    let read = signature.parameters.iter().zip(locals);
    read.rev().fold(attempt, |attempt, (parameter, local)| {
        let values = values_of(&parameter.owned);
        quote! {
            match (#values.next)(#given) {
                __piton::Some(#local) => { #attempt }
                __piton::None => __piton::None,
            }
        }
    })
}

/// The arguments of the body.
fn passed(signature: &ActivitySignature<'_>, locals: &[Ident]) -> Vec<TokenStream> {
    let arguments =
        signature.parameters.iter().zip(locals).map(|(parameter, local)| match parameter.lent {
            Lent::No => quote!(#local,),
            Lent::Whole | Lent::Part => quote!(&#local,),
            Lent::Within(method) => {
                let method = Ident::new(method, Span::call_site());
                quote!(#local.#method(),)
            }
        });
    let mut passed: Vec<_> = arguments.collect();
    let context = signature.has_context.then(|| quote!(&__piton_cx,));
    let lent = signature
        .connection
        .map(|ty| quote!(__piton::transaction::connection::<#ty>(&mut *__piton_lent),));
    // A connection follows `self`.
    let receivers = signature.parameters.iter().filter(|parameter| parameter.is_receiver).count();
    passed.insert(receivers, quote!(#context #lent));
    passed
}
