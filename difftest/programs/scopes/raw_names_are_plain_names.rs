//! A name with `r#` and without is one: of a parameter, of a variable and what shadows it, of a field, and in
//! macros.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Item {
    count: i64,
}

#[workflow]
async fn program(r#n: i64) -> String {
    let mut sum = 0;
    let r#x = n;
    note(x);
    for x in 0..3 {
        tick().await;
        sum += r#x;
    }
    let x = r#x + 100;
    let item = Item { r#count: act(r#n).await };
    let Item { r#count } = item.clone();
    tick().await;
    let matched = matches!(Some(r#x), Some(r#y) if y > count);
    let shown = stringify!(r#x);
    format!("{x} {} {sum} {count} {} {matched} {shown}", r#x, item.r#count)
}
