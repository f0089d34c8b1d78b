//! Values of every kind that are dropped where loops, blocks and arms are left behind branches that have
//! awaited.

#[workflow]
async fn matched(n: i64) -> i64 {
    'out: loop {
        let before = Noisy::new("before");
        match (make(n).await, Noisy::new("other")) {
            (a, b) => {
                let c = Noisy::new("c");
                if n > 1 { note(act(n).await); drop(b); } else { note(1); }
                if n > 0 { break 'out; }
            }
        }
        break;
    }
    note(5);
    n
}
#[workflow]
async fn queue(n: i64) -> i64 {
    let mut queue = vec![Noisy::new("q1"), Noisy::new("q2"), Noisy::new("q3")];
    while let Some(job) = queue.pop() {
        let held = Noisy::new("held");
        if format!("{:?}", job).len() as i64 == n { act(1).await; continue; }
        if n == 1 { drop(held); act(2).await; } else if n == 2 { break; }
        note(3);
        if n == 0 { break; }
    }
    note(6);
    n
}
#[workflow]
async fn chained(n: i64) -> i64 {
    let a = Noisy::new("a");
    let b = if n > 1 { let t = Noisy::new("t"); act(n).await; drop(a); Noisy::new("b1") } else { let t = Noisy::new("t2"); note(1); Noisy::new("b2") };
    let _c = { let d = Noisy::new("d"); if n == 2 { act(3).await; } (d, Noisy::new("e")).1 };
    note(7);
    n
}
#[workflow]
async fn in_select(n: i64) -> i64 {
    let outer = Noisy::new("outer");
    for item in vec![Noisy::new("i1"), Noisy::new("i2")] {
        let first = Noisy::new("first");
        select! {
            got = make(n) => { let x = got; if n > 1 { break; } note(2); }
            _ = act(9) => { drop(first); if n > 0 { act(4).await; } break; }
        }
        let last = Noisy::new("last");
        if n == 0 { act(5).await; } else { drop(item); break; }
    }
    note(8);
    n
}
#[workflow]
async fn labeled(n: i64) -> i64 {
    let r = 'a: {
        let x = make(n).await;
        let y = Noisy::new("y");
        if n > 1 { let z = Noisy::new("z"); if n > 2 { break 'a act(n).await; } else { note(1); } break 'a 3; }
        if n == 1 { act(7).await; } 
        format!("{:?}", x).len() as i64
    };
    note(9);
    r
}
#[workflow]
async fn early(n: i64) -> Option<i64> {
    let x = make(n).await;
    for item in [Noisy::new("i1"), Noisy::new("i2")] {
        let y = Noisy::new("y");
        let v = (n > 0).then_some(n)?;
        if n > 1 { act(v).await; } else { note(2); }
        let w = (n > 1).then_some(n)?;
        if w > 2 { act(v).await; return Some(w); }
    }
    Some(2)
}
#[workflow]
async fn program(n: i64) -> i64 {
    note(matched(n).await); note(queue(n).await); note(chained(n).await);
    note(in_select(n).await); note(labeled(n).await); note(early(n).await);
    n
}
#[workflow]
async fn make(n: i64) -> Noisy { Noisy::new(fetch(&n.to_string()).await) }
