//! Mutated workflows: whatever the tokens, the macros must not panic, must come to an end, and must
//! give items that parse or an error.
//!
//! Most mutants are broken Rust, which exercises the ways out; single mutations of valid workflows
//! are often Rust that nobody would write, which exercises the passes.
//!
//! The mutants are the same in every run. Others, and more of them:
//!
//! ```text
//! PITON_FUZZ_CASES=100000 PITON_FUZZ_SEED=7 cargo test --release -p piton-macros --lib fuzz
//! ```

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use crate::diagnostics::Diagnostics;

/// What mutants are made from: every construct that a pass knows of.
const WORKFLOWS: &[&str] = &[
    r#"async fn sequence(cx: &Context, order: Order) -> piton::Result<Summary> {
        let receipt = charge(&order.id, order.cents).await?;
        let mut parcels = Vec::new();
        for item in order.items {
            parcels.push(ship(item, receipt.clone()).await?);
        }
        cx.sleep(days(3)).await;
        Ok(Summary { receipt, parcels })
    }"#,
    r#"async fn selects(cx: &Context, mut sum: i64) -> Result<i64, Error> {
        'wait: loop {
            select! {
                Bump(by) = cx.signal::<Bump>() => sum += by,
                _ = cx.sleep(seconds(5)) => { if sum > 9 { break 'wait; } continue 'wait }
                x = act(sum) => { sum = x?; }
            }
        }
        let (a, b) = join!(act(sum), fetch("x"));
        let (c, d) = try_join!(try_act(a?), try_act(sum))?;
        Ok(c + d + b.len() as i64)
    }"#,
    r#"async fn branches(n: i64) -> Option<String> {
        let text;
        if let Some(x) = find(n).await && x.len() > 3 { text = x; } else { return None; }
        let Some(length) = lookup(&text).await else { return fetch("none").await.into(); };
        let label = match shape(length).await {
            Shape::Circle { radius: r @ 0..=9 } if r > 2 => act(r).await.to_string(),
            Shape::Rect(a, _) | Shape::Named(a) => 'b: { break 'b format!("{a} {}", act(n).await); }
            ref other => describe(other),
        };
        while flag(n).await || n > 3 { tick().await; }
        Some(label + &text)
    }"#,
    r#"async fn expressions(mut v: Vec<i64>, (a, b): (i64, [i64; 2])) -> i64 {
        use std::cmp::max;
        const LIMIT: i64 = 3;
        fn helper(x: i64) -> i64 { x + LIMIT }
        async fn inner(x: i64) -> i64 { act(x).await }
        v[(act(a).await % 3) as usize] += helper(inner(b[0]).await);
        v.push({ let a = act(a).await; -a });
        let view = &v;
        let total = total(view).await + view.iter().map(|x| x * a).sum::<i64>();
        assert!(total > act(1).await, "{total} of {}", v.len());
        let texts = vec![format!("{a}{}", act(2).await)];
        let r = a..=act(3).await;
        (x, v[0]) = (max(total, r.count() as i64), [act(1).await; 2][1]);
        Box::pin(expressions(v, (a, b))).await
    }"#,
    r#"impl<T: Clone, const N: usize> Account<T, N> where Vec<T>: Durable {
        const FEE: i64 = 3;
        #[workflow(name = "settle", allow(clock))]
        pub async fn settle<U>(mut self, by: U) -> Result<Self, String> where U: Into<i64> {
            let Self { balance, .. } = &self;
            let text = format!("{self:?}{}", balance + Self::FEE);
            self.balance = add(self.balance, by.into()).await;
            Ok(Self { owner: fetch(&text).await, ..self })
        }
        #[workflow]
        async fn open(n: i64) -> Self { Self::settle(Self(act(n).await, self::rest()), n).await }
    }"#,
];

/// What is put into mutants.
const SNIPPETS: &[&str] = &[
    ".",
    ".await",
    "?",
    "async",
    "async {}",
    "async move { x.await }",
    "move",
    "{}",
    "()",
    "[]",
    "||",
    "|x| x.await",
    "match x { _ => y.await }",
    "'a",
    "'a:",
    "'wait: {}",
    "break",
    "break 'wait 1",
    "continue",
    "return",
    "return x",
    "loop {}",
    "for x in y {}",
    "while x {}",
    "if x {} else",
    "if let x = y",
    "select! {}",
    "select! { x = y => z, }",
    "join!()",
    "join!(a,)",
    "try_join!(a, b)",
    "let",
    "let x",
    "let _ =",
    "else",
    "=>",
    "=",
    "+=",
    "..",
    "..=",
    "&",
    "&mut",
    "*",
    "-",
    "!",
    "&&",
    ",",
    ";",
    ":",
    "::",
    "::<>",
    "<",
    ">",
    "->",
    "0",
    "1.5",
    "'c'",
    "\"{x}\"",
    "\"{\"",
    "b\"x\"",
    "x",
    "cx",
    "v",
    "_",
    "static",
    "static mut S: u8 = 0;",
    "unsafe {}",
    "#[cfg(any())]",
    "#[state(\"s\")]",
    "#![allow(x)]",
    "self",
    "Self",
    "dyn",
    "impl",
    "fn f() {}",
    "async fn f() {}",
    "async fn f(self) -> u8 { x.await }",
    "const X: u8 = 0;",
    "use a::b as c;",
    "macro_rules! m { () => {} }",
    "format!(\"{x} {}\", y.await)",
    "println!()",
    "vec![x.await; 2]",
    "x @ 1..=2",
    "ref x",
    "mut x",
    "box",
    "yield",
    "try",
    "as u8",
    "[0]",
    ".0",
    ".f(x.await)",
    "S { a: x.await, ..y }",
    "where T: Copy",
    "<T>",
    "const {}",
    "'_",
    "$",
    "r#in",
    "__piton_x",
];

/// Arguments of the attributes.
const ARGUMENTS: &[&str] = &[
    "name = \"x\", allow(clock, random)",
    "strict, warn(clock), deny(print)",
    "start_to_close = \"30s\", retry(initial = \"1s\", backoff = 2.0, max_attempts = 5)",
    "name = \"\", schedule_to_close = \"1h 30m\", retry(max_interval = \"1m\")",
];

/// One change at one place. Numbers are reduced to what there is.
#[derive(Clone, Debug)]
enum Mutation {
    Delete(usize),
    Duplicate(usize),
    SwapWithNext(usize),
    Insert(usize, usize),
    Replace(usize, usize),
    /// Puts a token of another workflow in place of this one.
    Graft(usize, usize, usize),
    /// Takes the delimiters of a group away.
    Unwrap(usize),
    Wrap(usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = || 0_usize..1_000;
    prop_oneof![
        place().prop_map(Mutation::Delete),
        place().prop_map(Mutation::Duplicate),
        place().prop_map(Mutation::SwapWithNext),
        (place(), 0..SNIPPETS.len()).prop_map(|(at, what)| Mutation::Insert(at, what)),
        (place(), 0..SNIPPETS.len()).prop_map(|(at, what)| Mutation::Replace(at, what)),
        (place(), 0..WORKFLOWS.len(), place()).prop_map(|(at, w, n)| Mutation::Graft(at, w, n)),
        place().prop_map(Mutation::Unwrap),
        (place(), 0_usize..3).prop_map(|(at, kind)| Mutation::Wrap(at, kind)),
    ]
}

fn tokens(text: &str) -> Vec<TokenTree> {
    text.parse::<TokenStream>().expect("the text is made of tokens").into_iter().collect()
}

/// How many token trees there are, groups and what is in them included.
fn count(trees: &[TokenTree]) -> usize {
    trees.iter().map(|tree| 1 + children(tree).map_or(0, |inner| count(&inner))).sum()
}

fn children(tree: &TokenTree) -> Option<Vec<TokenTree>> {
    match tree {
        TokenTree::Group(group) => Some(group.stream().into_iter().collect()),
        _ => None,
    }
}

/// Calls `change` with the list that token number `place` is in, and its index there.
fn at(
    trees: &mut Vec<TokenTree>,
    place: &mut usize,
    change: &mut dyn FnMut(&mut Vec<TokenTree>, usize),
) -> bool {
    for index in 0..trees.len() {
        if *place == 0 {
            change(trees, index);
            return true;
        }
        *place -= 1;
        let TokenTree::Group(group) = &trees[index] else { continue };
        let mut inner: Vec<TokenTree> = group.stream().into_iter().collect();
        if at(&mut inner, place, change) {
            trees[index] = Group::new(group.delimiter(), inner.into_iter().collect()).into();
            return true;
        }
    }
    false
}

impl Mutation {
    fn apply(&self, trees: &mut Vec<TokenTree>) {
        let (Self::Delete(place)
        | Self::Duplicate(place)
        | Self::SwapWithNext(place)
        | Self::Insert(place, _)
        | Self::Replace(place, _)
        | Self::Graft(place, ..)
        | Self::Unwrap(place)
        | Self::Wrap(place, _)) = self;
        if trees.is_empty() {
            return;
        }
        let mut place = place % count(trees);
        at(trees, &mut place, &mut |list, index| match self {
            Self::Delete(_) => drop(list.remove(index)),
            Self::Duplicate(_) => list.insert(index, list[index].clone()),
            Self::SwapWithNext(_) => {
                let next = (index + 1) % list.len();
                list.swap(index, next);
            }
            Self::Insert(_, what) => drop(list.splice(index..index, tokens(SNIPPETS[*what]))),
            Self::Replace(_, what) => drop(list.splice(index..=index, tokens(SNIPPETS[*what]))),
            Self::Graft(_, workflow, number) => {
                let mut donor = tokens(WORKFLOWS[*workflow]);
                let mut number = number % count(&donor);
                at(&mut donor, &mut number, &mut |donor, from| list[index] = donor[from].clone());
            }
            Self::Unwrap(_) => {
                if let Some(inner) = children(&list[index]) {
                    list.splice(index..=index, inner);
                }
            }
            Self::Wrap(_, kind) => {
                let kinds = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket];
                let inner = TokenStream::from(list[index].clone());
                list[index] = Group::new(kinds[*kind], inner).into();
            }
        });
    }
}

/// Expands `item` by every macro.
fn expand_all(item: &TokenStream) {
    expand_all_with(&TokenStream::new(), item);
    is_valid(item, crate::derive::expand(item.clone(), Diagnostics::new()));
}

/// Expands `item` by every attribute, with these arguments.
fn expand_all_with(arguments: &TokenStream, item: &TokenStream) {
    if std::env::var_os("PITON_FUZZ_SHOW").is_some() {
        // What is printed last has taken the process down.
        eprintln!("#[workflow({arguments})]\n{item}\n");
    }
    for expand in [crate::workflow::expand, crate::activity::expand, crate::deterministic::expand] {
        is_valid(item, expand(arguments.clone(), item.clone(), Diagnostics::new()));
    }
}

/// What a macro gives parses or says what is wrong. An item that does not parse may be given back
/// as it was, for rustc to say so.
fn is_valid(item: &TokenStream, output: TokenStream) {
    let text = output.to_string();
    if let Err(error) = syn::parse2::<syn::File>(output) {
        let is_given_back = syn::parse2::<syn::File>(item.clone()).is_err();
        assert!(is_given_back || text.contains("compile_error"), "{error} in {text}");
    }
}

#[test]
fn what_mutants_are_made_from_compiles() {
    for workflow in WORKFLOWS {
        let item: TokenStream = workflow.parse().expect("tokens");
        let output = crate::workflow::expand(TokenStream::new(), item, Diagnostics::new());
        let output = output.to_string();
        assert!(!output.contains("compile_error"), "{output}");
    }
}

/// Runs `check` on values that are the same in every run. `PITON_FUZZ_CASES` asks for more than 256 of
/// them, and `PITON_FUZZ_SEED` for others; a failure prints the mutations that lead to it.
fn for_all<S: Strategy>(values: &S, check: impl Fn(S::Value)) {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let cases = number("PITON_FUZZ_CASES").unwrap_or(256);
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number("PITON_FUZZ_SEED").unwrap_or(1).to_le_bytes());
    let config = ProptestConfig {
        cases: u32::try_from(cases).unwrap_or(u32::MAX),
        failure_persistence: None,
        ..Default::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let result = TestRunner::new_with_rng(config, rng).run(values, |value| {
        check(value);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

fn mutated(source: &str, mutations: &[Mutation]) -> TokenStream {
    let mut trees = tokens(source);
    for mutation in mutations {
        mutation.apply(&mut trees);
    }
    trees.into_iter().collect()
}

#[test]
fn mutants_are_compiled_or_refused() {
    let values = (0..WORKFLOWS.len(), prop::collection::vec(mutation(), 1..6));
    for_all(&values, |(workflow, mutations)| expand_all(&mutated(WORKFLOWS[workflow], &mutations)));
}

#[test]
fn arguments_are_read_or_refused() {
    let item: TokenStream = "async fn f() -> u8 { act(1).await }".parse().expect("tokens");
    let values = (0..ARGUMENTS.len(), prop::collection::vec(mutation(), 0..4));
    for_all(&values, |(known, mutations)| {
        expand_all_with(&mutated(ARGUMENTS[known], &mutations), &item);
    });
}

/// Both at once: what arguments turn on and off meets bodies of all kinds.
#[test]
fn mutants_with_arguments_are_compiled_or_refused() {
    let mutations = || prop::collection::vec(mutation(), 0..3);
    let values = (0..ARGUMENTS.len(), mutations(), 0..WORKFLOWS.len(), mutations());
    for_all(&values, |(known, of_arguments, workflow, of_body)| {
        let arguments = mutated(ARGUMENTS[known], &of_arguments);
        expand_all_with(&arguments, &mutated(WORKFLOWS[workflow], &of_body));
    });
}
