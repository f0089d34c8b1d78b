//! A job that is polled with growing pauses, its states moved from one into the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Job {
    Queued { since: Timestamp },
    Running(u32, Vec<String>),
    Done { out: Option<Box<Job>> },
    Lost,
}
use Job::*;
#[workflow]
async fn program(cx: &Context, n: i64) -> (Job, Vec<u64>) {
    let mut job = Queued { since: cx.now() };
    let mut waits = vec![];
    let mut delay = Duration::from_secs(1);
    let max = minutes(2);
    let mut tries = 0u32;
    loop {
        job = match job {
            Queued { since } if cx.now().saturating_since(since) > seconds(5) => {
                Running(0, words("a b").await)
            }
            Queued { .. } => {
                tick().await;
                job
            }
            Running(count @ 0..=1, mut log) => {
                if let Some(line) = find(n + i64::from(count)).await {
                    log.push(line);
                }
                Running(count + 1, log)
            }
            Running(_, log) if log.iter().any(|l| l.ends_with('2')) => {
                Done { out: Some(Box::new(Lost)) }
            }
            Running(_, ref log) if log.len() % 2 == 0 => Done { out: None },
            Running(..) => Lost,
            end @ (Done { .. } | Lost) => break (end, waits),
        };
        tries += 1;
        if tries > 9 {
            return (Lost, waits);
        }
        delay = (delay * 2).min(max);
        waits.push(delay.as_secs());
        cx.sleep(delay).await;
    }
}
