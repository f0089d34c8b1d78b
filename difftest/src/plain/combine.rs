//! `select!`, `join!`, `try_join!` and `join_all` for plain futures, as piton defines them: all
//! futures are made and started in source order; of those that are ready the first in source order
//! wins; losers are dropped before the winner's arm runs.

use std::pin::Pin;
use std::task::Poll;

/// Waits for all. See [`piton::machine::join_all`].
pub async fn join_all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|task| {
        for (future, value) in futures.iter_mut().filter(|(_, value)| value.is_none()) {
            if let Poll::Ready(ready) = future.as_mut().poll(task) {
                *value = Some(ready);
            }
        }
        if futures.iter().all(|(_, value)| value.is_some()) {
            Poll::Ready(futures.iter_mut().filter_map(|(_, value)| value.take()).collect())
        } else {
            Poll::Pending
        }
    })
    .await
}

/// Waits for all, or for the first error, upon which the rest is dropped. See [`piton::machine::try_join_all`].
pub async fn try_join_all<F, T, E>(futures: impl IntoIterator<Item = F>) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>>,
{
    let mut branches: Vec<_> = futures.into_iter().map(Branch::new).collect();
    let mut begins = true;
    std::future::poll_fn(|task| {
        let all = std::mem::take(&mut begins);
        let (mut done, mut failed) = (true, None);
        for (index, branch) in branches.iter_mut().enumerate() {
            if all || failed.is_none() {
                done &= branch.poll(task);
                if failed.is_none() && matches!(branch.value(), Some(Err(_))) {
                    failed = Some(index);
                }
            }
        }
        match failed {
            Some(index) => Poll::Ready(branches[index].take().map(|_| Vec::new())),
            None if done => Poll::Ready(branches.iter_mut().map(Branch::take).collect()),
            None => Poll::Pending,
        }
    })
    .await
}

/// Waits for a future for as long as a timer runs. See [`piton::machine::Context::timeout`].
pub(super) async fn timeout<F: Future>(
    future: F,
    timer: impl Future<Output = ()>,
) -> Result<F::Output, ()> {
    let (mut future, mut timer) = (Branch::new(future), Branch::new(timer));
    std::future::poll_fn(|task| {
        let is_done = future.poll(task);
        // Both are requested, whatever the outcome of the first.
        let is_over = timer.poll(task);
        match is_done {
            true => Poll::Ready(Ok(future.take())),
            false if is_over => Poll::Ready(Err(())),
            false => Poll::Pending,
        }
    })
    .await
}

/// A future of `join!` or `select!`, with its value once it has one.
#[doc(hidden)]
#[derive(Debug)]
pub struct Branch<F: Future> {
    future: Option<Pin<Box<F>>>,
    value: Option<F::Output>,
    /// Whether its condition is false, so that it is never ready.
    is_off: bool,
}

impl<F: Future> Branch<F> {
    #[doc(hidden)]
    pub fn new(future: F) -> Self {
        Self { future: Some(Box::pin(future)), value: None, is_off: false }
    }

    #[doc(hidden)]
    pub fn off() -> Self {
        Self { future: None, value: None, is_off: true }
    }

    /// Polls the future unless it has given its value. Whether it has.
    #[doc(hidden)]
    pub fn poll(&mut self, task: &mut std::task::Context<'_>) -> bool {
        if let Some(future) = self.future.as_mut()
            && let Poll::Ready(value) = future.as_mut().poll(task)
        {
            // Dropped where it completes, as an awaited future is.
            self.future = None;
            self.value = Some(value);
        }
        self.future.is_none() && !self.is_off
    }

    /// Whether it is never ready, or not any more.
    #[doc(hidden)]
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    #[doc(hidden)]
    pub fn value(&self) -> Option<&F::Output> {
        self.value.as_ref()
    }

    #[doc(hidden)]
    pub fn take(&mut self) -> F::Output {
        self.value.take().expect("the branch has given its value")
    }
}

impl<F: Future<Output = Option<T>>, T> Branch<F> {
    /// Drops a `None` and is not ready any more. Whether it was one.
    #[doc(hidden)]
    pub fn refuses(&mut self) -> bool {
        self.is_off |= matches!(self.value, Some(None));
        if self.is_off {
            self.value = None;
        }
        self.is_off
    }
}

/// What `select!` chose, by the position of the arm.
#[doc(hidden)]
#[derive(Debug)]
pub enum Chosen<A, B = (), C = (), D = ()> {
    /// The first.
    A(A),
    /// The second.
    B(B),
    /// The third.
    C(C),
    /// The fourth.
    D(D),
    /// The `else`.
    Otherwise,
}

/// Whether a branch whose pattern is `Some(…)` refuses its value.
#[doc(hidden)]
#[macro_export]
macro_rules! refuses {
    ($branch:ident) => {
        false
    };
    ($branch:ident some) => {
        $branch.refuses()
    };
}

/// Waits for all futures and gives their values as a tuple.
#[macro_export]
macro_rules! join {
    ($a:expr $(,)?) => { ($a.await,) };
    ($a:expr, $b:expr $(,)?) => { $crate::join!(@ a $a, b $b) };
    ($a:expr, $b:expr, $c:expr $(,)?) => { $crate::join!(@ a $a, b $b, c $c) };
    ($a:expr, $b:expr, $c:expr, $d:expr $(,)?) => { $crate::join!(@ a $a, b $b, c $c, d $d) };
    (@ $($name:ident $future:expr),+) => {{
        $(let mut $name = $crate::plain::Branch::new($future);)+
        ::std::future::poll_fn(|task| {
            let mut done = true;
            $(done &= $name.poll(task);)+
            if done {
                ::std::task::Poll::Ready(($($name.take(),)+))
            } else {
                ::std::task::Poll::Pending
            }
        })
        .await
    }};
}

/// Waits for all futures, or for the first error, upon which the rest is dropped.
#[macro_export]
macro_rules! try_join {
    ($a:expr, $b:expr $(,)?) => { $crate::try_join!(@ a $a, b $b) };
    ($a:expr, $b:expr, $c:expr $(,)?) => { $crate::try_join!(@ a $a, b $b, c $c) };
    ($a:expr, $b:expr, $c:expr, $d:expr $(,)?) => { $crate::try_join!(@ a $a, b $b, c $c, d $d) };
    (@ $($name:ident $future:expr),+) => {{
        $(let mut $name = $crate::plain::Branch::new($future);)+
        let mut begins = true;
        ::std::future::poll_fn(|task| {
            // The first poll starts all of them, whatever comes of the ones before.
            let all = ::std::mem::take(&mut begins);
            let (mut done, mut failed) = (true, false);
            $(
                if all || !failed {
                    done &= $name.poll(task);
                    failed |= matches!($name.value(), Some(Err(_)));
                }
            )+
            $(
                if let Some(Err(_)) = $name.value() {
                    return ::std::task::Poll::Ready(Err($name.take().err().expect("is one")));
                }
            )+
            if done {
                ::std::task::Poll::Ready(Ok(($($name.take().ok().expect("is none"),)+)))
            } else {
                ::std::task::Poll::Pending
            }
        })
        .await
    }};
}

/// A future, if its condition holds. Without one rustc knows that it is made.
#[macro_export]
macro_rules! branch {
    ([] $future:expr) => {
        $crate::plain::Branch::new($future)
    };
    ([$cond:expr] $future:expr) => {
        if $cond { $crate::plain::Branch::new($future) } else { $crate::plain::Branch::off() }
    };
}

/// Waits for the first future to be ready and runs its arm.
#[macro_export]
macro_rules! select {
    (biased; $($arms:tt)+) => { $crate::select!(@ [] $($arms)+) };
    (@ [$($done:tt)*] Some($pattern:pat) = $future:expr, if $cond:expr => $body:expr, $($rest:tt)*) => {
        $crate::select!(@ [$($done)* (Some($pattern), $future, [$cond], $body, some)] $($rest)*)
    };
    (@ [$($done:tt)*] Some($pattern:pat) = $future:expr => $body:expr, $($rest:tt)*) => {
        $crate::select!(@ [$($done)* (Some($pattern), $future, [], $body, some)] $($rest)*)
    };
    (@ [$a:tt] else => $body:expr $(,)?) => {
        $crate::select!(# else $body; [_, (), (), ()] (a A $a))
    };
    (@ [$a:tt $b:tt] else => $body:expr $(,)?) => {
        $crate::select!(# else $body; [_, _, (), ()] (a A $a) (b B $b))
    };
    (@ [$a:tt $b:tt $c:tt] else => $body:expr $(,)?) => {
        $crate::select!(# else $body; [_, _, _, ()] (a A $a) (b B $b) (c C $c))
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr => $body:block , $($rest:tt)*) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [], $body)] $($rest)*)
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr => $body:block $($rest:tt)*) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [], $body)] $($rest)*)
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr => $body:expr , $($rest:tt)*) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [], $body)] $($rest)*)
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr => $body:expr) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [], $body)])
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr, if $cond:expr => $body:block , $($rest:tt)*) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [$cond], $body)] $($rest)*)
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr, if $cond:expr => $body:block $($rest:tt)*) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [$cond], $body)] $($rest)*)
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr, if $cond:expr => $body:expr , $($rest:tt)*) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [$cond], $body)] $($rest)*)
    };
    (@ [$($done:tt)*] $pattern:pat = $future:expr, if $cond:expr => $body:expr) => {
        $crate::select!(@ [$($done)* ($pattern, $future, [$cond], $body)])
    };
    (@ [$a:tt]) => { $crate::select!(# [_, (), (), ()] (a A $a)) };
    (@ [$a:tt $b:tt]) => { $crate::select!(# [_, _, (), ()] (a A $a) (b B $b)) };
    (@ [$a:tt $b:tt $c:tt]) => {
        $crate::select!(# [_, _, _, ()] (a A $a) (b B $b) (c C $c))
    };
    (@ [$a:tt $b:tt $c:tt $d:tt]) => {
        $crate::select!(# [_, _, _, _] (a A $a) (b B $b) (c C $c) (d D $d))
    };
    (
        # $(else $otherwise:expr;)? [$($value:ty),+]
        $(($name:ident $variant:ident
            ($pattern:pat, $future:expr, $cond:tt, $body:expr $(, $refuses:ident)?)))+
    ) => {{
        let chosen: $crate::plain::Chosen<$($value),+> = {
            $(
                let mut $name = $crate::branch!($cond $future);
            )+
            let mut begins = true;
            ::std::future::poll_fn(|task| {
                // The first poll starts all of them, whatever comes of the ones before.
                let all = ::std::mem::take(&mut begins);
                let mut done = false;
                $(
                    if all || !done {
                        done |= $name.poll(task) && !$crate::refuses!($name $($refuses)?);
                    }
                )+
                if true $(&& $name.is_off())+ {
                    return ::std::task::Poll::Ready($crate::plain::Chosen::Otherwise);
                }
                $(
                    if $name.value().is_some() {
                        return ::std::task::Poll::Ready(
                            $crate::plain::Chosen::$variant($name.take()),
                        );
                    }
                )+
                ::std::task::Poll::Pending
            })
            .await
        };
        match chosen {
            $($crate::plain::Chosen::$variant($pattern) => $body,)+
            $($crate::plain::Chosen::Otherwise => $otherwise,)?
            #[allow(unreachable_patterns)]
            _ => unreachable!("no such arm"),
        }
    }};
    ($($arms:tt)+) => { $crate::select!(@ [] $($arms)+) };
}
