//! Closures over parts of records, held across awaits, in branches and in each other.

use std::collections::BTreeMap;
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Tier {
    from: i64,
    cents: i64,
}
#[derive(Debug, Serialize, Deserialize)]
struct Job {
    id: i64,
    tiers: Vec<Tier>,
    owner: Noisy,
}
#[workflow]
async fn price(job: Job, n: i64) -> (i64, Noisy) {
    let Job { id, tiers, owner } = job;
    let tier = |count: i64| tiers.iter().filter(|t| t.from <= count).map(|t| t.cents).max();
    let mut total = 0;
    for count in 0..n % 5 {
        let Some(cents) = tier(count) else { continue };
        total += add(cents, count).await;
        if tier(total).is_none_or(|c| c > 90) {
            break;
        }
    }
    let clamp = |v: i64, hi| if v > hi { hi } else { v };
    total = clamp(act(total).await, 80) + clamp(id, 3);
    let name = move || owner;
    tick().await;
    (total, name())
}
#[workflow]
async fn pick(cx: &Context, n: i64) -> Result<i64, String> {
    let limits: BTreeMap<i64, i64> = [(1, 5), (2, n)].into();
    let get = |k: i64| limits.get(&k).copied().ok_or_else(|| format!("no {k}"));
    let a = get(1)?;
    let b = select! {
        v = act(a) => get(v % 4)?,
        v = async { let x = act(get(2).unwrap_or(0)).await; get(x % 3) } => v?,
        _ = cx.sleep(minutes(get(1)? as u64)) => get(2)?,
    };
    let again = loop {
        let x = act(b).await;
        if let Ok(v) = get(x % 3) {
            break v;
        }
        if x > 50 {
            return get(9);
        }
        tick().await;
        break 0;
    };
    Ok(a + b + again)
}
#[workflow]
async fn compose(n: i64) -> i64 {
    let inc = |x: i64| x + n;
    let twice = |x: i64| inc(inc(x));
    let apply = |f: &dyn Fn(i64) -> i64, x: i64| f(x);
    let a = act(twice(1)).await;
    let b = apply(&twice, a);
    let c = add(apply(&inc, b), apply(&|x| x * n, 2)).await;
    let parts = [inc(1), twice(2)];
    let sum: i64 = parts.iter().copied().map(inc).sum();
    act(sum + c).await + parts.map(twice)[0]
}
#[workflow]
async fn program(n: i64) -> String {
    let job = Job {
        id: n,
        tiers: (0..n % 4).map(|i| Tier { from: i, cents: i * 7 }).collect(),
        owner: Noisy::new("owner"),
    };
    let (total, owner) = price(job, n).await;
    let picked = pick(n).await;
    let composed = compose(n).await;
    note("last");
    drop(owner);
    format!("{total} {picked:?} {composed}")
}
