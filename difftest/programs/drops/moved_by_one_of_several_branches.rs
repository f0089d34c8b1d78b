//! What one branch moves is kept by the others until its scope ends.

#[workflow]
async fn program(n: i64) -> i64 {
    for item in vec![Noisy::new("a"), Noisy::new("b")].into_iter().rev() {
        select! {
            _ = fetch("x") => {
                if flag(n).await && let Ok(_) = Ok::<String, Error>(String::new()) {
                    let (taken, _) = (item, Noisy::new("second"));
                    if n < 0 {
                        note(1);
                    } else {
                        continue;
                    }
                }
            }
            _ = letter(n) => {}
        }
        note(2);
    }
    let held = Noisy::new("held");
    let other = Some(Noisy::new("other"));
    if n > 0 {
        match act(n).await {
            1 => drop(held),
            2 => tick().await,
            _ if n > 3 => {
                letter(3).await;
            }
            _ => {}
        }
        note(4);
    }
    let _last = Noisy::new("last");
    match other {
        Some(_) => note("some"),
        none => note("none"),
    };
    note(5)
}
