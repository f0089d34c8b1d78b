//! A `match` on the value of another one, in an operand: what both have matched is there until the
//! statement ends.

#[workflow]
async fn program(n: i64) -> i64 {
    let longer = i64::max(
        match match find(n).await.map(Noisy::new) {
            Some(_) => Some(String::from("1")),
            none => return 7,
        } {
            Some(text) => {
                drop(Noisy::new("inside"));
                text.len() as i64
            }
            None => n,
        },
        3,
    );
    note(longer);
    let shorter = i64::min(
        match find(n + 1).await.filter(|text| text.len() > 1).map(Noisy::new) {
            Some(noisy) if noisy.name().len() > 90 => 1,
            Some(_) => act(n).await,
            None => 5,
        },
        {
            note("second operand");
            n
        },
    );
    note(shorter);
    shorter
}
