//! Attributes that only functions can have, and some that say something of whoever calls one.

#[inline]
#[workflow]
#[cold]
async fn first(n: i64) -> i64 {
    act(n).await
}

#[workflow]
#[inline(always)]
#[must_use = "it has been asked for"]
#[deprecated = "ask for the first one"]
#[allow(non_snake_case)]
async fn second(theNumber: i64) -> i64 {
    first(theNumber).await + act(theNumber + 1).await
}

#[workflow]
#[allow(deprecated)]
async fn program(n: i64) -> i64 {
    first(n).await + second(n).await
}
