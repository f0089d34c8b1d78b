//! Blocks and methods whose bounds name `Self`.
use serde::de::DeserializeOwned;

trait Named {
    fn name(&self) -> String;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry<T> {
    value: T,
}

impl Named for Entry<i64> {
    fn name(&self) -> String {
        format!("entry {}", self.value)
    }
}

impl<T> Entry<T>
where
    Self: Named + Clone,
    T: Clone + Serialize + DeserializeOwned + 'static,
{
    #[workflow]
    async fn described(self) -> String {
        let copy = self.clone();
        let text = fetch(&copy.name()).await;
        format!("{text} {}", self.name())
    }

    #[workflow]
    async fn compared<U>(self, other: U) -> (bool, U)
    where
        U: PartialEq<Self> + Clone + Serialize + DeserializeOwned + 'static,
    {
        let is_same = other == self;
        tick().await;
        (is_same, other)
    }
}

#[workflow]
async fn program(n: i64) -> String {
    let entry = Entry { value: act(n).await };
    let (is_same, other) = entry.clone().compared(Entry { value: n }).await;
    format!("{} {is_same} {}", entry.described().await, other.described().await)
}
