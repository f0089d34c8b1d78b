//! What a macro writes of its arguments is what stands in the source.

#[workflow]
async fn program(n: i64) -> String {
    let text = String::from("a");
    let text = fetch(&text).await;
    let moved = text;
    let name = concat(stringify!(text + "b", moved), concat!("c", stringify!(n))).await;
    let n = act(n).await;
    if n == 4 {
        assert!(n > 100 && name == "x");
    }
    if n == 5 {
        debug_assert!(act(n).await < 1,);
    }
    name + &moved
}
