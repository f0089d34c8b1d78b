//! The sources that are mutated.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::Item;

/// Small workflows with every construct that a pass knows of.
pub(super) const WORKFLOWS: &[&str] = &[
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
pub(super) const SNIPPETS: &[&str] = &[
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
pub(super) const ARGUMENTS: &[&str] = &[
    "name = \"x\", allow(clock, random)",
    "strict, warn(clock), deny(print)",
    "start_to_close = \"30s\", retry(initial = \"1s\", backoff = 2.0, max_attempts = 5)",
    "name = \"\", schedule_to_close = \"1h 30m\", retry(max_interval = \"1m\")",
];

/// The workflows above, and those of the hand-written programs that the compiler is compared by.
pub(super) static SOURCES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut sources: Vec<String> = WORKFLOWS.iter().map(|text| (*text).to_owned()).collect();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../difftest/programs"), &mut sources);
    sources
});

/// Adds the workflows of all files in a folder, by name, so that a number always means the same one.
fn collect(folder: &Path, sources: &mut Vec<String>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, sources);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let items = syn::parse_file(&text).map(|file| file.items).unwrap_or_default();
        for item in items {
            if let Item::Fn(mut function) = item {
                let count = function.attrs.len();
                function.attrs.retain(|attr| !attr.path().is_ident("workflow"));
                if function.attrs.len() < count {
                    sources.push(function.to_token_stream().to_string());
                }
            }
        }
    }
}

pub(super) fn tokens(text: &str) -> Vec<TokenTree> {
    text.parse::<TokenStream>().expect("the text is made of tokens").into_iter().collect()
}

#[test]
fn what_mutants_are_made_from_compiles() {
    assert!(SOURCES.len() > 200, "the programs are found");
    for workflow in SOURCES.iter() {
        let item: TokenStream = workflow.parse().expect("tokens");
        let output = crate::pipeline::expand(
            TokenStream::new(),
            item,
            crate::diagnostics::Diagnostics::new(),
        );
        let output = output.to_string();
        assert!(!output.contains("compile_error"), "{workflow}\n{output}");
    }
}
