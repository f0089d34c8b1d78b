//! `let else`, `while let`, `if let` chains, `@` bindings and slices of arrays, each with an await.

#[derive(Debug, Serialize, Deserialize)]
enum Step {
    Go { from: i64, to: Option<Box<Step>> },
    Pair([String; 2], (i64, i64)),
    Stop,
}

/// A key that is found, or not, depending on `n`.
fn some(n: i64) -> String {
    "x".repeat(n.rem_euclid(5) as usize)
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut queue = VecDeque::from([
        Step::Go { from: n, to: Some(Box::new(Step::Pair(["a".to_owned(), "b".to_owned()], (1, n)))) },
        Step::Stop,
        Step::Pair([fetch("c").await, "d".to_owned()], (act(1).await, 2)),
    ]);
    let mut total = 0;
    while let Some(step) = queue.pop_front() {
        total += match step {
            Step::Go { from: from @ (0..=1 | 5), to: Some(next) } => {
                queue.push_back(*next);
                act(from).await
            }
            Step::Go { from, to: Some(next) } if from > 1 => {
                tick().await;
                let Step::Pair([first, ..], whole @ (_, right)) = *next else {
                    return act(-1).await;
                };
                note((first, whole));
                right
            }
            Step::Go { .. } => 7,
            Step::Pair([ref a, ref b], (x, y)) if a.len() == b.len() => {
                note((a, b));
                x + y
            }
            Step::Pair(texts, (x @ 1.., _)) => {
                let [one, two] = texts;
                concat(&one, &two).await.len() as i64 + x
            }
            Step::Pair(..) => act(2).await,
            Step::Stop => {
                let Some(extra) = lookup(&some(n)).await else {
                    tick().await;
                    continue;
                };
                extra
            }
        };
        let numbers = list(total % 4).await;
        if let [first, .., last] = numbers[..]
            && let Some(found) = lookup(&some(first)).await
            && found >= last
            && flag(found).await
        {
            total += found;
        } else if let &[one] = &numbers[..] {
            total -= one;
        }
    }
    total
}
