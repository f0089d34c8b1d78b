//! Attributes on statements, locals and expressions.

/// Documented.
#[workflow]
#[allow(unused_variables)]
async fn program(n: i64) -> i64 {
    //! In the body as well.
    #![allow(unused_assignments)]
    #[allow(unused_mut)]
    let mut a = act(n).await;
    #[allow(clippy::let_and_return)]
    let b = {
        #[cfg(any())]
        tick().await;
        let c = a + 1;
        c
    };
    #[rustfmt::skip]
    let d = act( b ).await;
    b + d
}
