//! Parts of lists and texts: `splitn`, `rsplit`, `chunk_by`, `rchunks`, `flatten`, set operations.

#[workflow]
async fn program(n: i64) -> Vec<String> {
    let text = words("a=1 b=2,c= d").await.join(",");
    let items = list(n + 4).await;
    let rows = vec![words("a b").await, vec![], words("c").await];
    let maybe = [Some(fetch("m").await), None];
    let ours: BTreeSet<i64> = items.iter().copied().collect();
    let theirs: BTreeSet<i64> = list(n + 1).await.into_iter().collect();
    let limit = 3;
    let mut out = vec![];
    for p in text.splitn(2, ',') {
        out.push(fetch(p).await);
        note(p);
    }
    for p in text.rsplitn(3, '=').skip(1) {
        out.push(fetch(p).await);
        note(p);
    }
    for p in text.rsplit(',') {
        out.push(fetch(p).await);
        note(p);
    }
    for p in text.split_terminator('=') {
        out.push(fetch(p).await);
    }
    for (i, p) in text.match_indices('=') {
        out.push(format!("{i}{}", fetch(p).await));
        note(p);
    }
    for p in text.split_inclusive(',').rev() {
        out.push(fetch(p).await);
    }
    for p in text.split([',', '=']).filter(|p| !p.is_empty()) {
        out.push(fetch(p).await);
    }
    for p in text.split(|c: char| c == ',' || c.is_ascii_digit()) {
        out.push(fetch(p).await);
        note(p);
    }
    for p in text.split(char::is_numeric).enumerate() {
        out.push(fetch(p.1).await);
        note(p);
    }
    for p in items.split(|x| *x == limit) {
        out.push(total(p).await.to_string());
        note(p);
    }
    for p in items.rchunks(2) {
        out.push(total(p).await.to_string());
        note(p);
    }
    for p in items.chunk_by(|a, b| a < b) {
        out.push(total(p).await.to_string());
        note(p);
    }
    for r in rows.iter().flatten() {
        out.push(concat(r, "f").await);
        note(r);
    }
    for (i, r) in rows.iter().flatten().enumerate().skip(1) {
        out.push(concat(r, "f").await);
        note((i, r));
    }
    for m in maybe.iter().flatten() {
        out.push(concat(m, "g").await);
        note(m);
    }
    for x in ours.difference(&theirs) {
        out.push(act(*x).await.to_string());
        note(x);
    }
    for x in ours.intersection(&theirs) {
        out.push(act(*x).await.to_string());
        note(x);
    }
    for x in ours.union(&theirs).filter(|x| **x != n) {
        out.push(act(*x).await.to_string());
        note(x);
    }
    for m in rows.into_iter().flatten().rev() {
        out.push(concat(&m, &n.to_string()).await);
    }
    out
}
