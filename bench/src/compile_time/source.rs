//! Programs that are compiled twice: as workflows, and as the same plain async functions.

use std::fmt::Write as _;

/// Locals that live across each await of [`straight`].
pub(super) const LIVE: usize = 8;

/// What the generated functions become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavor {
    /// `#[workflow]` and `#[activity]`.
    Piton,
    /// Plain `async fn`.
    Plain,
}

/// Where the functions are that the others await.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Awaited {
    /// In the same crate.
    Here,
    /// In a crate that was built before: [`Flavor::library`].
    BuiltBefore,
}

impl Flavor {
    /// The name of the crate with the functions that are awaited.
    pub(super) fn library(self) -> &'static str {
        match self {
            Self::Piton => "piton_activities",
            Self::Plain => "plain_functions",
        }
    }
}

/// The types that locals have in turn, each with the function that is awaited for it.
const TYPES: [(&str, &str); 4] =
    [("u64", "count"), ("String", "name"), ("Vec<u32>", "list"), ("(u64, String)", "pair")];

/// The functions that are awaited.
const FUNCTIONS: [&str; 4] = [
    "async fn count(value: u64) -> u64 { value + 1 }",
    "async fn name(value: String) -> String { value }",
    "async fn list(value: Vec<u32>) -> Vec<u32> { value }",
    "async fn pair(value: (u64, String)) -> (u64, String) { value }",
];

/// One function of `awaits` awaits in a row, with [`LIVE`] locals of several types live across each.
pub(super) fn straight(flavor: Flavor, awaited: Awaited, awaits: usize) -> String {
    let mut source = preamble(flavor, awaited);
    let window = LIVE + 1;
    let type_of = |local: usize| TYPES[local % window % TYPES.len()];
    let parameters: Vec<_> =
        (0..window).map(|local| format!("x{local}: {}", type_of(local).0)).collect();
    source.push_str(attribute(flavor, "#[workflow]\n"));
    let _ = writeln!(source, "pub async fn straight({}) -> u64 {{", parameters.join(", "));
    for local in window..window + awaits {
        let (_, function) = type_of(local);
        let _ = writeln!(source, "    let x{local} = {function}(x{}).await;", local - window);
    }
    let last: Vec<_> = (awaits..awaits + window).map(|local| format!("x{local}")).collect();
    let _ = writeln!(source, "    drop(({}));\n    0\n}}", last.join(", "));
    if flavor == Flavor::Plain {
        let arguments = vec!["Default::default()"; window].join(", ");
        drive(&mut source, "straight", &arguments);
    }
    source
}

/// `count` functions of three awaits, with a loop and a branch.
pub(super) fn small(flavor: Flavor, awaited: Awaited, count: usize) -> String {
    let mut source = preamble(flavor, awaited);
    for index in 0..count {
        source.push_str(attribute(flavor, "#[workflow]\n"));
        let _ = writeln!(
            source,
            "pub async fn small_{index}(orders: Vec<u64>, label: String) -> u64 {{
    let mut sum = 0;
    for order in orders {{
        let found = count(order).await;
        if found % 2 == 0 {{
            let longer = name(label.clone()).await;
            sum += longer.len() as u64;
        }} else {{
            sum += found;
        }}
    }}
    let last = count(sum).await;
    last + label.len() as u64
}}"
        );
        if flavor == Flavor::Plain {
            drive(&mut source, &format!("small_{index}"), "Default::default(), String::new()");
        }
    }
    source
}

/// What each program begins with.
fn preamble(flavor: Flavor, awaited: Awaited) -> String {
    match awaited {
        Awaited::Here => activities(flavor),
        Awaited::BuiltBefore => {
            let library = flavor.library();
            format!("{}extern crate {library};\nuse {library}::*;\n", prelude(flavor))
        }
    }
}

/// The functions that the others await.
pub(super) fn activities(flavor: Flavor) -> String {
    let mut source = prelude(flavor).to_owned();
    for function in FUNCTIONS {
        let _ = writeln!(source, "{}pub {function}", attribute(flavor, "#[activity]\n"));
    }
    source
}

fn prelude(flavor: Flavor) -> &'static str {
    attribute(flavor, "use piton::prelude::*;\n")
}

/// What only a workflow has.
fn attribute(flavor: Flavor, attribute: &'static str) -> &'static str {
    match flavor {
        Flavor::Piton => attribute,
        Flavor::Plain => "",
    }
}

/// Without a use, rustc would not compile the future of a plain function. A workflow is registered,
/// which is one.
fn drive(source: &mut String, function: &str, arguments: &str) {
    let _ = writeln!(
        source,
        "pub fn drive_{function}() -> std::pin::Pin<Box<dyn Future<Output = u64> + Send>> {{
    Box::pin({function}({arguments}))
}}"
    );
}
