//! What an awaited `async` block takes over ends with it, what it borrows does not.
#[workflow]
async fn inner(n: i64) -> i64 { async { let a = Noisy::new("in"); act(n).await + a.name().len() as i64 }.await }
#[workflow]
async fn program(n: i64) -> i64 {
    let a = Noisy::new("a");
    let b = Noisy::new("b");
    let c = Noisy::new("c");
    let mut d = Noisy::new("d");
    let x = async {
        let t = Noisy::new("t");
        let got = act(n).await;
        if got > 2 { drop(b); }
        d = Noisy::new("d2");
        note(a.name());
        note(t.name());
        got
    }.await;
    note("mid");
    let y = async move { note(c.name()); inner(x).await }.await;
    note("end");
    note(d.name());
    act(y).await
}
