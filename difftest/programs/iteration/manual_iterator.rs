//! A saveable iterator of the user's own, moved along by hand and by `for`.

#[derive(Clone, Serialize, Deserialize)]
struct Countdown {
    left: i64,
}

impl Iterator for Countdown {
    type Item = i64;

    fn next(&mut self) -> Option<i64> {
        self.left -= 1;
        (self.left >= 0).then_some(self.left)
    }
}

#[workflow]
async fn program(n: i64) -> i64 {
    let mut countdown = Countdown { left: n + 2 };
    let mut sum = 0;
    while let Some(x) = countdown.next() {
        sum += act(x).await;
        if sum > 40 {
            break;
        }
    }
    for x in countdown {
        sum += act(note(x)).await;
    }
    sum
}
