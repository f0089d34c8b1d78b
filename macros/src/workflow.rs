//! The pipeline of passes behind `#[workflow]`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Item, ItemFn};

use crate::args::WorkflowArgs;
use crate::check::check_body;
use crate::diagnostics::Diagnostics;
use crate::parse::WorkflowFn;
use crate::{cfg, codegen, dump, layout, liveness, normalize, parse, resolve};

/// Compiles `item`. If anything is wrong with it, gives the errors and a function of the same
/// signature, so that its callers do not fail too.
pub(crate) fn expand(
    args: WorkflowArgs,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    let function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            diagnostics.push(error);
            return fail(diagnostics, item);
        }
    };
    let name = function.sig.ident.to_string();
    let stored = args.name.as_ref().map_or_else(|| name.clone(), syn::LitStr::value);
    let parsed = parse::parse(function.clone(), stored, &diagnostics);
    check_body(&function.sig, &function.block, &args, &diagnostics);
    let Some(mut function) = parsed else {
        // What the body awaits would be refused once more in a plain function.
        let ItemFn { attrs, vis, sig, .. } = function;
        let stand_in =
            quote!(#(#attrs)* #[allow(unused_variables)] #vis #sig { ::core::unreachable!() });
        return fail(diagnostics, stand_in);
    };
    let machine =
        if diagnostics.has_errors() { None } else { compile(&mut function, &diagnostics) };
    match machine {
        Some(mut output) if !diagnostics.has_errors() => {
            print_expansion(&name, &output);
            output.extend(diagnostics.take_warnings());
            // Nothing has been reported.
            let _ = diagnostics.finish();
            output
        }
        _ => {
            let facade = codegen::unavailable(&function);
            fail(diagnostics, facade)
        }
    }
}

/// The passes. `None` if one of them has reported an error.
fn compile(function: &mut WorkflowFn, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let locals = resolve::resolve(
        function.context.as_ref(),
        &mut function.params,
        &mut function.body,
        diagnostics,
    );
    let mut dumps = Dumps::of(&function.name);
    dumps.add("resolve", || dump::locals(&locals));
    let body = function.body.clone();
    let tree = normalize::normalize(function.context.as_ref(), body, locals, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    dumps.add("normalize", || dump::tree(&tree));
    let mut graph = cfg::build(tree, &function.params);
    for item in &mut graph.items {
        compile_item(item, &function.name, diagnostics);
    }
    let liveness = liveness::analyze(&graph);
    dumps.add("cfg, liveness", || dump::graph(&graph, &liveness));
    let layout = layout::lay_out(&graph, &liveness);
    dumps.add("layout", || dump::layout(&layout));
    dumps.print();
    if let Err(reason) = layout::validate(&graph, &layout) {
        diagnostics.malformed(
            &function.ident,
            format!("this workflow cannot be compiled: {reason}"),
            "this is a mistake in piton; please report it with the function",
        );
        return None;
    }
    (!diagnostics.has_errors()).then(|| codegen::generate(function, &graph, &layout))
}

/// An `async fn` in the body is a workflow of its own, which the body can only await.
fn compile_item(item: &mut Item, outer: &str, diagnostics: &Diagnostics) {
    let Item::Fn(function) = item else { return };
    if function.sig.asyncness.is_none() {
        return;
    }
    let name = format!("{outer}::{}", function.sig.ident);
    if let Some(mut function) = parse::parse(function.clone(), name, diagnostics)
        && !diagnostics.has_errors()
    {
        function.is_nested = true;
        if let Some(compiled) = compile(&mut function, diagnostics) {
            *item = Item::Verbatim(compiled);
        }
    }
}

/// The errors, and what stands for the function.
fn fail(diagnostics: Diagnostics, item: TokenStream) -> TokenStream {
    let mut output = diagnostics.take_warnings();
    if let Err(error) = diagnostics.finish() {
        output.extend(error.into_compile_error());
    }
    output.extend(item);
    output
}

/// The dumps of the passes, if the environment asks for them: `PITON_DUMP=1`, or the stored name.
struct Dumps(Option<String>);

impl Dumps {
    fn of(name: &str) -> Self {
        let wanted = std::env::var("PITON_DUMP").unwrap_or_default();
        Self((wanted == "1" || wanted == name).then(|| format!("// #[workflow] {name}\n")))
    }

    fn add(&mut self, pass: &str, dump: impl FnOnce() -> String) {
        if let Some(text) = &mut self.0 {
            text.push_str(&format!("// after {pass}\n{}", dump()));
        }
    }

    fn print(self) {
        if let Some(text) = self.0 {
            eprintln!("{text}");
        }
    }
}

/// Prints the expansion if the environment asks for it: `PITON_EXPAND=1`, or the function's name.
fn print_expansion(name: &str, output: &TokenStream) {
    let wanted = std::env::var("PITON_EXPAND").unwrap_or_default();
    if wanted != "1" && wanted != name {
        return;
    }
    let text = match syn::parse2(quote!(#output)) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => output.to_token_stream().to_string(),
    };
    eprintln!("// #[workflow] {name}\n{text}");
}

#[cfg(test)]
mod tests;
