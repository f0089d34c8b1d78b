//! `concat!`, `stringify!`, `line!`-free constants and `cfg!` in a workflow.

#[workflow]
async fn program(n: i64) -> String {
    let text = std::concat!("a", 1, true);
    let name = stringify!(n);
    tick().await;
    let both = format!("{text}{name}{}", cfg!(any()));
    concat(&both, &act(n).await.to_string()).await
}
