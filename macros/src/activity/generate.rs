//! Generates the tokens of an activity.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{FnArg, LitStr, Pat, PatType, ReturnType, Signature, Type};

use super::args::ActivityArgs;
use super::entry::entry;
use super::function::ActivityFn;
use super::method::Method;
use super::placement::Placement;
use super::signature::{
    ActivitySignature, Lent, Parameter, Returns, is_context, is_context_of_workflows,
};
use crate::check::use_imports_around;
use crate::codegen::clippy;
use crate::codegen::is_of_lints;
use crate::diagnostics::Diagnostics;
use crate::syntax::owned::{has_no_size, make_static, stored_parts};

/// The items that replace the function, or the method in an `impl` block.
pub(super) fn generate(
    args: &ActivityArgs,
    function: &ActivityFn,
    method: Option<&Method>,
    signature: &ActivitySignature<'_>,
    placement: &Placement,
) -> TokenStream {
    let options = args.to_token_stream();
    let activity = activity_impl(args, &options, function, method, signature);
    let body = body(function, method, placement.named(signature));
    if method.is_some() {
        let call = call(&options, function, signature, placement, Some(&activity));
        return quote!(#call #body);
    }
    let definition = definition(function);
    let call = call(&options, function, signature, placement, None);
    quote!(#definition #call #body #activity)
}

/// The type that carries the activity's definition.
fn definition(function: &ActivityFn) -> TokenStream {
    let ActivityFn { visibility, signature: Signature { ident, .. }, .. } = function;
    let lints = function.attributes.iter().filter(|attribute| is_of_lints(attribute));
    let (cfgs, cfgs_of_impl) = (function.cfgs(), function.cfgs());
    quote! {
        #(#cfgs)*
        #(#lints)*
        #[doc(hidden)]
        #[allow(missing_docs, non_camel_case_types)]
        #visibility enum #ident {}
        #(#cfgs_of_impl)*
        impl ::piton::__private::Checked for #ident {}
    }
}

/// The function that creates a call. For a method it contains the definition, which an `impl` block cannot.
fn call(
    options: &TokenStream,
    function: &ActivityFn,
    signature: &ActivitySignature<'_>,
    placement: &Placement,
    activity: Option<&TokenStream>,
) -> TokenStream {
    let ActivityFn { visibility, signature: Signature { ident, generics, fn_token, .. }, .. } =
        function;
    let attributes = function.outer_attributes();
    let (arguments, params) = parameters(ident, signature);
    let call = call_value(ident, options, placement, &arguments);
    let (called, definition) = match activity {
        None => (quote!(#ident), TokenStream::new()),
        Some(activity) => {
            let (returned, output) = (returned(signature), output(signature));
            (
                quote! {
                    impl ::piton::__private::Activity<Return = #returned, Output = #output> + use<>
                },
                quote!(#[allow(non_camel_case_types)] enum #ident {} #activity),
            )
        }
    };
    let lints = lints();
    let where_clause = &generics.where_clause;
    quote! {
        #(#attributes)*
        #lints
        #visibility #fn_token #ident #generics (
            #(#params),*
        ) -> ::piton::__private::ActivityCall<#called> #where_clause {
            #definition
            #call
        }
    }
}

/// The clippy lints that the generated function allows.
fn lints() -> Option<TokenStream> {
    clippy::only(|| quote!(#[allow(clippy::needless_pass_by_value, clippy::too_many_arguments)]))
}

/// The value of a call.
fn call_value(
    ident: &Ident,
    options: &TokenStream,
    placement: &Placement,
    arguments: &TokenStream,
) -> TokenStream {
    let activity = quote!(<#ident as ::piton::__private::Activity>);
    let with = (!options.is_empty()).then(|| quote!(.with(#activity::OPTIONS)));
    let (made, placed) = placement.tokens();
    quote! {
        #made
        ::piton::__private::ActivityCall::<#ident> {
            call: ::piton::__private::Call::new(#arguments, #activity::NAME)#with #placed,
            activity: ::piton::__private::PhantomData,
        }
    }
}

/// The encoded arguments of a call, and the parameters. This is the only place where rustc checks that the parameter
/// types can be stored; the spans make it point at the types that cannot.
fn parameters(ident: &Ident, signature: &ActivitySignature<'_>) -> (TokenStream, Vec<TokenStream>) {
    let activity = quote!(<#ident as ::piton::__private::Activity>);
    let mut written = Vec::new();
    let mut list = quote!(::piton::__private::Arguments::of(#activity::ARGUMENTS));
    for Parameter { name, ty, owned, lent, is_receiver, .. } in &signature.parameters {
        written.push(match (is_receiver, lent) {
            (true, Lent::No) => quote!(#name),
            (true, _) => quote!(&#name),
            (false, _) => quote!(#name: #ty),
        });
        let span = if *is_receiver { name.span() } else { ty.span() };
        let add = match lent {
            Lent::No => quote!(stored_argument),
            Lent::Whole => quote!(lent_argument),
            // They are encoded as their owned types, which rustc checks.
            Lent::Part | Lent::Within(_) => {
                let ask = quote_spanned!(span=> ::piton::__private::stored::<#owned>());
                let borrow = matches!(lent, Lent::Within(_)).then(|| quote!(&));
                list = quote! {{
                    #[allow(unused_imports)]
                    use ::piton::__private::{Encodable as _, Unencodable as _};
                    #ask;
                    (&::piton::__private::Encoded(#borrow #name)).piton_added_to(#list)
                }};
                continue;
            }
        };
        let add = quote_spanned!(span=> ::piton::__private::#add::<#owned>);
        list = quote!(#add(#list, #name));
    }
    (list, written)
}

/// The body, as a function for tests. Parameters `used` elsewhere get no lint.
fn body(function: &ActivityFn, method: Option<&Method>, used: Vec<&Ident>) -> TokenStream {
    let ActivityFn { visibility, signature, body, .. } = function;
    let mut signature = signature.clone();
    for input in &mut signature.inputs {
        if let FnArg::Typed(PatType { attrs, pat, .. }) = input
            && matches!(&**pat, Pat::Ident(pat) if used.contains(&&pat.ident))
        {
            attrs.push(syn::parse_quote!(#[allow(unused_variables)]));
        }
    }
    let ident = &function.signature.ident;
    let attributes = function.body_attributes();
    let name = match method {
        Some(_) => Method::body_name(ident),
        None => format_ident!("call", span = ident.span()),
    };
    signature.ident = name;
    let doc = format!("Runs the body of the activity `{ident}`, as a unit test does.");
    let body = quote! {
        #[doc = #doc]
        #(#attributes)*
        #visibility #signature #body
    };
    if method.is_some() {
        return body;
    }
    let cfgs = function.cfgs();
    quote! {
        #(#cfgs)*
        impl #ident {
            #body
        }
    }
}

fn activity_impl(
    args: &ActivityArgs,
    options: &TokenStream,
    function: &ActivityFn,
    method: Option<&Method>,
    signature: &ActivitySignature<'_>,
) -> TokenStream {
    let ident = &function.signature.ident;
    let cfgs = function.cfgs();
    let unraw = ident.unraw();
    let name = args.name.clone().unwrap_or_else(|| {
        let name = method.map_or_else(|| unraw.to_string(), |method| method.stored_name(&unraw));
        LitStr::new(&name, ident.span())
    });
    let (returned, output) = (returned(signature), output(signature));
    let of_error = error_type(signature);
    let (unstored, outcomes) = match signature.returns {
        Returns::Result(_) => (quote!(UnstoredResult), quote!(RESULT_OUTCOMES)),
        Returns::Plain(_) | Returns::Unit => (quote!(Unstored), quote!(OUTCOMES)),
    };
    let asks = match signature.returns {
        Returns::Result(ty) | Returns::Plain(ty) => stored_parts(ty),
        Returns::Unit => Vec::new(),
    };
    let asks =
        asks.into_iter().map(|ty| quote_spanned!(ty.span()=> ::piton::__private::stored::<#ty>();));
    let options = (!options.is_empty()).then(|| {
        let lints = clippy::only(|| quote!(#[allow(clippy::needless_update)]));
        quote! {
            #lints
            const OPTIONS: ::piton::__private::ActivityOptions = #options;
        }
    });
    let kinds = signature.parameters.iter().map(|parameter| {
        let (owned, name) = (&parameter.owned, &parameter.stored_name);
        let kind = quote!(::piton::__private::ValuesOf::<#owned>::VALUES.kind);
        match name {
            Some(name) => quote!(#kind.named(#name)),
            None => kind,
        }
    });
    let error = error(args, signature);
    let entry = entry(args, function, method, signature);
    quote! {
        #(#cfgs)*
        impl ::piton::__private::Activity for #ident {
            type Return = #returned;
            type Output = #output;
            type Error = #of_error;
            const NAME: &'static str = #name;
            const PLACE: (&'static str, u32) = (::core::file!(), ::core::line!());
            #options
            const ARGUMENTS: &'static [::piton::__private::ArgumentKind] = {
                #[allow(unused_imports)]
                use ::piton::__private::Unstored as _;
                &[#(#kinds),*]
            };
            const OUTCOMES: &'static ::piton::__private::Outcomes<Self::Return, Self::Output, Self::Error> = {
                #[allow(unused_imports)]
                use ::piton::__private::#unstored as _;
                #(#asks)*
                ::piton::__private::ValuesOf::<#returned>::#outcomes
            };

            #error
            #entry
        }
    }
}

/// The return type of the body.
pub(super) fn returned(signature: &ActivitySignature<'_>) -> TokenStream {
    match signature.returns {
        Returns::Result(ty) | Returns::Plain(ty) => ty.to_token_stream(),
        Returns::Unit => quote!(()),
    }
}

/// The output of an awaited call.
fn output(signature: &ActivitySignature<'_>) -> TokenStream {
    match signature.returns {
        Returns::Result(ty) => output_of_result(ty),
        Returns::Plain(ty) => ty.to_token_stream(),
        Returns::Unit => quote!(()),
    }
}

/// The error type of the function.
fn error_type(signature: &ActivitySignature<'_>) -> TokenStream {
    match signature.returns {
        Returns::Result(ty) => error_of_result(ty),
        Returns::Plain(_) | Returns::Unit => quote!(::core::convert::Infallible),
    }
}

fn error_of_result(ty: &Type) -> TokenStream {
    quote_spanned!(ty.span()=> <#ty as ::piton::__private::ResultParts>::Err)
}

fn output_of_result(ty: &Type) -> TokenStream {
    let error = error_of_result(ty);
    quote_spanned! {ty.span()=>
        ::core::result::Result<
            <#ty as ::piton::__private::ResultParts>::Ok,
            ::piton::__private::ActivityError<#error>,
        >
    }
}

/// The classification of the function's errors, for the engine.
fn error(args: &ActivityArgs, signature: &ActivitySignature<'_>) -> Option<TokenStream> {
    let Returns::Result(_) = signature.returns else { return None };
    let patterns = &args.retry.non_retryable;
    let retry = if patterns.is_empty() {
        quote!((&__piton_probe).piton_retry())
    } else {
        quote! {
            match __piton_error {
                #(#patterns)|* => NEVER_AGAIN,
                #[allow(unreachable_patterns)]
                _ => (&__piton_probe).piton_retry(),
            }
        }
    };
    Some(quote! {
        fn error(__piton_error: &Self::Error) -> ::piton::__private::ReportedError {
            #[allow(unused_imports)]
            use ::piton::__private::report::*;
            let __piton_probe = ErrorProbe(__piton_error);
            (&&&__piton_probe).piton_reported(#retry)
        }
    })
}

/// A replacement for a refused activity: its type and function, so that code that uses them is checked as usual.
pub(super) fn refused(
    function: &ActivityFn,
    is_method: bool,
    errors: &TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let ActivityFn { visibility, signature, .. } = function;
    let Signature { ident, generics, inputs, .. } = signature;
    let mut returned = match &signature.output {
        ReturnType::Default => syn::parse_quote!(()),
        ReturnType::Type(_, ty) => (**ty).clone(),
    };
    make_static(&mut returned);
    let is_result = matches!(&returned, Type::Path(path)
        if path.path.segments.last().is_some_and(|last| last.ident == "Result"));
    let output = if is_result { output_of_result(&returned) } else { quote!(#returned) };
    // Callers never pass the context.
    let is_given = |input: &&FnArg| {
        !matches!(input, FnArg::Typed(input)
            if is_context(&input.ty) || is_context_of_workflows(&input.ty))
    };
    let params = inputs.iter().filter(is_given).cloned();
    let params = params.map(|mut input| {
        match &mut input {
            FnArg::Typed(input) if has_no_size(&input.ty) => make_static(&mut input.ty),
            _ => {}
        }
        input
    });
    let attributes = function.outer_attributes();
    let imports = use_imports_around(ident.span());
    let errors = diagnostics.finish_with(errors.clone());
    let stands_for = quote!(::piton::__private::Refused<#output>);
    let (_, _, where_clause) = generics.split_for_impl();
    let definition = (!is_method).then(|| definition(function));
    quote! {
        #definition
        #(#attributes)*
        #[allow(unused_variables, clippy::too_many_arguments)]
        #visibility fn #ident #generics (
            #(#params),*
        ) -> ::piton::__private::ActivityCall<#stands_for> #where_clause {
            #errors
            #imports
            ::core::unreachable!()
        }
    }
}
