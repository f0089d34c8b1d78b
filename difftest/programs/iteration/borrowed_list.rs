//! `for` over `&list`, the item needed after the await, with `continue` and `break`.

#[workflow]
async fn program(n: i64) -> String {
    let names = vec!["a".to_owned(), "bb".to_owned(), String::new(), "c".to_owned(), "end".to_owned()];
    let mut out = String::new();
    for name in &names {
        let length = add(name.len() as i64, n).await;
        if name.is_empty() {
            continue;
        }
        if name == "end" {
            break;
        }
        out += &format!("{name}{length}{} ", concat(name, &out).await.len());
    }
    out + &names.concat()
}
