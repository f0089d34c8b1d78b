//! With `biased`, the first branch in the source that is ready wins; handlers await and have values.

#[workflow]
async fn program(cx: &Context, n: i64) -> i64 {
    let x = select! { biased;
        a = act(n) => a + 1,
        b = act(n + 1) => {
            note("second");
            let c = act(b).await;
            b + c
        }
    };
    select! { biased;
        _ = cx.sleep(Duration::from_secs(3)) => { note("timer"); }
        approve = cx.signal::<Approve>() => { note(approve.by); }
    }
    select! { biased;
        _ = act(1), if n > 1 => { note("one"); }
        y = maybe(n), if n < 5 => {
            let Some(y) = y else { return 0 };
            note(y);
        }
        _ = act(3) => {}
    }
    x
}
