//! Guards and values that are not used again are dropped at the end of their scope, in reverse order,
//! where the branch that is taken awaits nothing.

#[workflow]
async fn program(n: i64) -> i64 {
    let _guard = Noisy::new("guard");
    let shadowed = Noisy::new("first");
    let shadowed = Noisy::new(format!("second {n}"));
    let unused = Noisy::new(format!("unused {n}"));
    let later;
    {
        let _inner = Noisy::new("inner");
        let (_a, _b) = (Noisy::new("a"), Noisy::new("b"));
        if n > 1_000 {
            tick().await;
        }
        note("end of the block");
    }
    if n == 1 {
        later = act(n).await;
    } else {
        later = n;
    }
    match n {
        0 => note("zero"),
        1 => {
            tick().await;
            note("one")
        }
        _ => note("many"),
    };
    let _last = Noisy::new("last");
    note("end");
    later
}
