//! A struct that gets its other fields from a value moves those, and leaves the rest of the value.

#[derive(Debug, Clone, Serialize, Deserialize)]
struct State {
    name: String,
    log: Vec<String>,
    n: i64,
    last: Option<Box<State>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Pair {
    a: Noisy,
    b: Noisy,
    n: i64,
}

#[workflow]
async fn of_texts(n: i64) -> State {
    let mut state = State { name: "s".into(), log: vec![], n, last: None };
    for round in 0..3 {
        state = State { n: act(state.n).await, ..state };
        let name = fetch(&state.name).await;
        let mut log = state.log;
        log.push(format!("{round}"));
        state = State { name, log, ..state };
        if state.n > 20 {
            state = State { last: Some(Box::new(state.clone())), n: 1, ..state };
            tick().await;
        }
        state = if flag(round).await {
            State { log: vec![state.name.clone()], ..state }
        } else {
            state
        };
    }
    let named = State { name: fetch("x").await, n: 3, ..state };
    tick().await;
    note(&state.name);
    State { n: act(state.n).await, last: None, ..named }
}

#[workflow]
async fn program(n: i64) -> (State, i64) {
    let base = Pair { a: Noisy::new("a"), b: Noisy::new("b"), n };
    let mut next = Pair { a: Noisy::new(fetch("c").await), ..base };
    tick().await;
    note(base.a.name());
    for round in 0..2 {
        let b = Noisy::new(format!("b{round}"));
        next = Pair { b, n: act(next.n).await, ..next };
        note(next.a.name());
    }
    let last = if n > 1 {
        Pair { n: 1, ..next }
    } else {
        Pair { n: base.n, a: Noisy::new("z"), ..next }
    };
    tick().await;
    note(last.b.name());
    (of_texts(n).await, last.n)
}
