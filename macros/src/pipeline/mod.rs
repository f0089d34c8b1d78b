//! The pipeline of passes behind `#[workflow]`.
//!
//! Input: the arguments of the attribute, and the item. Output: the items that replace it. `expand_function` parses and
//! checks the function (`frontend`, `check`); [`compile`] calls the passes in order: `resolve`, `anf`, `cfg`, `liveness`,
//! `layout`, `verify`, `codegen`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Item, ItemImpl, Signature, Visibility};

use crate::check::{check_body, use_imports_around};
use crate::diagnostics::Diagnostics;
use crate::diagnostics::rules::{Level, Rule};
use crate::flow::{cfg, liveness};
use crate::frontend::args::WorkflowArgs;
use crate::frontend::fragments::kept_together;
use crate::frontend::id_pattern::IdPattern;
use crate::frontend::method::{Kind, attribute_named};
use crate::frontend::parse::WorkflowFn;
use crate::frontend::{conditions, method, parse, raw, redact, shields, time_limits};
use crate::syntax::names::is_any_of;
use crate::verify::{lookups, pointers, repeated_states, saved_parts, unexposed};
use crate::{anf, codegen, layout, resolve};

/// Compiles `item`, a function or an `impl` block with functions. On an error, returns the errors and a function with
/// the same signature, so that its callers have no further errors.
pub(crate) fn expand(
    args: TokenStream,
    item: TokenStream,
    diagnostics: Diagnostics,
) -> TokenStream {
    if is_function(&item) {
        return expand_function(args, item, None, diagnostics);
    }
    let item = kept_together(item);
    if let Ok(mut block) = syn::parse2::<ItemImpl>(item.clone()) {
        if let Some(both) = conditions::split(&mut block, &quote!(::piton::workflow(#args))) {
            return diagnostics.finish_with(both);
        }
        return method::each(block, args, Kind::WORKFLOW, diagnostics, |args, function, head| {
            expand_function(args, function, Some(head), Diagnostics::new())
        });
    }
    expand_function(args, item, None, diagnostics)
}

/// Whether the item starts like a function.
fn is_function(item: &TokenStream) -> bool {
    let mut words = item.clone().into_iter().filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word),
        _ => None,
    });
    words.find(|word| is_any_of(word, &["fn", "impl"])).is_some_and(|word| word == "fn")
}

/// Compiles a function. `block` is the head of the `impl` block that contains it.
fn expand_function(
    args: TokenStream,
    mut item: TokenStream,
    block: Option<&ItemImpl>,
    diagnostics: Diagnostics,
) -> TokenStream {
    let tokens = args.clone();
    let args = WorkflowArgs::parse(args, &diagnostics);
    let Some(mut function) = parse::function(&mut item, &diagnostics) else {
        return diagnostics.finish_with(item);
    };
    if !diagnostics.has_errors()
        && let Some(both) = conditions::split(&mut function, &quote!(::piton::workflow(#tokens)))
    {
        return diagnostics.finish_with(both);
    }
    let head = (function.attrs.clone(), function.vis.clone(), function.sig.clone());
    raw::write_plainly(&mut function);
    time_limits::write_out(&mut function.block);
    shields::write_out(&mut function.block);
    let block = match block {
        Some(block) => Ok(Some(block.clone())),
        None => method::block_around(&function.sig, Kind::WORKFLOW, &diagnostics),
    };
    let method = match block {
        Ok(None) => Ok(None),
        Ok(Some(block)) => method::free(&mut function, &block, &diagnostics).map(Some).ok_or(()),
        Err(()) => Err(()),
    };
    let Ok(method) = method else { return stand_in(head, diagnostics) };
    let name = function.sig.ident.unraw().to_string();
    let stored = args.name.as_ref().map_or_else(
        || match &method {
            Some(method) => format!("{}::{name}", method.of_type),
            None => name.clone(),
        },
        syn::LitStr::value,
    );
    args.check_stored_name(&stored, &diagnostics);
    if let Some(former) = args.formerly.first()
        && !function.sig.generics.params.is_empty()
    {
        let message =
            "a generic workflow cannot have a former name: each of its instances has its own name";
        diagnostics.malformed(
            former,
            message,
            "remove it, and keep the names that `register!` gives",
        );
    }
    let of_body = Diagnostics::new();
    let replaced = check_body(&function.sig, &function.block, &args, &of_body);
    let parsed = parse::parse(function, stored, method, &diagnostics);
    diagnostics.append(of_body);
    let Some(mut function) = parsed else { return stand_in(head, diagnostics) };
    function.replaced = replaced;
    function.formerly = args.formerly;
    function.version = args.version;
    function.durability = args.durability;
    function.history = args.history;
    function.id = args.id.and_then(|id| IdPattern::of(&id, &function, &diagnostics));
    // A strict workflow warns about names that an edit may change.
    let unless_set = if args.strict { Level::Warn } else { Rule::REPEATED_STATE.default_level() };
    function.repeated_state = args.levels.of_or(Rule::REPEATED_STATE, unless_set);
    let is_refused = diagnostics.has_errors() || parse::has_name_twice(&function.params);
    let definition = if is_refused { None } else { compile(&mut function, &diagnostics) };
    let compiled = definition.filter(|_| !diagnostics.has_errors());
    let beside = diagnostics.finish_with(TokenStream::new());
    match compiled {
        Some(definition) => {
            let output = codegen::facade(&function, &definition, &beside);
            print_expansion(&name, &output);
            output
        }
        None => {
            let imports = use_imports_around(function.ident.span());
            codegen::unavailable(&function, &quote!(#beside #imports))
        }
    }
}

/// A replacement for a function whose signature is refused. Its body is left out: awaits in it would be refused again.
fn stand_in(
    (attrs, vis, mut sig): (Vec<Attribute>, Visibility, Signature),
    diagnostics: Diagnostics,
) -> TokenStream {
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(param) = input {
            redact::take(&mut param.attrs);
        }
    }
    let errors = diagnostics.finish_with(use_imports_around(sig.ident.span()));
    quote! {
        #(#attrs)*
        #[allow(unused_variables)]
        #vis #sig {
            #errors
            ::core::unreachable!()
        }
    }
}

/// Runs the passes and returns the items that define the workflow. `None` if a pass has reported an error.
fn compile(function: &mut WorkflowFn, diagnostics: &Diagnostics) -> Option<TokenStream> {
    let mut locals = resolve::resolve(
        function.context.as_ref(),
        &mut function.params,
        &mut function.body,
        diagnostics,
    );
    let mut dumps = Dumps::of(&function.name);
    let receiver = function.method.as_ref().and_then(|method| method.receiver.as_ref());
    if let Some(local) = receiver.and_then(|receiver| locals.find(receiver)) {
        locals[local].identity.name = "self".to_owned();
    }
    dumps.add("resolve", || dump::locals(&locals));
    let tree = anf::convert(function.context.as_ref(), &function.body, locals, diagnostics);
    repeated_states::report(&tree.points, function.repeated_state, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    dumps.add("anf", || dump::tree(&tree));
    let mut graph = cfg::build(tree, &function.params);
    let liveness = liveness::analyze(&graph);
    for item in &mut graph.items {
        compile_item(item, function, diagnostics);
    }
    dumps.add("cfg, liveness", || dump::graph(&graph, &liveness));
    let mut layout = layout::lay_out(&graph, &liveness);
    dumps.add("layout", || dump::layout(&graph, &layout));
    dumps.print();
    if let Err(reason) = layout::validate(&graph, &liveness, &layout) {
        diagnostics.error(
            function.ident.span(),
            Rule::UNSUPPORTED_AWAIT,
            format!("this workflow awaits in a place that cannot be compiled: {reason}"),
            "write `let value = operation.await;` before the statement, and use `value` in it; please report the \
             function, because rustc accepts it",
        );
        return None;
    }
    let moved_keys = lookups::check(&graph, &liveness, &layout, diagnostics);
    saved_parts::report(&graph, &layout, diagnostics);
    unexposed::report(function, &graph, &layout, diagnostics);
    pointers::report(&graph, &layout, diagnostics);
    layout::make_mutable(&mut graph, &mut function.params, &mut layout);
    function.states = layout.states.iter().map(|state| state.name.clone()).collect();
    // A printed expansion has comments for readers.
    let explains = std::env::var_os(EXPAND).is_some();
    (!diagnostics.has_errors())
        .then(|| codegen::generate(function, &graph, &layout, &moved_keys, explains))
}

/// Compiles an `async fn` in the body as a workflow that only this body can await.
fn compile_item(item: &mut Item, outer: &WorkflowFn, diagnostics: &Diagnostics) {
    let Item::Fn(function) = item else { return };
    if function.sig.asyncness.is_none() || attribute_named(&["activity"], &function.attrs).is_some()
    {
        return;
    }
    // The attribute is optional there.
    if let Some(index) = attribute_named(&["workflow"], &function.attrs) {
        let attr = function.attrs.remove(index);
        if !matches!(attr.meta, syn::Meta::Path(_)) {
            diagnostics.error(
                attr.path().span(),
                Rule::WORKFLOW_SIGNATURE,
                "a workflow in the body of another cannot have options",
                "remove the attribute, so that the options of the outer workflow apply, or move the function out of \
                 the body",
            );
        }
    }
    let name = format!("{}::{}", outer.name, function.sig.ident.unraw());
    if let Some(mut function) = parse::parse(function.clone(), name, None, diagnostics)
        && !diagnostics.has_errors()
    {
        function.is_nested = true;
        function.repeated_state = outer.repeated_state;
        if let Some(definition) = compile(&mut function, diagnostics) {
            *item = Item::Verbatim(codegen::facade(&function, &definition, &TokenStream::new()));
        }
    }
}

/// The dumps of the passes, if `PITON_DUMP` is `1` or the stored name.
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

/// The environment variable that requests expansions.
const EXPAND: &str = "PITON_EXPAND";

/// Prints the expansion if `PITON_EXPAND` is `1` or the function's name.
fn print_expansion(name: &str, output: &TokenStream) {
    let wanted = std::env::var(EXPAND).unwrap_or_default();
    if wanted != "1" && wanted != name {
        return;
    }
    let text = match syn::parse2(quote!(#output)) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => output.to_token_stream().to_string(),
    };
    eprintln!("// #[workflow] {name}\n{text}");
}

pub(crate) mod dump;
#[cfg(test)]
mod stability;
#[cfg(test)]
mod tests;
