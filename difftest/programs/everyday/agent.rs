//! An agent that calls tools until it has an answer, several at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Tool {
    Search { query: String, limit: usize },
    Calc(i64, Op2, i64),
    Finish(String),
}
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Op2 {
    Add,
    Mul,
}
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Message {
    User(String),
    Assistant { calls: Vec<Tool> },
    Result { of: usize, text: Option<String> },
}

fn plan(n: i64, round: usize) -> Vec<Tool> {
    match (n as usize + round) % 4 {
        0 => {
            vec![Tool::Search { query: format!("q{round}"), limit: 2 }, Tool::Calc(n, Op2::Mul, 3)]
        }
        1 => vec![Tool::Calc(n, Op2::Add, round as i64)],
        2 => vec![],
        _ => vec![Tool::Finish(format!("done {round}"))],
    }
}

#[workflow]
async fn run_tool(tool: Tool) -> Option<String> {
    Some(match tool {
        Tool::Search { query, limit } => {
            words(&query).await.into_iter().take(limit).collect::<Vec<_>>().join("|")
        }
        Tool::Calc(a, Op2::Add, b) => add(a, b).await.to_string(),
        Tool::Calc(a, Op2::Mul, b) => (a * b).to_string(),
        Tool::Finish(_) => return None,
    })
}

#[workflow]
async fn program(n: i64) -> Result<(String, usize), Vec<Message>> {
    let mut history = vec![Message::User(fetch("hello").await)];
    let mut round = 0;
    let answer = 'agent: loop {
        round += 1;
        let calls = plan(act(n).await % 10, round);
        let [first, rest @ ..] = &calls[..] else {
            if round > 5 {
                break 'agent None;
            }
            tick().await;
            continue;
        };
        if let Tool::Finish(text) = first
            && rest.is_empty()
        {
            break Some(text.clone());
        }
        history.push(Message::Assistant { calls: calls.clone() });
        let results = join_all(calls.iter().cloned().map(run_tool)).await;
        for (of, (text, call)) in results.into_iter().zip(calls).enumerate() {
            let text = match (&call, text) {
                (Tool::Calc(..), Some(t)) => Some(concat(&t, "=").await),
                (Tool::Search { query, .. }, None) => lookup(query).await.map(|n| n.to_string()),
                (_, other) => other,
            };
            history.push(Message::Result { of, text });
        }
        if round >= 4 {
            break None;
        }
    };
    answer.map(|a| (a, history.len())).ok_or(history)
}
