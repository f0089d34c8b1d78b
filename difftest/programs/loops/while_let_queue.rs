//! A work queue with awaits between its ends.

#[workflow]
async fn program(n: i64) -> Vec<i64> {
    let mut queue = VecDeque::from(list(n + 3).await);
    let mut done = Vec::new();
    while let Some(front) = queue.pop_front() {
        match queue.pop_back() {
            Some(back) => done.push(add(front, back).await),
            None => done.push(act(front).await),
        }
        if done.len() == 2 {
            queue.push_back(note(77));
        }
    }
    done
}
