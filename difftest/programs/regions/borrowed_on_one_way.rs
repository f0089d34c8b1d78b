//! What a branch borrows, and one of its ways alone uses, ends where it has been declared.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut list = vec![Noisy::new("0"), Noisy::new(fetch("").await)];
    let x = async {
        if n > 5 {
            note(format!("{list:?}"));
            list[0] = Noisy::new("1");
            act(1).await;
        } else {
            return Noisy::new("0");
        }
        Noisy::new("1")
    }
    .await;
    note(x.name());
    let mut _other = Some(Noisy::new("other"));
    let y = loop {
        if n > 3 {
            if act(n).await > 20 {
                _other = None;
                break "late";
            }
        } else {
            break "early";
        }
        _other = Some(Noisy::new("again"));
        break "once";
    };
    note(y);
    if n < 3 {
        return n;
    }
    note("end");
    n
}
