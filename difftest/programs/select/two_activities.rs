//! The first to be ready wins, the other is given up.

#[workflow]
async fn program(cx: &Context, n: i64) -> String {
    let name = select! {
        got = act(n) => format!("act {got}"),
        text = fetch("slow") => { note(&text); text }
        _ = cx.sleep(seconds(5)) => tick().await.into_text(),
    };
    fetch(&name).await
}

trait IntoText {
    fn into_text(self) -> String;
}

impl IntoText for () {
    fn into_text(self) -> String {
        "late".to_owned()
    }
}
