//! The expected result of a run, computed from the statements of the versions that it has gone through.

use std::collections::BTreeMap;

use crate::program::{Node, Version};

/// A run, as far as it has come.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its number, which is its argument.
    pub id: u64,
    /// The version that wrote its state.
    pub version: usize,
    /// The statement that it waits at; `None` once it is over.
    pub at: Option<usize>,
    /// The locals that it has made.
    locals: BTreeMap<String, u64>,
    /// What it has noted.
    pub log: String,
}

impl Run {
    /// One that has gone from the start to its first wait.
    pub fn started(id: u64, number: usize, version: &Version) -> Self {
        let mut run =
            Self { id, version: number, at: None, locals: BTreeMap::new(), log: String::new() };
        run.go_on(number, version, 0).expect("it makes what it shows");
        run
    }

    /// The signal that it waits for, and which of the waits for it this is.
    pub fn waits_for(&self, versions: &[Version]) -> Option<(usize, usize)> {
        let at = self.at?;
        let version = &versions[self.version];
        let Node::Signal(signal) = version[at] else { unreachable!("it waits for signals alone") };
        let before = version[..at].iter().filter(|node| **node == Node::Signal(signal));
        Some((signal, before.count()))
    }

    /// Takes the signal that it waits for, in a version that may be another than the one it has stopped in.
    ///
    /// # Errors
    /// What the version needs and the run does not have.
    pub fn take(&mut self, said: u32, number: usize, versions: &[Version]) -> Result<(), String> {
        let (signal, index) = self.waits_for(versions).ok_or("it is over")?;
        let places =
            (0..).zip(&versions[number]).filter(|(_, node)| **node == Node::Signal(signal));
        let (at, _) = places.into_iter().nth(index).ok_or("the wait is gone")?;
        self.log.push_str(&format!("signal{signal}={said} "));
        self.go_on(number, &versions[number], at + 1)
    }

    fn go_on(&mut self, number: usize, version: &Version, from: usize) -> Result<(), String> {
        self.version = number;
        self.at = None;
        // Saved locals go by the names of today.
        for node in &version[..from] {
            if let Node::Local { name, formerly: Some(formerly), .. }
            | Node::Begin { name, formerly: Some(formerly), .. } = node
                && !self.locals.contains_key(name)
                && let Some(value) = self.locals.get(formerly)
            {
                self.locals.insert(name.clone(), *value);
            }
        }
        for (at, node) in version.iter().enumerate().skip(from) {
            match node {
                Node::Signal(_) => {
                    self.at = Some(at);
                    // What no statement behind the wait needs is not saved.
                    self.locals.retain(|name, _| is_shown(&version[at..], name));
                    return Ok(());
                }
                Node::Call(activity) => {
                    self.log.push_str(&format!("{} ", self.id * 10 + *activity as u64));
                }
                Node::Both(one, other) => {
                    let [one, other] = [one, other].map(|call| self.id * 10 + *call as u64);
                    self.log.push_str(&format!("{one}+{other} "));
                }
                Node::Local { name, value, .. } => {
                    self.locals.insert(name.clone(), u64::from(*value) + self.id % 7);
                }
                Node::Begin { name, of, .. } => {
                    self.locals.insert(name.clone(), of.value(self.id));
                }
                Node::Show(name) | Node::Take(name) => {
                    let value = self.locals.get(name);
                    let value = value.ok_or_else(|| format!("it has no `{name}`"))?;
                    self.log.push_str(&format!("{value} "));
                }
            }
        }
        Ok(())
    }
}

/// Whether a local is shown before it is made anew.
fn is_shown(rest: &[Node], name: &str) -> bool {
    let is_about = |node: &&Node| match node {
        Node::Local { name: made, .. } | Node::Begin { name: made, .. } => made == name,
        Node::Show(shown) | Node::Take(shown) => shown == name,
        _ => false,
    };
    matches!(rest.iter().find(is_about), Some(Node::Show(_) | Node::Take(_)))
}
