//! The rest of a value goes to another one, and what of it is not wanted is dropped.

#[derive(Serialize, Deserialize)]
struct Three {
    a: Noisy,
    b: Noisy,
    c: Noisy,
}
#[derive(Serialize, Deserialize)]
struct Outer {
    inner: Three,
    last: Noisy,
}

fn three(n: &str) -> Three {
    Three {
        a: Noisy::new(&format!("{n}a")),
        b: Noisy::new(&format!("{n}b")),
        c: Noisy::new(&format!("{n}c")),
    }
}

fn check(n: i64, at: i64) -> Option<i64> {
    (note(n) != at).then_some(at)
}

#[workflow]
async fn plain(n: i64) -> Option<i64> {
    let first = Noisy::new("first");
    let x = three("x");
    let a = x.a;
    let count = act(n).await;
    check(count, 1)?;
    let y = Three { a: Noisy::new("new"), ..x };
    note((a.name(), y.a.name(), y.b.name()));
    tick().await;
    drop(y);
    note(first.name());
    Some(count)
}

#[workflow]
async fn branch(n: i64) -> i64 {
    let x = three("x");
    let mut kept = None;
    if n % 2 == 0 {
        let b = x.b;
        tick().await;
        kept = Some(Three { b: Noisy::new("new"), ..x });
        note(b.name());
    } else if n % 3 == 0 {
        note("nothing");
    } else {
        drop(x.c);
        tick().await;
    }
    tick().await;
    note(kept.map(|k| k.c.name().to_owned()));
    n
}

#[workflow]
async fn param(x: Three, n: i64) -> Three {
    let Three { a, .. } = x;
    tick().await;
    note(a.name());
    let x = Three { a, ..x };
    tick().await;
    x
}

#[workflow]
async fn deep(n: i64) -> Outer {
    let o = Outer { inner: three("i"), last: Noisy::new("last") };
    let taken = o.inner;
    tick().await;
    note(taken.a.name());
    let inner = Three { a: Noisy::new("z"), ..taken };
    tick().await;
    Outer { inner, ..o }
}

#[workflow]
async fn rounds(n: i64) -> Three {
    let mut x = three("x");
    for i in 0..3 {
        let b = x.b;
        act(i).await;
        if note(i) == n {
            continue_with(&b);
        }
        x = Three { b: Noisy::new(&format!("{i}")), ..x };
        note(b.name());
    }
    x
}

fn continue_with(b: &Noisy) {
    note(b.name());
}

#[workflow]
async fn lost(n: i64) -> i64 {
    let x = three("x");
    let b = x.b;
    tick().await;
    if n > 3 {
        note("left");
        return n;
    }
    let y = Three { b, ..x };
    tick().await;
    note(y.b.name());
    0
}

#[workflow]
async fn closure(n: i64) -> i64 {
    let x = three("x");
    let f = |b: Noisy| b.name().to_owned();
    note(f(x.b));
    tick().await;
    let y = Three { b: Noisy::new("w"), c: Noisy::new(fetch("c").await), ..x };
    tick().await;
    note(y.b.name());
    0
}

#[workflow]
async fn program(n: i64) -> i64 {
    let p = plain(n).await;
    let b = branch(n).await;
    let q = param(three("p"), n).await;
    let d = deep(n).await;
    let r = rounds(n).await;
    note((q.a.name(), d.inner.a.name(), r.b.name()));
    p.unwrap_or(7) + b + lost(n).await + closure(n).await
}
