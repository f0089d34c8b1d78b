//! The output of every pass for representative functions.

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Diagnostics;
use crate::flow::{cfg, liveness};
use crate::frontend::parse;
use crate::pipeline::dump;
use crate::{anf, codegen, layout, resolve};

/// The dumps of all passes, one after the other.
fn passes(source: TokenStream) -> String {
    let diagnostics = Diagnostics::new();
    let function = syn::parse2(source).expect("a function");
    let mut function =
        parse::parse(function, "run".into(), None, &diagnostics).expect("a workflow");
    let locals = resolve::resolve(
        function.context.as_ref(),
        &mut function.params,
        &mut function.body,
        &diagnostics,
    );
    let mut out = format!("resolve\n{}", dump::locals(&locals));
    let body = function.body.clone();
    let tree = anf::convert(function.context.as_ref(), &body, locals, &diagnostics);
    out += &format!("\nanf\n{}", dump::tree(&tree));
    diagnostics.finish().expect("nothing is wrong with it");
    let mut graph = cfg::build(tree, &function.params);
    let liveness = liveness::analyze(&graph);
    out += &format!("\ncfg, liveness\n{}", dump::graph(&graph, &liveness));
    let mut layout = layout::lay_out(&graph, &liveness);
    layout::validate(&graph, &liveness, &layout).expect("a machine");
    out += &format!("\nlayout\n{}", dump::layout(&graph, &layout));
    layout::make_mutable(&mut graph, &mut function.params, &mut layout);
    let machine =
        syn::parse2(codegen::generate(&function, &graph, &layout, &[], true)).expect("items");
    out + &format!("\ncodegen\n{}", prettyplease::unparse(&machine))
}

#[test]
fn a_loop_over_calls() {
    insta::assert_snapshot!(passes(quote! {
        async fn run(cx: &Context, names: Vec<String>) -> Vec<String> {
            let mut greetings = Vec::new();
            for name in names {
                greetings.push(greet(&name).await);
                cx.sleep(seconds(1)).await;
            }
            greetings
        }
    }));
}

#[test]
fn a_select_and_early_returns() {
    insta::assert_snapshot!(passes(quote! {
        async fn run(cx: &Context, order: Order) -> piton::Result<Summary> {
            let receipt = charge(&order.id, order.cents).await?;
            if order.cents > 100_000 {
                select! {
                    ok = cx.signal::<Approve>() => info!(by = ok.by, "approved"),
                    _ = cx.sleep(days(3)) => { refund(receipt).await?; bail!("expired") }
                }
            }
            Ok(Summary { receipt })
        }
    }));
}

#[test]
fn steps_that_may_fail() {
    insta::assert_snapshot!(passes(quote! {
        async fn run(order: Order, owner: Owner, notes: Vec<String>) -> piton::Result<Summary> {
            let receipt = charge(&owner.card).await?;
            let parcel = ship(&receipt).await?;
            Ok(Summary { order, owner, notes, parcel })
        }
    }));
}

#[test]
fn shadowing_borrows_and_awaits_in_expressions() {
    insta::assert_snapshot!(passes(quote! {
        async fn run(x: u64) -> u64 {
            let x = step(x).await + other(x).await;
            let label = "sum";
            let text = &x;
            log(label).await;
            while step(*text).await > 3 {
                if other(1).await == 2 {
                    break;
                }
            }
            *text
        }
    }));
}

#[test]
fn parts_that_are_moved_out_and_filled() {
    insta::assert_snapshot!(passes(quote! {
        async fn run(order: Order, mut all: Orders) -> Orders {
            all.lines = ship(all.lines).await?;
            all.status = match all.status {
                Status::Paid(by) => notify(by).await,
                other => other,
            };
            let lines = order.lines;
            all.last = Order { lines: ship(lines).await?, ..order };
            all
        }
    }));
}

#[test]
fn async_blocks_as_branches() {
    insta::assert_snapshot!(passes(quote! {
        async fn run(cx: &Context, order: Order, mut count: u64) -> Vec<String> {
            let mut log = Vec::new();
            let (_, total) = join!(
                async {
                    for line in order.lines {
                        log.push(pack(&line).await);
                    }
                },
                async move {
                    count += price(count).await;
                    select! {
                        signed = async { sign(count).await? + sign(1).await? } => signed,
                        _ = cx.sleep(days(1)) => 0,
                    }
                },
            );
            log.push(total.to_string());
            send(&log, &order.customer, count).await;
            log
        }
    }));
}

/// Without what docs/machine.md leaves out: the paths of generated names, and the form.
fn bare(code: &str) -> String {
    const PATHS: [&str; 6] = [
        "::piton::__private::",
        "::core::option::Option::",
        "::core::result::",
        "::core::iter::",
        "__piton::",
        "__Piton",
    ];
    let code = code
        .replace("__piton_1", "ITEMS")
        .replace("f0_0", "f0")
        .replace("f1_0", "f1")
        .replace("Self::Return", "Vec<String>");
    let code = PATHS.iter().fold(code, |code, path| code.replace(path, ""));
    code.replace("__piton_", "").replace([' ', '\n', ';', ','], "")
}

/// Lines of which the page shows what matters.
const SHORTENED: [&str; 3] =
    ["let t0 = local::<_>();", "let t1 = item_list::<_>();", "greetings.push(value);"];

#[test]
fn the_documented_machine_is_what_is_made() {
    let machines = [
        include_str!("snapshots/piton_macros__pipeline__tests__a_loop_over_calls.snap"),
        include_str!("snapshots/piton_macros__pipeline__tests__steps_that_may_fail.snap"),
    ];
    let machine = machines.map(bare).concat();
    let page = include_str!("../../../docs/machine.md");
    let (_, listings) = page.split_once("## The states").expect("a part about states");
    let (listings, _) = listings.split_once("## Branches").expect("a part about branches");
    let code = listings.split("```rust").skip(1).filter_map(|after| after.split("```").next());
    let code = code.flat_map(str::lines);
    let lines = code.map(|line| line.split("//").next().unwrap_or_default());
    let lines: Vec<_> = lines.filter(|line| !line.contains('…')).map(bare).collect();
    assert!(lines.len() > 50, "{lines:#?}");
    let shortened = SHORTENED.map(bare);
    let is_made = |line: &String| machine.contains(line) || shortened.contains(line);
    let missing: Vec<_> = lines.iter().filter(|line| !is_made(line)).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
