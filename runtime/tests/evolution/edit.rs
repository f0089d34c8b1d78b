//! An edit of a program: the builds before and after it, and the fate of runs.

use std::pin::Pin;

use piton::activities::ActivityEntry;
use piton::machine::WorkflowEntry;
use piton::model::RunId;
use piton::prelude::*;

use crate::shop;

pub type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A complete build of a program.
pub struct Build {
    pub workflow: &'static WorkflowEntry,
    /// The workflows of its children.
    pub children: Vec<&'static WorkflowEntry>,
    /// Its own activities.
    pub activities: Vec<&'static ActivityEntry>,
}

impl Build {
    /// All of its workflows.
    pub fn workflows(&self) -> Vec<&'static WorkflowEntry> {
        std::iter::once(self.workflow).chain(self.children.iter().copied()).collect()
    }

    /// All of its activities.
    pub fn activities(&self) -> Vec<&'static ActivityEntry> {
        let is_other =
            |entry: &&ActivityEntry| self.activities.iter().all(|own| own.name != entry.name);
        let shared = shop::activities().into_iter().filter(|entry| is_other(entry));
        self.activities.iter().copied().chain(shared).collect()
    }

    /// This build, with the children that only `other` serves.
    pub fn with_children_of(&self, other: &Self) -> Self {
        let own = self.workflows();
        let is_other = |entry: &&WorkflowEntry| own.iter().all(|own| own.name != entry.name);
        let children = other.children.iter().copied().filter(is_other);
        let activities = self.activities();
        let is_new = |entry: &&ActivityEntry| activities.iter().all(|own| own.name != entry.name);
        let called = other.activities().into_iter().filter(is_new);
        Self {
            workflow: self.workflow,
            children: self.children.iter().copied().chain(children).collect(),
            activities: self.activities.iter().copied().chain(called).collect(),
        }
    }
}

/// A change of a program.
pub struct Edit {
    pub name: &'static str,
    /// The change, as text for the documentation.
    pub what: &'static str,
    pub old: Build,
    pub new: Build,
    pub cells: Vec<Cell>,
}

/// A started run, and its result as the starting program reads it.
pub struct Begun {
    pub run_id: RunId,
    pub result: Boxed<String>,
}

/// A state in which the edit finds a run.
pub struct Cell {
    /// The state's name; [`START`] for a run that has not begun, and [`END`] for one that has closed.
    pub state: &'static str,
    /// The calls of activities that hang in this state.
    pub held: Vec<&'static str>,
    /// How many requested calls have not begun, since those that hang exhaust the concurrency.
    pub delayed: usize,
    /// Starts a run with an id in the old build, and sends it the signals that lead to the state.
    pub begin: fn(Client, String) -> Boxed<Begun>,
    /// Sends the rest with the new build.
    pub go_on: fn(Client, String) -> Boxed<Begun>,
    /// Sends the signals with which the old build finishes a run that has continued in the new one.
    pub go_back: fn(Client, String) -> Boxed<Begun>,
    pub verdict: Verdict,
}

pub const START: &str = "start";
pub const END: &str = "end";

/// The fate of a run. Results are in their `Debug` form.
#[derive(Clone, Copy, Debug)]
pub enum Verdict {
    /// It completes in the new build with this result.
    Goes(&'static str),
    /// It is blocked in the new build with a difference of this kind and this name, and completes in the old build with
    /// this result.
    Blocked(&'static str, &'static str, &'static str),
    /// It is blocked in the new build when the outcome of one of its handles does not fit, as the check of the state
    /// has warned; and completes in the old build with this result.
    Held(&'static str, &'static str),
    /// It is blocked in the new build when the step reads a local, because its type refuses this; no schema says so, but the
    /// check of the database does. It completes in the old build with this result.
    Refused(&'static str, &'static str),
    /// It reaches this state in the new build, and from there completes in the old one with this result.
    Back(&'static str, &'static str),
}

/// Defines edits. Each has two builds of the workflow with its name, their activities besides those of the shop, the
/// start of a run, the workflows of children that each build serves, and the fate of a run in each state: the signals
/// before and after the edit, the value of a promise after the edit, and, if the run returns to the old build, the
/// signals there.
#[macro_export]
macro_rules! edits {
    ($(
        $what:literal
        $name:ident {
            old [$($old_activity:ident),*] { $($old:tt)* }
            new [$($new_activity:ident),*] { $($new:tt)* }
            run old $old_arguments:tt new $new_arguments:tt;
            $(children old [$($old_child:ident),*] new [$($new_child:ident),*];)?
            $(
                at $state:literal [$($before:expr),*] [$($after:expr),*]
                    $(asking [$($asked:expr),*])? $(resolving [$owner:ident, $promise:literal, $value:expr])? $(holding [$($held:literal),*] $(delaying $delayed:literal)?)? $(back [$($back:expr),*])? => $verdict:expr;
            )+
        }
    )+) => {
        $(
            mod $name {
                #[allow(unused_imports)]
                use $crate::shop::*;
                use piton::client::OnConflict;
                use piton::machine::Workflow;
                use $crate::edit::{Begun, Build, Cell, Edit, Verdict::*};

                mod old {
                    #[allow(unused_imports)]
                    use $crate::shop::*;
                    $($old)*
                }

                mod new {
                    #[allow(unused_imports)]
                    use $crate::shop::*;
                    $($new)*
                }

                pub fn edit() -> Edit {
                    let cells = vec![$(Cell {
                        state: $state,
                        held: vec![$($($held),*)?],
                        delayed: 0 $($(+ $delayed)?)?,
                        begin: |client, id| Box::pin(async move {
                            let run = client.start(old::$name $old_arguments).id(id).await.unwrap();
                            $(run.signal($before).await.unwrap();)*
                            $($(drop(run.update($asked).accepted().await.unwrap());)*)?
                            Begun {
                                run_id: run.run_id(),
                                result: Box::pin(async move { format!("{:?}", run.result().await) }),
                            }
                        }),
                        go_on: |client, id| Box::pin(async move {
                            let start = client.start(new::$name $new_arguments).id(id);
                            let run = start.on_conflict(OnConflict::UseExisting).await.unwrap();
                            $(run.signal($after).await.unwrap();)*
                            $(
                                let owner = <new::$owner as Workflow>::NAME;
                                let token = PromiseToken::of_run(owner, run.run_id(), $promise);
                                let _ = client.promise(&token).resolve(&$value).await.unwrap();
                            )?
                            Begun {
                                run_id: run.run_id(),
                                result: Box::pin(async move { format!("{:?}", run.result().await) }),
                            }
                        }),
                        go_back: |client, id| Box::pin(async move {
                            let start = client.start(old::$name $old_arguments).id(id);
                            let run = start.on_conflict(OnConflict::UseExisting).await.unwrap();
                            $($(run.signal($back).await.unwrap();)*)?
                            Begun {
                                run_id: run.run_id(),
                                result: Box::pin(async move { format!("{:?}", run.result().await) }),
                            }
                        }),
                        verdict: $verdict,
                    }),+];
                    Edit {
                        name: stringify!($name),
                        what: $what,
                        old: Build {
                            workflow: <old::$name as Workflow>::entry(),
                            children: vec![$($(<old::$old_child as Workflow>::entry()),*)?],
                            activities: vec![$($crate::entry!(old::$old_activity)),*],
                        },
                        new: Build {
                            workflow: <new::$name as Workflow>::entry(),
                            children: vec![$($(<new::$new_child as Workflow>::entry()),*)?],
                            activities: vec![$($crate::entry!(new::$new_activity)),*],
                        },
                        cells,
                    }
                }
            }
        )+

        /// All edits.
        pub fn all() -> Vec<$crate::edit::Edit> {
            vec![$($name::edit()),+]
        }
    };
}

/// Defines edits of the type of one saved local: the type with its items, and the value that the code makes, before and
/// after. The result is the value in its `Debug` form.
#[macro_export]
macro_rules! retypes {
    ($(
        $what:literal
        $name:ident {
            old { $($old:item)* } $old_type:ty = $old_value:expr;
            new { $($new:item)* } $new_type:ty = $new_value:expr;
            $verdict:expr
        }
    )+) => {
        $crate::edits! {
            $(
                $what
                $name {
                    old [] {
                        $($old)*

                        #[workflow]
                        pub async fn $name(cx: &Context) -> String {
                            let value: $old_type = $old_value;
                            cx.signal::<Go>().await;
                            format!("{value:?}").replace('"', "'")
                        }
                    }
                    new [] {
                        $($new)*

                        #[workflow]
                        pub async fn $name(cx: &Context) -> String {
                            let value: $new_type = $new_value;
                            cx.signal::<Go>().await;
                            format!("{value:?}").replace('"', "'")
                        }
                    }
                    run old() new();
                    at "signal<Go>" [] [Go(1)] => $verdict;
                }
            )+
        }
    };
}

/// Defines edits of the body of a workflow that takes one number, 7.
#[macro_export]
macro_rules! rewrites {
    ($(
        $what:literal
        $name:ident($cx:ident, $id:ident) {
            old { $($old:tt)* }
            new { $($new:tt)* }
            $($runs:tt)+
        }
    )+) => {
        $crate::edits! {
            $(
                $what
                $name {
                    old [] {
                        #[workflow]
                        pub async fn $name($cx: &Context, $id: u64) -> String { $($old)* }
                    }
                    new [] {
                        #[workflow]
                        pub async fn $name($cx: &Context, $id: u64) -> String { $($new)* }
                    }
                    run old(7) new(7);
                    $($runs)+
                }
            )+
        }
    };
}
