//! Texts out of lists and tuples of literals.

const NAMES: [&str; 3] = ["c0", "c1", "c2"];
const PAIRS: &[(&str, i64)] = &[("p", 1), ("q", 2)];

#[workflow]
async fn program(n: i64) -> String {
    let arr = ["x", "y", "z"];
    let at = (n % 3) as usize;
    let pick = arr[at];
    let other = NAMES[at];
    let both = ("left", act(n).await);
    let left = both.0;
    let [first, ..] = arr;
    let some = &arr[1..];
    let (name, value) = PAIRS[at % 2];
    let table = [("a", ["b", "c"]), ("d", ["e", "f"])];
    let deep = table[at % 2].1[0];
    tick().await;
    let mut last = arr[2];
    for i in 0..2 {
        last = arr[i];
        tick().await;
    }
    let opt = arr.get(at).copied().unwrap_or("none");
    let pos = arr.iter().position(|a| *a == last);
    tick().await;
    [pick, other, left, first, some[0], name, deep, last, opt].join("-")
        + &format!("{value}{pos:?}{}", both.1)
}
