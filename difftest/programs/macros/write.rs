//! `write!` into a string between awaits and with awaited arguments.

#[workflow]
async fn program(n: i64) -> String {
    use std::fmt::Write as _;
    let mut out = String::new();
    write!(out, "[{}]", act(n).await).expect("strings take everything");
    writeln!(out, "{out_length}", out_length = note(3)).expect("strings take everything");
    tick().await;
    write!(&mut out, "{:>3}", fetch("w").await).expect("strings take everything");
    out
}
