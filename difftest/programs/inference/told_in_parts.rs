//! The fields of a generic struct and the parts of a pair learn their types behind an await.

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Best<T> {
    item: Option<T>,
    count: usize,
}
impl<T> Best<T> {
    fn new(item: Option<T>) -> Self {
        Self { item, count: 0 }
    }
}
#[workflow]
async fn program(n: i64) -> i64 {
    let mut best = Best { item: None, count: 0 };
    let mut other = Best::new(None);
    let mut tuple = (None, Vec::new());
    for x in 0..5 {
        match x % 3 {
            0 => {
                let text = fetch("a").await;
                best.item = Some(text.clone());
                if flag(x).await {
                    other = Best::new(Some(text));
                }
                tuple.0 = Some(act(x).await);
                tuple.1.push(fetch("t").await);
            }
            1 => {
                note(best.item.as_ref().map(|t| t.len()));
                best.count += 1;
                note(other.item.as_ref().map(|t| t.len()));
                note(tuple.0.map(|x| x.pow(2)));
            }
            _ => {
                note(tuple.1.iter().map(|t| t.len()).sum::<usize>());
                tick().await;
            }
        }
    }
    (best.count + other.count) as i64 + n
}
