//! What has been matched is there until the `match` ends, in arms that bind nothing of it and may await.

#[workflow]
async fn program(n: i64) -> i64 {
    match Some(Noisy::new("made")) {
        Some(_) => {
            while n > 5 {
                tick().await;
                break;
            }
            drop(Noisy::new("inside"));
        }
        none => (),
    }
    note("found");
    match find(n).await.map(Noisy::new) {
        Some(noisy) if noisy.name().len() > 90 => (),
        Some(ref noisy) if n > 3 => {
            tick().await;
            note(noisy.name().len());
        }
        Some(..) | None => {
            if n > 2 {
                tick().await;
            }
            drop(Noisy::new("inside"));
        }
    }
    note("condition");
    if let Some(_) = vec![Noisy::new("first"), Noisy::new("last")].pop() {
        if n > 4 {
            tick().await;
        }
        drop(Noisy::new("inside"));
    } else if let Err(_) = Err::<i64, _>(Noisy::new("never")) {
        tick().await;
    }
    note("chain");
    if n < 4
        && let Some(_) = Some(Noisy::new("early"))
        && let Some(text) = find(n).await
        && let (_, Some(_)) = (Noisy::new("beside"), Some(text))
    {
        if n > 1 {
            tick().await;
        }
        drop(Noisy::new("inside"));
    } else {
        drop(Noisy::new("otherwise"));
    }
    let mut rounds = 0;
    while let Ok(_) = Ok::<Noisy, Noisy>(Noisy::new("head")) {
        rounds += 1;
        if rounds > n {
            tick().await;
            break;
        }
        drop(Noisy::new("round"));
    }
    if let Ok(..) = { let given = Noisy::new("given"); Ok::<Noisy, Noisy>(given) } {
        for _ in 0..n {
            tick().await;
        }
        drop(Noisy::new("inside"));
    }
    n
}
