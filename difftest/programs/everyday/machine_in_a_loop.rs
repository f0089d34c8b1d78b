//! A little state machine whose states carry values, changed by signals, timers and answers.

#[derive(Debug, Serialize, Deserialize)]
enum Door {
    Closed { opened: u32 },
    Open { since: i64, by: Option<String> },
    Broken,
}

#[workflow]
async fn program(cx: &Context, n: i64) -> Vec<String> {
    let mut door = Door::Closed { opened: 0 };
    let mut log: Vec<String> = Vec::new();
    let mut pushes = 0_i64;
    let result = loop {
        log.push(format!("{door:?}"));
        door = match door {
            Door::Closed { opened } if opened >= 2 => break Ok(opened),
            Door::Closed { mut opened } => select! {
                Approve { by } = cx.signal::<Approve>() => {
                    opened += 1;
                    if opened == 2 { Door::Closed { opened } } else { Door::Open { since: n, by: Some(by) } }
                }
                Bump(by) = cx.signal::<Bump>(), if pushes < 50 => {
                    pushes += by;
                    if pushes > 30 { Door::Broken } else { Door::Closed { opened } }
                }
                _ = cx.sleep(hours(1)) => Door::Open { since: act(n).await, by: None },
            },
            Door::Open { since, by: Some(by) } => {
                let greeted = fetch(&by).await;
                log.extend([greeted, since.to_string()]);
                Door::Open { since: since + 1, by: None }
            }
            Door::Open { since, by: None } => {
                if since > 100 {
                    break Err(since);
                }
                Door::Closed { opened: u32::from(flag(since).await) + 1 }
            }
            Door::Broken => {
                let repaired = lookup("repair").await.is_some();
                if !repaired && n % 2 == 0 {
                    break Err(-1);
                }
                Door::Closed { opened: 1 + repaired as u32 }
            }
        };
    };
    log.push(match result {
        Ok(opened) => format!("opened {opened}"),
        Err(code @ ..0) => format!("broken {code}"),
        Err(code) => format!("late {code}"),
    });
    log
}
