//! Temporaries that are evaluated before a branch that may await go at the end of their statement, or
//! of the condition or `match` that they are a part of.

fn make(name: &str) -> Noisy {
    Noisy::new(name)
}

fn look(noisy: &Noisy, n: i64) -> i64 {
    note(noisy.name());
    n
}

fn eat(noisy: Noisy, n: i64) -> i64 {
    note(noisy.name());
    n
}

#[workflow]
async fn program(n: i64) -> i64 {
    look(&make("statement"), if n == 1 { act(n).await } else { n });
    note("after the statement");
    let x = look(&make("let"), if n == 1 { act(n).await } else { n });
    note("after the let");
    let y = eat(make("moved"), if n == 1 { act(n).await } else { n });
    let z = make("receiver").name().len() as i64 + if n == 2 { act(n).await } else { n };
    note("after the sum");
    if look(&make("condition"), n) == 1 {
        tick().await;
    }
    note("after the if");
    match look(&make("scrutinee"), n) {
        1 => tick().await,
        _ => {
            note("in the arm");
        }
    }
    note("after the match");
    let mut total = 0;
    total += look(&make("assignment"), if n == 5 { act(n).await } else { n });
    note("after the assignment");
    let kept = (&make("kept"), if n == 1 { act(n).await } else { n }).1;
    note("end");
    total + x + y + z + kept
}
