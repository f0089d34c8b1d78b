//! What branches in the head of a loop give to a method is dropped with the loop.

#[workflow]
async fn program(n: i64) -> i64 {
    for a in vec![
        n,
        3 + (if n > 1 { vec![Noisy::new("x"), Noisy::new("y")] } else { vec![Noisy::new("z")] }.len() as i64)
    ] {
        let held = Noisy::new("held");
        if n < 2 { continue; }
        note(act(a).await);
    }
    note(8);
    for b in 0..(match n { 1 => vec![Noisy::new("1")], _ => { note(5); vec![Noisy::new("2")] } }.len() as i64) {
        let held = Noisy::new("held");
        if n < 3 { continue; }
        note(act(b).await);
    }
    act(1).await
}
