//! `?` in operands, of a workflow, a branch and the head of a loop.

fn both(_a: Noisy, b: Noisy) -> Noisy {
    b
}
#[workflow]
async fn helper(n: i64) -> Option<Noisy> {
    let x = both(
        Noisy::new("0"),
        vec![Noisy::new("6"), Noisy::new("last")]
            .pop()
            .unwrap_or(Noisy::new(find(n).await?.to_string())),
    );
    let pair =
        (Noisy::new("left"), vec![Noisy::new("l"), Noisy::new("r")].len(), find(n + 1).await?, x);
    note(pair.1);
    let s = Some(both(Noisy::new("q"), vec![Noisy::new("w")].pop()?));
    tick().await;
    s
}

#[workflow]
async fn program(n: i64) -> i64 {
    for x in vec![
        Noisy::new("a"),
        vec![Noisy::new("b"), Noisy::new("c")].pop().unwrap_or({
            if n > 1 {
                return 0;
            }
            Noisy::new(fetch("x").await)
        }),
    ] {
        note(x.name().len());
        if flag(1).await {
            break;
        }
    }
    let (a, b) = join!(async { helper(n).await }, async {
        let v = both(
            Noisy::new("j"),
            vec![Noisy::new("k"), Noisy::new("l")].pop().unwrap_or({
                if n > 1 {
                    return None;
                }
                Noisy::new(fetch("x").await)
            }),
        );
        Some(v)
    });
    note((a, b));
    1
}
