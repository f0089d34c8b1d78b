//! The entry through which a worker finds an activity and runs it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::ActivityFn;
use super::args::ActivityArgs;
use super::method::Method;
use super::signature::{ActivitySignature, Returns};
use crate::codegen::values_of;
use crate::hygiene::hidden;
use crate::owned::stored_parts;

pub(super) fn entry(
    args: &ActivityArgs,
    function: &ActivityFn,
    method: Option<&Method>,
    signature: &ActivitySignature<'_>,
) -> TokenStream {
    let ident = &function.signature.ident;
    let cfgs = function.cfgs();
    let given = hidden("given");
    let kind = match signature.connection {
        None => quote!(__piton::None),
        Some(ty) => quote!(__piton::Some(__piton::transaction::ConnectionKind::of::<#ty>())),
    };
    let attempt = attempt(args, ident, method, signature, &given);
    let check = check(signature);
    quote! {
        #(#cfgs)*
        const _: () = {
            use ::piton::__private as __piton;
            #[allow(unused_imports)]
            use ::piton::__private::Unstored as _;
            #check
            fn __piton_run(
                __piton_cx: __piton::ActivityContext,
                #given: __piton::Payload,
            ) -> __piton::BoxFuture<
                ::core::result::Result<
                    __piton::ActivityReport,
                    __piton::CodecError,
                >,
            > {
                #attempt
            }
            ::piton::__private::inventory::submit! {
                __piton::ActivityEntry {
                    name: <#ident as __piton::Activity>::NAME,
                    options: <#ident as __piton::Activity>::OPTIONS,
                    connection: #kind,
                    run: __piton_run,
                }
            }
        };
    }
}

/// The future of one attempt.
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
    let read = read(signature, &locals, given);
    let passed = passed(signature, &locals);
    let (take, give_back) = match signature.connection {
        None => (None, None),
        Some(_) => (
            Some(quote! {
                let mut __piton_lent =
                    __piton_cx.desk().take().expect("the engine lends a connection");
            }),
            Some(quote!(__piton_cx.desk().put(__piton_lent);)),
        ),
    };
    let body = method.map_or_else(|| quote!(#ident::call), |method| method.body(ident));
    // A blocking activity is called by a thread that may wait.
    let awaited = (!args.blocking).then(|| quote!(.await));
    let value = hidden("returned");
    let error = match signature.returns {
        Returns::Result(_) => quote! {
            <#ident as __piton::Activity>::error(&#value)
        },
        _ => quote!(__piton::None),
    };
    // The span makes rustc point at the activity's name if its future is not `Send`.
    quote_spanned! {ident.span()=>
        ::std::boxed::Box::pin(async move {
            #read
            #take
            let #value = #body(#(#passed)*) #awaited;
            #give_back
            __piton::report::returned(
                <#ident as __piton::Activity>::RETURNED,
                &#value,
                #error,
            )
        })
    }
}

/// Reads the arguments.
fn read(signature: &ActivitySignature<'_>, locals: &[Ident], given: &Ident) -> TokenStream {
    let arguments = hidden("arguments");
    let next = signature.parameters.iter().map(|parameter| {
        let values = values_of(&parameter.owned);
        quote!((#values.next)(&mut #arguments))
    });
    // With a way out for each argument rustc would have one more to compile for each.
    let read = quote! {
        let mut #arguments = __piton::ArgumentsReader::new(#given.as_bytes());
        let (#(__piton::Some(#locals),)* true) = (#(#next,)* #arguments.are_all()) else {
            return __piton::Err(#arguments.failure());
        };
    };
    if locals.is_empty() {
        quote!({ #read })
    } else {
        quote!(let (#(#locals,)*) = { #read (#(#locals,)*) };)
    }
}

/// What the body is called with.
fn passed(signature: &ActivitySignature<'_>, locals: &[Ident]) -> Vec<TokenStream> {
    let arguments = signature.parameters.iter().zip(locals).map(|(parameter, local)| {
        let borrow = parameter.by_reference.then(|| quote!(&));
        let lend = parameter.lent_by.map(|method| Ident::new(method, Span::call_site()));
        let lend = lend.map(|method| quote!(.#method()));
        quote!(#borrow #local #lend,)
    });
    let mut passed: Vec<_> = arguments.collect();
    let context = signature.has_context.then(|| quote!(&__piton_cx,));
    let lent = signature
        .connection
        .map(|ty| quote!(__piton::transaction::connection::<#ty>(&mut *__piton_lent),));
    // What is lent comes after `self`.
    let receivers = signature.parameters.iter().filter(|parameter| parameter.is_receiver).count();
    passed.insert(receivers, quote!(#context #lent));
    passed
}

/// Asks of each type in the signature whether it can be stored. The spans make rustc point at those
/// that cannot.
fn check(signature: &ActivitySignature<'_>) -> Option<TokenStream> {
    let of_parameters = signature.parameters.iter().map(|parameter| {
        let owned = &parameter.owned;
        let span = if parameter.is_receiver { parameter.name.span() } else { parameter.ty.span() };
        quote_spanned!(span=> __piton::stored::<#owned>();)
    });
    let of_value = match signature.returns {
        Returns::Result(ty) | Returns::Plain(ty) => stored_parts(ty),
        Returns::Unit => Vec::new(),
    };
    let of_value =
        of_value.into_iter().map(|ty| quote_spanned!(ty.span()=> __piton::stored::<#ty>();));
    let stored: Vec<_> = of_parameters.chain(of_value).collect();
    (!stored.is_empty()).then(|| {
        quote! {
            #[allow(dead_code)]
            fn __piton_check() { #(#stored)* }
        }
    })
}
