//! What the pattern of a `match` leaves of the value of a block is dropped with the `match`.

#[allow(irrefutable_let_patterns)]
#[workflow]
async fn program(n: i64) -> i64 {
    match {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        (a, _) if a.name().len() > 90 => (),
        (.., b) => (),
    }
    note("after a statement");
    match {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        (a, _) if a.name().len() > 90 => drop(a),
        (a, _) => drop(note(a.name().len())),
    }
    note("after its value");
    let length = match {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        (a, _) if a.name().len() > 90 => 1,
        (.., b) => b.name().len(),
    };
    note("after a local");
    if let (.., b) = {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        note(b.name().len());
    }
    note("after a condition");
    match {
        let text = fetch("only").await;
        Some(Noisy::new(text))
    } {
        Some(a) if a.name().len() > 90 => drop(a),
        _ => (),
    }
    note("after a whole value");
    match {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        (a, _) if a.name().len() > 90 => drop(a),
        (a, _) => {
            if n > 1 {
                tick().await;
            }
            drop(a);
            note("in an arm");
        }
    }
    note("after an arm that awaits");
    while let (a, _) = {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        note(a.name().len());
        if n > 2 {
            tick().await;
        }
        break;
    }
    note("after a loop");
    if n > 90
        || match {
            let first = Noisy::new(fetch("first").await);
            (Noisy::new("second"), first)
        } {
            (a, _) if a.name().len() > 90 => false,
            (.., b) => b.name().len() > 3,
        }
    {
        note("in a branch");
    }
    note("after an operand");
    let Some((kept, _)) = ({
        let first = Noisy::new(fetch("first").await);
        Some((Noisy::new("second"), first))
    }) else {
        return 0;
    };
    note("after an else");
    match {
        let first = Noisy::new(fetch("first").await);
        (Noisy::new("second"), first)
    } {
        (a, _) if a.name().len() > 90 => 1,
        (.., b) => (b.name().len() + length) as i64,
    }
}
