//! Workflows in an `impl` block with constant generics, bounds and a `where` clause.
use serde::de::DeserializeOwned;
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pool<T, const N: usize>
where
    T: Clone,
{
    items: Vec<T>,
    tag: [u8; N0],
    seed: i64,
}
const N0: usize = 2;
impl<T, const N: usize> Pool<T, N>
where
    T: Clone + Ord + std::fmt::Debug + Serialize + DeserializeOwned + 'static,
{
    const MAX: usize = N;
    #[workflow]
    async fn fill(self, with: Vec<T>) -> Self {
        let Self { mut items, tag, seed } = self;
        for item in with {
            if items.len() >= Self::MAX {
                break;
            }
            tick().await;
            items.push(item);
        }
        items.sort();
        Self { items, tag, seed: act(seed).await }
    }
    #[workflow]
    async fn best(mut self) -> Option<(T, Vec<i64>)> {
        let best = self.items.pop()?;
        let mut arr = vec![0; N];
        for slot in arr.iter_mut() {
            *slot = act(self.seed).await;
            self.seed += 1;
        }
        Some((best, arr))
    }
}
#[workflow]
async fn program(n: i64) -> String {
    let pool = Pool::<_, 3> { items: vec![], tag: [1, 2], seed: n };
    let pool = pool.fill(list(n).await).await;
    let other = Pool::<String, 1>::fill(
        Pool { items: words("z y").await, tag: [0; 2], seed: 1 },
        vec![fetch("x").await],
    )
    .await;
    format!("{:?} {:?}", pool.clone().best().await, other.best().await)
}
