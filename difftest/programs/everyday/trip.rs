//! A trip of several bookings, each retried, that are undone in reverse order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Step {
    Hotel(i64),
    Flight { from: String, to: String },
    Car,
}
#[derive(Debug, Serialize, Deserialize)]
enum TripError {
    Step(Step, String),
    Late { done: usize },
    Other(Box<TripError>),
}
impl From<ActivityError<Refused>> for TripError {
    fn from(e: ActivityError<Refused>) -> Self {
        TripError::Other(Box::new(TripError::Step(Step::Car, e.to_string())))
    }
}
impl std::fmt::Display for TripError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Step(s, e) => write!(f, "{s:?}: {e}"),
            Self::Late { done } => write!(f, "late after {done}"),
            Self::Other(inner) => write!(f, "other {inner}"),
        }
    }
}
#[workflow]
async fn book(step: Step, tries: u32) -> Result<i64, TripError> {
    let mut last = None;
    for attempt in 0..tries {
        let outcome = match &step {
            Step::Hotel(nights) => {
                try_act(*nights + i64::from(attempt)).await.map_err(TripError::from)
            }
            Step::Flight { from, to } if from == to => return Ok(0),
            Step::Flight { from, to } => try_fetch(&format!("{from}-{to}"))
                .await
                .map(|s| s.len() as i64)
                .map_err(|e| TripError::Step(step.clone(), e.to_string())),
            Step::Car => Ok(try_find(i64::from(attempt) + 2).await?.unwrap_or_default()),
        };
        match outcome {
            Ok(v) => return Ok(v),
            Err(e) => last = Some(e),
        }
    }
    Err(last.unwrap_or(TripError::Late { done: 0 }))
}
#[workflow]
async fn program(cx: &Context, n: i64) -> Result<Vec<(Step, i64)>, String> {
    let steps = [
        Step::Hotel(n),
        Step::Flight { from: fetch("x").await, to: find(n).await.unwrap_or("Y".into()) },
        Step::Car,
    ];
    let deadline = cx.now() + minutes(5);
    let mut done: Vec<(Step, i64)> = Vec::new();
    let failed = 'trip: {
        for step in steps {
            let r = select! {
                r = book(step.clone(), 2) => r,
                _ = cx.sleep_until(deadline) => Err(TripError::Late { done: done.len() }),
            };
            match r {
                Ok(v) => done.push((step, v)),
                Err(error) => break 'trip Some((step, error)),
            }
        }
        None
    };
    let Some((step, error)) = failed else { return Ok(done) };
    let mut undone = 0;
    for (step, price) in done.drain(..).rev() {
        undone += match step {
            Step::Hotel(_) | Step::Car => act(price).await,
            Step::Flight { to, .. } => lookup(&to).await.unwrap_or(price),
        };
    }
    Err(format!("{step:?} {error} {undone} {}", done.len()))
}
