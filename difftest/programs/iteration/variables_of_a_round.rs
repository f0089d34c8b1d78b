//! A variable that the iterator changes is another one each time the loop around goes round.
#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut out = Vec::new();
    for i in 0..3 {
        let mut queue = VecDeque::from([n, i, 4]);
        for job in std::iter::from_fn(|| queue.pop_front()) {
            if flag(job).await {
                break;
            }
            out.push(job);
        }
        let mut count = 0;
        for x in vec![1, 2, 3].into_iter().map(|x| {
            count += 1;
            x * count
        }) {
            if x == act(n).await {
                break;
            }
            out.push(x);
        }
    }
    out
}
