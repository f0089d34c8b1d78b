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

/// Whether the awaited operation may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It gives its value.
    Value,
    /// It gives a `Result`, and each await has a `?`.
    Result,
}

/// The types that locals have in turn, each with the function that is awaited for it.
const TYPES: [(&str, &str); 4] =
    [("u64", "count"), ("String", "name"), ("Vec<u32>", "list"), ("(u64, String)", "pair")];

/// One function of `awaits` awaits in a row, with [`LIVE`] locals of several types live across each.
pub(super) fn straight(
    flavor: Flavor,
    awaited: Awaited,
    outcome: Outcome,
    awaits: usize,
) -> String {
    let mut source = preamble(flavor, awaited, outcome);
    let (returned, question, last) = match (outcome, flavor) {
        (Outcome::Value, _) => ("u64", "", "0"),
        (Outcome::Result, Flavor::Piton) => ("piton::Result<u64>", "?", "Ok(0)"),
        (Outcome::Result, Flavor::Plain) => ("Result<u64, String>", "?", "Ok(0)"),
    };
    let window = LIVE + 1;
    let type_of = |local: usize| TYPES[local % window % TYPES.len()];
    let parameters: Vec<_> =
        (0..window).map(|local| format!("x{local}: {}", type_of(local).0)).collect();
    source.push_str(attribute(flavor, "#[workflow]\n"));
    let _ = writeln!(source, "pub async fn straight({}) -> {returned} {{", parameters.join(", "));
    for local in window..window + awaits {
        let (_, function) = type_of(local);
        let argument = local - window;
        let _ = writeln!(source, "    let x{local} = {function}(x{argument}).await{question};");
    }
    let left: Vec<_> = (awaits..awaits + window).map(|local| format!("x{local}")).collect();
    let _ = writeln!(source, "    drop(({}));\n    {last}\n}}", left.join(", "));
    if flavor == Flavor::Plain {
        let arguments = vec!["Default::default()"; window].join(", ");
        drive(&mut source, "straight", &arguments, returned);
    }
    source
}

/// `count` functions of three awaits, with a loop and a branch.
pub(super) fn small(flavor: Flavor, awaited: Awaited, count: usize) -> String {
    let mut source = preamble(flavor, awaited, Outcome::Value);
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
            let name = format!("small_{index}");
            drive(&mut source, &name, "Default::default(), String::new()", "u64");
        }
    }
    source
}

/// What each program begins with.
fn preamble(flavor: Flavor, awaited: Awaited, outcome: Outcome) -> String {
    match awaited {
        Awaited::Here => activities(flavor, outcome),
        Awaited::BuiltBefore => {
            let library = flavor.library();
            format!("{}extern crate {library};\nuse {library}::*;\n", prelude(flavor))
        }
    }
}

/// The functions that the others await.
pub(super) fn activities(flavor: Flavor, outcome: Outcome) -> String {
    let mut source = prelude(flavor).to_owned();
    for (ty, function) in TYPES {
        let attribute = attribute(flavor, "#[activity]\n");
        let (returned, body) = match outcome {
            Outcome::Value => (ty.to_owned(), "value"),
            Outcome::Result => (format!("Result<{ty}, String>"), "Ok(value)"),
        };
        let _ = writeln!(
            source,
            "{attribute}pub async fn {function}(value: {ty}) -> {returned} {{ {body} }}"
        );
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
fn drive(source: &mut String, function: &str, arguments: &str, returned: &str) {
    let _ = writeln!(
        source,
        "pub fn drive_{function}() -> std::pin::Pin<Box<dyn Future<Output = {returned}> + Send>> {{
    Box::pin({function}({arguments}))
}}"
    );
}
