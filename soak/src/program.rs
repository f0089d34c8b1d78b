//! The versions of a workflow, and their edits.

use std::fmt::Write as _;

use fastrand::Rng;

/// How many signals there are.
pub const SIGNALS: usize = 6;
/// How many activities there are.
const ACTIVITIES: usize = 4;
/// How many workflows there are whose runs are children.
const CHILDREN: usize = 3;
/// No version is longer.
const LONGEST: usize = 24;

/// A statement of the workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Waits for a signal, and records its value.
    Signal(usize),
    /// Calls an activity, and records its result.
    Call(usize),
    /// Calls two activities concurrently, and records their results.
    Both(usize, usize),
    /// Makes a local.
    Local {
        /// Its name.
        name: String,
        /// The name that it had before.
        formerly: Option<String>,
        /// Its type.
        ty: &'static str,
        /// Its value.
        value: u32,
    },
    /// Notes the value of a local.
    Show(String),
    /// Makes a local that is a handle.
    Begin {
        /// Its name.
        name: String,
        /// The name that it had before.
        formerly: Option<String>,
        /// What the handle is of.
        of: Begun,
    },
    /// Awaits a handle, and records its result.
    Take(String),
}

/// What a handle is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// A spawned call of an activity.
    Call(usize),
    /// A child.
    Child(usize),
    /// A promise, which the run itself resolves with this.
    Promise(u32),
}

impl Begun {
    fn any(rng: &mut Rng) -> Self {
        match rng.u8(..3) {
            0 => Self::Call(rng.usize(..ACTIVITIES)),
            1 => Self::Child(rng.usize(..CHILDREN)),
            _ => Self::Promise(rng.u32(..1_000)),
        }
    }

    /// What the handle gives in the run of this number.
    pub fn value(&self, id: u64) -> u64 {
        match self {
            Self::Call(activity) => id * 10 + *activity as u64,
            Self::Child(child) => id * 10 + 5 + *child as u64,
            Self::Promise(value) => u64::from(*value),
        }
    }
}

/// The statements of a version.
pub type Version = Vec<Node>;

/// Makes this many versions, each an edit of the one before.
pub fn versions(count: usize, rng: &mut Rng) -> Vec<Version> {
    let mut names = 0;
    let mut version = vec![Node::Signal(0), Node::Call(0), Node::Signal(1)];
    for _ in 0..12 {
        version = edited(&version, &mut names, rng);
    }
    let mut versions = vec![version];
    while versions.len() < count {
        let mut next = versions[versions.len() - 1].clone();
        for _ in 0..rng.usize(1..=2) {
            next = edited(&next, &mut names, rng);
        }
        versions.push(next);
    }
    versions
}

fn edited(version: &Version, names: &mut usize, rng: &mut Rng) -> Version {
    loop {
        let mut next = version.clone();
        let at = rng.usize(..=next.len());
        let inner = rng.usize(..next.len());
        match rng.u8(..12) {
            0 => next.insert(at, Node::Signal(rng.usize(..SIGNALS))),
            1 => next.insert(at, Node::Call(rng.usize(..ACTIVITIES))),
            2 => next.insert(at, Node::Both(rng.usize(..ACTIVITIES), rng.usize(..ACTIVITIES))),
            3 => {
                let name = format!("local{names}");
                *names += 1;
                let shown = rng.usize(at..=next.len());
                next.insert(shown, Node::Show(name.clone()));
                let value = rng.u32(..1_000);
                next.insert(at, Node::Local { name, formerly: None, ty: "u32", value });
            }
            4 => {
                next.remove(inner);
            }
            5 if inner > 0 => next.swap(inner, inner - 1),
            6 => rename(&mut next, inner, names, rng.bool()),
            7 => match &mut next[inner] {
                Node::Local { ty, .. } => *ty = ["u32", "u64", "i64", "u16"][rng.usize(..4)],
                Node::Begin { of, .. } => *of = Begun::any(rng),
                _ => {}
            },
            8 => {
                if let Node::Local { value, .. } = &mut next[inner] {
                    *value = rng.u32(..1_000);
                }
            }
            9 | 10 => {
                let name = format!("local{names}");
                *names += 1;
                next.insert(rng.usize(at..=next.len()), Node::Take(name.clone()));
                next.insert(at, Node::Begin { name, formerly: None, of: Begun::any(rng) });
            }
            _ => {
                if let Node::Local { name, .. } = next[inner].clone() {
                    next.insert(rng.usize(inner + 1..=next.len()), Node::Show(name));
                }
            }
        }
        if next != *version && is_valid(&next) {
            return next;
        }
    }
}

fn rename(version: &mut Version, at: usize, names: &mut usize, keeps: bool) {
    let (Node::Local { name: old, .. } | Node::Begin { name: old, .. }) = version[at].clone()
    else {
        return;
    };
    let new = format!("local{names}");
    *names += 1;
    for node in version {
        match node {
            Node::Local { name, formerly, .. } | Node::Begin { name, formerly, .. }
                if *name == old =>
            {
                *name = new.clone();
                *formerly = keeps.then(|| old.clone());
            }
            Node::Show(name) | Node::Take(name) if *name == old => *name = new.clone(),
            _ => {}
        }
    }
}

/// Whether every local is made before it is shown, every handle is awaited once at most, and the workflow waits somewhere.
fn is_valid(version: &Version) -> bool {
    let (mut made, mut handles) = (Vec::new(), Vec::new());
    let shows_what_is_made = version.iter().all(|node| match node {
        Node::Local { name, .. } => {
            made.push(name);
            true
        }
        Node::Show(name) => made.contains(&name),
        Node::Begin { name, .. } => {
            handles.push(name);
            true
        }
        Node::Take(name) => {
            let had = handles.len();
            handles.retain(|handle| *handle != name);
            handles.len() < had
        }
        _ => true,
    });
    let waits = version.iter().any(|node| matches!(node, Node::Signal(_)));
    shows_what_is_made && waits && version.len() <= LONGEST
}

/// The program that carries runs through these versions.
pub fn source(seed: u64, versions: &[Version]) -> String {
    // Writing to a string cannot fail.
    let mut text = String::from(
        "#![allow(unused)]\n\nuse piton::machine::{Never, Workflow};\nuse piton::prelude::*;\nuse piton_soak::deploy::{self, Build};\n\
         use serde::{Deserialize, Serialize};\n\nfn made(id: u64, value: u32) -> u32 { value + (id % 7) as u32 }\n\n",
    );
    for signal in 0..SIGNALS {
        let _ = writeln!(
            text,
            "#[derive(Debug, Signal, Serialize, Deserialize)]\nstruct Signal{signal}(u32);"
        );
    }
    for activity in 0..ACTIVITIES {
        let _ = writeln!(
            text,
            "#[activity]\nasync fn call{activity}(id: u64) -> u64 {{ id * 10 + {activity} }}"
        );
    }
    for child in 0..CHILDREN {
        let _ = writeln!(
            text,
            "#[workflow]\nasync fn child{child}(id: u64) -> u64 {{ id * 10 + 5 + {child} }}"
        );
    }
    for (number, version) in versions.iter().enumerate() {
        let _ = writeln!(text, "\nmod v{number} {{\n    use super::*;\n{}}}", workflow(version));
    }
    let _ = writeln!(text, "\nfn main() -> piton::Result<()> {{\n    deploy::run({seed}, vec![");
    for number in 0..versions.len() {
        let _ = writeln!(
            text,
            "        Build::new::<v{number}::soak>(|client, id| Box::pin(async move {{ \
             Ok(client.start(v{number}::soak(id)).id(id.to_string()).await?.run_id()) }})),"
        );
    }
    let children: String =
        (0..CHILDREN).map(|child| format!("<child{child} as Workflow>::entry(), ")).collect();
    let _ = writeln!(text, "    ], vec![{children}])\n}}");
    text
}

fn workflow(version: &Version) -> String {
    let mut text = String::from(
        "    #[workflow]\n    pub async fn soak(cx: &Context, id: u64) -> String {\n        \
         let mut log = String::new();\n",
    );
    for node in version {
        let _ = match node {
            Node::Signal(signal) => writeln!(
                text,
                "        let Signal{signal}(said) = cx.signal::<Signal{signal}>().await;\n        \
                 log.push_str(&format!(\"signal{signal}={{said}} \"));"
            ),
            Node::Call(activity) => writeln!(
                text,
                "        let gave = call{activity}(id).await;\n        log.push_str(&format!(\"{{gave}} \"));"
            ),
            Node::Both(one, other) => writeln!(
                text,
                "        let (one, other) = join!(call{one}(id), call{other}(id));\n        \
                 log.push_str(&format!(\"{{one}}+{{other}} \"));"
            ),
            Node::Local { name, formerly, ty, value } => {
                if let Some(formerly) = formerly {
                    let _ = writeln!(text, "        #[formerly({formerly:?})]");
                }
                writeln!(text, "        let {name}: {ty} = made(id, {value}) as {ty};")
            }
            Node::Begin { name, formerly, of } => {
                if let Some(formerly) = formerly {
                    let _ = writeln!(text, "        #[formerly({formerly:?})]");
                }
                match of {
                    Begun::Call(activity) => {
                        writeln!(text, "        let {name} = cx.spawn(call{activity}(id));")
                    }
                    Begun::Child(child) => {
                        writeln!(text, "        let {name} = cx.start_child(child{child}(id));")
                    }
                    Begun::Promise(value) => writeln!(
                        text,
                        "        let {name}: Promise<u64> = cx.promise({name:?});\n        \
                         cx.complete_promise::<u64, Never>(&{name}.token(), Ok({value}));"
                    ),
                }
            }
            Node::Take(taken) => {
                let begun = version.iter().find_map(|node| match node {
                    Node::Begin { name, of, .. } if name == taken => Some(of),
                    _ => None,
                });
                let or_else = match begun {
                    Some(Begun::Call(_)) => "",
                    _ => ".unwrap_or_default()",
                };
                writeln!(
                    text,
                    "        let gave = {taken}.await{or_else};\n        log.push_str(&format!(\"{{gave}} \"));"
                )
            }
            Node::Show(name) => {
                writeln!(text, "        log.push_str(&format!(\"{{{name}}} \"));")
            }
        };
    }
    text.push_str("        log\n    }\n");
    text
}
