//! Nested functions of both kinds, generic ones with `where`, methods that take `self`, recursion.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Counter<T> {
    value: T,
    depth: u32,
}

impl Counter<i64> {
    #[workflow]
    async fn up(self, by: i64) -> Self {
        if self.depth == 0 {
            return self;
        }
        let value = self.value + act(by).await;
        let next = Counter { value, depth: self.depth - 1 };
        Box::pin(Self::up(next, by + 1)).await
    }
}

#[workflow]
async fn largest<T, F>(items: Vec<T>, other: F) -> Option<T>
where
    T: Clone + Ord + Serialize + serde::de::DeserializeOwned + 'static,
    F: Into<T> + Serialize + serde::de::DeserializeOwned + 'static,
{
    let mut best: Option<T> = None;
    for item in items {
        tick().await;
        if best.as_ref().is_none_or(|best| *best < item) {
            best = Some(item);
        }
    }
    best.max(Some(other.into()))
}

#[workflow]
async fn program(n: i64) -> String {
    const STEP: i64 = 2;
    static NAMES: [&str; 2] = ["even", "odd"];
    fn twice(x: i64) -> i64 {
        x * STEP
    }
    async fn inner(x: i64, name: String) -> (i64, String) {
        use std::fmt::Write as _;
        let mut out = name;
        for i in 0..x % 3 {
            write!(out, "{i}{}", act(i).await).expect("a string");
        }
        (twice(x), out)
    }
    let counter = Counter { value: n, depth: 2 };
    let kept = counter.clone();
    let (up, (x, text)) = join!(Counter::up(counter, STEP), inner(n, NAMES[(n % 2) as usize].to_owned()));
    let best = largest(list(x).await, 3_i32).await;
    let words = largest(vec![text.clone(), fetch("w").await], 'c').await;
    let f = |a: i64| a + STEP;
    let mapped: Vec<i64> = list(2).await.into_iter().map(f).map(twice).collect();
    format!("{kept:?} {up:?} {best:?} {words:?} {text} {mapped:?}")
}
