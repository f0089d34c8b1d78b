//! Iterators that change variables while they give items, where nobody sees when: the loop ends with the last
//! item, or the variable is used no more.

#[workflow]
async fn program(n: i64) -> (i64, Vec<i64>) {
    let mut queue = VecDeque::from([n, 3, 8]);
    let mut seen = 0;
    let mut log = Vec::new();
    for x in std::iter::from_fn(|| queue.pop_front()).inspect(|x| log.push(*x)) {
        if flag(x).await {
            continue;
        }
        note(x);
    }
    let mut list = list(n + 3).await;
    for x in list.iter_mut().map(|x| { *x += 1; seen += 1; *x }) {
        note(act(x).await);
    }
    let mut ids = 1..;
    for (id, x) in queue.into_iter().chain(list.iter().copied()).map(|x| (ids.next(), x)) {
        if act(x).await > 60 {
            break;
        }
        note(id);
    }
    let mut left = 3;
    for x in std::iter::repeat_with(|| { left -= 1; left }).take(3) {
        if act(x).await == 4 {
            return (seen, log);
        }
    }
    let changed = loop {
        if let Some(x) = list.pop() && act(x).await < 20 {
            continue;
        }
        break list.len() as i64;
    };
    (seen + changed, log)
}
