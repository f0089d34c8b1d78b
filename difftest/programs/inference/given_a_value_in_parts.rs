//! Locals that begin empty and are given a value elsewhere, before anybody has read them: what they begin
//! with has its type from there.

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Outcome {
    Done(i64),
    Failed(Refused),
}

#[workflow]
async fn attempts(n: i64) -> (i64, Option<Outcome>) {
    let mut last = None;
    let mut tries = 0;
    while tries < 3 {
        tries += 1;
        last = match try_act(n + tries).await {
            Ok(value) => Some(Outcome::Done(value)),
            Err(ActivityError::Failed(refused)) => Some(Outcome::Failed(refused)),
            Err(_) => None,
        };
        if let Some(Outcome::Done(value)) = &last {
            note(add(*value, tries).await);
            break;
        }
    }
    (tries, last)
}

#[workflow]
async fn batches(n: i64) -> Vec<String> {
    let mut batch = Vec::new();
    let mut names = vec![];
    for index in 0..n % 4 {
        batch = list(n + index).await;
        names.push(concat("batch", &batch.len().to_string()).await);
    }
    note(batch);
    names
}

#[workflow]
async fn never_read(n: i64) -> i64 {
    #[allow(unused_variables, unused_assignments)]
    let (mut found, mut late) = (None, Default::default());
    #[allow(unused_assignments)]
    for index in 0..n % 5 {
        if flag(act(index).await).await {
            found = Some(index);
        }
    }
    #[allow(unused_assignments)]
    if n > 3 {
        late = fetch("late").await;
        tick().await;
        found = None;
    }
    n
}

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let mut label = None;
    if flag(n).await {
        label = Some(fetch("even").await);
        let shown = label.clone().unwrap_or_default();
        note(concat(&shown, "!").await);
        label = None;
    } else if n > 5 {
        let text = fetch("odd").await;
        label = text.strip_prefix('<').map(str::to_owned);
        tick().await;
    }
    let (tries, last) = attempts(n).await;
    let names = batches(n).await;
    never_read(n).await;
    (tries, format!("{label:?} {last:?} {names:?}"))
}
