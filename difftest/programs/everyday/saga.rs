//! A booking that is undone step by step if one fails, with the steps taken in a list.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Done {
    Flight(i64),
    Hotel { name: String, nights: i64 },
    Car(Option<String>),
}

#[derive(Debug, Serialize, Deserialize)]
enum BookingError {
    Declined(Refused),
    Unclear(String),
}

impl From<ActivityError<Refused>> for BookingError {
    fn from(error: ActivityError<Refused>) -> Self {
        match error {
            ActivityError::Failed(refused) => Self::Declined(refused),
            other => Self::Unclear(other.to_string()),
        }
    }
}

impl From<ActivityError<ParseFailed>> for BookingError {
    fn from(error: ActivityError<ParseFailed>) -> Self {
        Self::Unclear(error.to_string())
    }
}

#[workflow]
async fn book(n: i64, done: Vec<Done>) -> (Vec<Done>, Result<i64, BookingError>) {
    let mut done = done;
    let outcome = match try_act(n).await {
        Ok(flight) => {
            done.push(Done::Flight(flight));
            match try_fetch(&format!("hotel {n}")).await {
                Ok(name) => {
                    done.push(Done::Hotel { name, nights: n % 7 });
                    let car = find(n).await;
                    done.push(Done::Car(car.clone()));
                    match car {
                        Some(car) => parse(&car).await.map_err(BookingError::from),
                        None => try_find(n).await.map(|found| found.unwrap_or(-1)).map_err(Into::into),
                    }
                }
                Err(error) => Err(error.into()),
            }
        }
        Err(error) => Err(BookingError::from(error)),
    };
    (done, outcome)
}

#[workflow]
async fn program(n: i64) -> Result<i64, BookingError> {
    let (mut done, outcome) = book(n, Vec::with_capacity(3)).await;
    let error = match outcome {
        Ok(value) if !done.is_empty() => return Ok(value),
        Ok(_) => unreachable!(),
        Err(error) => error,
    };
    while let Some(step) = done.pop() {
        match step {
            Done::Flight(id) if id < 0 => continue,
            Done::Flight(id) => {
                note(act(-id).await == 0);
            }
            Done::Hotel { ref name, nights } => {
                note((name, nights));
                for night in 0..nights {
                    if flag(night).await {
                        break;
                    }
                }
            }
            Done::Car(Some(plate)) => {
                let _ = concat("return ", &plate).await;
            }
            Done::Car(None) => {}
        }
    }
    Err(match (error, n) {
        (BookingError::Declined(refused), 0..=3) => BookingError::Unclear(format!("{refused:?}")),
        (error @ BookingError::Unclear(_), _) | (error, _) => error,
    })
}
