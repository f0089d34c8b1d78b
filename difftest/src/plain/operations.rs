//! Operations as plain futures: started by the first poll, given up when dropped.

use std::marker::PhantomData;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use piton::machine::{Cancelled, Signal};
use piton::model::Timestamp;

use super::combine::timeout;
use super::world;
use crate::drive::Outstanding;

/// An operation and its output.
///
/// The first poll never gives a value: an operation is asked for first, and answered later.
#[must_use = "an operation does nothing until it is awaited"]
#[derive(Debug)]
pub struct Op<T, G> {
    operation: Option<Outstanding>,
    number: Option<u64>,
    give: Option<G>,
    output: PhantomData<fn() -> T>,
}

impl<T, G: FnMut(u64) -> Option<T>> Op<T, G> {
    /// An operation whose value `give` takes from the world when it has arrived.
    fn new(operation: Outstanding, give: G) -> Self {
        Self { operation: Some(operation), number: None, give: Some(give), output: PhantomData }
    }

    /// Its number, once it was requested.
    pub(super) fn number(&self) -> Option<u64> {
        self.number
    }
}

impl<T, G: FnMut(u64) -> Option<T> + Unpin> Future for Op<T, G> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut std::task::Context<'_>) -> Poll<T> {
        let Some(number) = self.number else {
            let operation = self.operation.take();
            self.number = world(|world| {
                let number = world.next_number;
                world.next_number += 1;
                world.changes += 1;
                world.outstanding.extend(operation.map(|operation| (number, operation)));
                Some(number)
            });
            return Poll::Pending;
        };
        let Some(give) = self.give.as_mut() else { return Poll::Pending };
        let Some(value) = give(number) else { return Poll::Pending };
        self.give = None;
        world(|world| {
            world.changes += 1;
            world.outstanding.remove(&number);
        });
        Poll::Ready(value)
    }
}

impl<T, G> Drop for Op<T, G> {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            world(|world| world.outstanding.remove(&number));
        }
    }
}

/// A boxed way to give a value.
type Give<T> = Box<dyn FnMut(u64) -> Option<T>>;

/// What `cx` is on the plain side.
#[derive(Debug)]
pub struct Context(());

/// The context, which a workflow does not hand on: a call of another one leaves it out.
#[allow(non_upper_case_globals)]
pub static cx: Context = Context(());

impl Context {
    /// See [`piton::machine::Context::now`].
    pub fn now(&self) -> Timestamp {
        world(|world| world.now)
    }

    /// See [`piton::machine::Context::sleep`].
    pub fn sleep(&self, duration: Duration) -> Sleep {
        Sleep { when: Err(duration), op: None }
    }

    /// See [`piton::machine::Context::timeout`].
    pub fn timeout<F: Future>(
        &self,
        limit: Duration,
        operation: F,
    ) -> impl Future<Output = Result<F::Output, ()>> + use<F> {
        timeout(operation, self.sleep(limit))
    }

    /// See [`piton::machine::Context::sleep_until`].
    pub fn sleep_until(&self, deadline: impl Into<Timestamp>) -> Sleep {
        Sleep { when: Ok(deadline.into()), op: None }
    }

    /// See [`piton::machine::Context::signal`].
    pub fn signal<S: Signal>(&self) -> Op<S, Give<S>> {
        let give = |_| {
            let payload = world(|world| {
                let index = world.signals.iter().position(|(name, _)| name == S::NAME)?;
                world.signals.remove(index)
            });
            payload.map(|(_, payload)| S::from_payload(&payload).expect("made for this type"))
        };
        Op::new(Outstanding::Signal(S::NAME.to_owned()), Box::new(give))
    }

    /// See [`piton::machine::Context::cancelled`].
    pub fn cancelled(&self) -> Op<Cancelled, Give<Cancelled>> {
        let give = |_| {
            let cancelled = world(|world| std::mem::take(&mut world.cancelled));
            cancelled.then(|| Cancelled { reason: crate::machine::CANCEL_REASON.to_owned() })
        };
        Op::new(Outstanding::Cancellation, Box::new(give))
    }
}

/// A timer. Its deadline is known when it starts.
#[must_use = "a timer does nothing until it is awaited"]
pub struct Sleep {
    when: Result<Timestamp, Duration>,
    op: Option<Op<(), Give<()>>>,
}

impl Sleep {
    /// Its deadline, once it has started.
    pub(super) fn fires_at(&self) -> Option<Timestamp> {
        self.op.as_ref().and_then(|_| self.when.ok())
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, task: &mut std::task::Context<'_>) -> Poll<()> {
        let fire_at = self.when.unwrap_or_else(|duration| world(|world| world.now) + duration);
        self.when = Ok(fire_at);
        let op = self.op.get_or_insert_with(|| {
            let give = move |_| world(|world| fire_at <= world.now).then_some(());
            Op::new(Outstanding::Timer(fire_at), Box::new(give))
        });
        Pin::new(op).poll(task)
    }
}

/// The mock activities as plain functions. Like the real ones they encode their arguments when
/// they are called and hold nothing.
pub(super) mod activities {
    use piton::machine::ActivityError;

    use serde::{Deserialize, Serialize};

    use super::{Give, Op, world};
    use crate::answers::{self, encode_arguments, mocks};
    use crate::drive::Outstanding;

    fn activity<T: 'static>(
        name: &str,
        arguments: piton::model::Payload,
        answer: T,
    ) -> Op<T, Give<T>> {
        let mut answer = Some(answer);
        let give = move |number| {
            if world(|world| world.ready.contains(&number)) { answer.take() } else { None }
        };
        Op::new(Outstanding::Activity(name.to_owned(), arguments), Box::new(give))
    }

    /// Whose methods are activities.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Shop {
        /// What it adds to a sum.
        pub fee: i64,
    }

    impl Shop {
        /// The mock activity `quote`.
        pub fn quote(n: i64) -> Op<i64, Give<i64>> {
            activity("Shop::quote", encode_arguments(&(n,)), answers::quote(&n))
        }

        /// The mock activity `charge`.
        pub fn charge(&self, cents: i64) -> Op<i64, Give<i64>> {
            let answer = answers::charge(&answers::Till { fee: self.fee }, &cents);
            activity("Shop::charge", encode_arguments(&(self, cents)), answer)
        }
    }

    macro_rules! functions {
        (
            plain { $($name:ident($($arg:ident: $ty:ty => $owned:ty),*) -> $ret:ty;)* }
            fallible {
                $($try_name:ident($($try_arg:ident: $try_ty:ty => $try_owned:ty),*)
                    -> $ok:ty, $err:ty;)*
            }
        ) => {
            $(
                #[doc = concat!("The mock activity `", stringify!($name), "`.")]
                pub fn $name($($arg: $ty),*) -> Op<$ret, Give<$ret>> {
                    let arguments = encode_arguments(&($(&$arg,)*));
                    let answer: $ret = answers::$name($(std::borrow::Borrow::borrow(&$arg)),*);
                    activity(stringify!($name), arguments, answer)
                }
            )*
            $(
                #[doc = concat!("The mock activity `", stringify!($try_name), "`.")]
                pub fn $try_name(
                    $($try_arg: $try_ty),*
                ) -> Op<Result<$ok, ActivityError<$err>>, Give<Result<$ok, ActivityError<$err>>>>
                {
                    let arguments = encode_arguments(&($(&$try_arg,)*));
                    let answer = answers::$try_name($(std::borrow::Borrow::borrow(&$try_arg)),*);
                    activity(stringify!($try_name), arguments, answer)
                }
            )*
        };
    }
    mocks!(functions);
}
