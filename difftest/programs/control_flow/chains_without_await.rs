//! Chains of conditions within a branch that awaits nothing and moves a local, beside a local that is given
//! its value later.

#[workflow]
async fn program(n: i64) -> i64 {
    let (late, text, noisy) = (n > 2, String::from("text"), Noisy::new("noisy"));
    if n == 100 {
        tick().await;
    }
    if n > 1 {
        let length;
        if n > 3 {
            if let Some(x) = Some(n) && let Some(y) = Some(x) && late {
                note(y);
            } else {
                drop(noisy);
            }
            length = text;
        } else {
            length = text.clone();
        }
        note(length);
    } else {
        tick().await;
    }
    note("end");
    n
}
