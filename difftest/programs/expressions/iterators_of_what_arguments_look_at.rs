//! Items that are lent, with an await in arguments that look at the same list.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let names = words("a bb ccc").await;
    let mut out = vec![];
    for (name, page) in names.iter().zip(join_all(names.iter().map(|name| fetch(name))).await) {
        out.push(format!("{name}{page}{n}"));
    }
    for (name, size) in names.iter().zip(join_all(names.iter().map(|name| lookup(name))).await) {
        out.push(concat(name, &format!("{size:?}")).await);
    }
    for (name, other) in names.iter().rev().zip(words(&names.join(" ")).await) {
        out.push(format!("{name}{other}"));
    }
    let first = names.first().map_or(0, String::len) as i64;
    let sizes: Vec<_> = names.iter().map(String::len).zip(list(first + n).await).collect();
    out.push(format!("{sizes:?}"));
    out
}
