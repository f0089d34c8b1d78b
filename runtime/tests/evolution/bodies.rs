//! Rewritten code around an await.

use crate::rewrites;

rewrites! {
    "a `for` loop over a list becomes a `while let` over a queue"
    for_to_while(cx, id) {
        old {
            let mut all = String::new();
            for item in vec![id, 8] {
                let Go(go) = cx.signal::<Go>().await;
                all.push_str(&format!("{item}:{go} "));
            }
            all
        }
        new {
            let mut all = String::new();
            let mut items = std::collections::VecDeque::from([id, 8]);
            while let Some(item) = items.pop_front() {
                let Go(go) = cx.signal::<Go>().await;
                all.push_str(&format!("{item}:{go} "));
            }
            all
        }
        at "start" [] [Go(1), Go(2)] => Goes("7:1 8:2 ");
        at "signal<Go>" [] [Go(1), Go(2)] => Blocked("MissingLocal", "items", "7:1 8:2 ");
    }

    "a loop over numbers becomes a `while` loop with a counter of the same name"
    range_to_counter(cx, id) {
        old {
            let mut all = String::new();
            for n in 0..2 {
                let Go(go) = cx.signal::<Go>().await;
                all.push_str(&format!("{id} {n}:{go} "));
            }
            all
        }
        new {
            let mut all = String::new();
            let mut n = 0;
            while n < 2 {
                let Go(go) = cx.signal::<Go>().await;
                all.push_str(&format!("{id} {n}:{go} "));
                n += 1;
            }
            all
        }
        at "signal<Go>" [Go(1)] [Go(2)] => Goes("7 0:1 7 1:2 ");
    }

    "the wait moves out of a loop"
    unlooped(cx, id) {
        old {
            let mut sum = id;
            for _ in 0..1 {
                let Go(go) = cx.signal::<Go>().await;
                sum += u64::from(go);
            }
            sum.to_string()
        }
        new {
            let sum = id;
            let Go(go) = cx.signal::<Go>().await;
            (sum + u64::from(go)).to_string()
        }
        at "signal<Go>" [] [Go(1)] => Goes("8");
    }

    "an early return is added before the wait and behind it"
    early_returns(cx, id) {
        old {
            let Go(go) = cx.signal::<Go>().await;
            format!("{id} {go}")
        }
        new {
            if id > 100 {
                return "too large".to_owned();
            }
            let Go(go) = cx.signal::<Go>().await;
            if go == 0 {
                return "stopped".to_owned();
            }
            format!("{id} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 1");
        at "signal<Go>" [] [Go(0)] => Goes("stopped");
    }

    "an `if let` around the wait becomes a `match`"
    if_let_to_match(cx, id) {
        old {
            let wanted = Some(id);
            if let Some(found) = wanted {
                let Go(go) = cx.signal::<Go>().await;
                format!("{found} {go}")
            } else {
                String::new()
            }
        }
        new {
            let wanted = Some(id);
            match wanted {
                None => String::new(),
                Some(found) if found > 100 => "too large".to_owned(),
                Some(found) => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("{found} {go}")
                }
            }
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 1");
    }

    "a `let else` takes the place of an `if let`"
    if_let_to_let_else(cx, id) {
        old {
            if let Some(found) = Some(id) {
                let Go(go) = cx.signal::<Go>().await;
                return format!("{found} {go}");
            }
            String::new()
        }
        new {
            let Some(found) = Some(id) else { return String::new() };
            let Go(go) = cx.signal::<Go>().await;
            format!("{found} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 1");
    }

    "an arm that waits for the same signal is added to a `match`"
    arm_that_waits(cx, id) {
        old {
            match id {
                7 => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("seven {go}")
                }
                _ => String::new(),
            }
        }
        new {
            match id {
                5 => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("five {go}")
                }
                7 => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("seven {go}")
                }
                _ => String::new(),
            }
        }
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousState", "signal<Go>", "seven 1");
    }

    "a closure that is called behind the wait captures one more local that is saved"
    closure_captures(cx, id) {
        old {
            let (one, other) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            let sum = |n: u64| n + one;
            format!("{} {other} {go}", sum(1))
        }
        new {
            let (one, other) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            let sum = move |n: u64| n + one + other + u64::from(go);
            format!("{}", sum(1))
        }
        at "signal<Go>" [] [Go(1)] => Goes("17");
    }

    "the wait moves from an `async` block that is awaited into the body"
    block_inlined(cx, id) {
        old {
            let (said, _) = join!(
                async {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("{id} {go}")
                },
                note("beside".into()),
            );
            said
        }
        new {
            let Go(go) = cx.signal::<Go>().await;
            let said = format!("{id} {go}");
            let _ = note("beside".into()).await;
            said
        }
        at "join" [] [Go(1)] => Blocked("MissingState", "join", "7 1");
    }

    "the wait gets a time limit, by a `select!` with a timer"
    select_around(cx, id) {
        old {
            let Go(go) = cx.signal::<Go>().await;
            format!("{id} {go}")
        }
        new {
            select! {
                Go(go) = cx.signal::<Go>() => format!("{id} {go}"),
                () = cx.sleep(hours(1)) => "late".to_owned(),
            }
        }
        at "signal<Go>" [] [Go(1)] => Blocked("MissingState", "signal<Go>", "7 1");
    }

    "an argument that a call of an activity is given moves into a local"
    argument_extracted(cx, id) {
        old {
            let Go(_) = cx.signal::<Go>().await;
            let paid = charge(id * 2).await;
            let again = charge(id).await;
            format!("{paid} {again}")
        }
        new {
            let Go(_) = cx.signal::<Go>().await;
            let twice = id * 2;
            let paid = charge(twice).await;
            let again = charge(id).await;
            format!("{paid} {again}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("charged 14 charged 7");
        at "charge" [Go(1)] [] holding ["charge 14"] => Goes("charged 14 charged 7");
        at "charge#2" [Go(1)] [] holding ["charge 7"] => Goes("charged 14 charged 7");
    }

    "a call of an activity gets options"
    options_added(cx, id) {
        old {
            let Go(_) = cx.signal::<Go>().await;
            charge(id).await
        }
        new {
            let Go(_) = cx.signal::<Go>().await;
            charge(id).start_to_close(hours(1)).await
        }
        at "charge" [Go(1)] [] holding ["charge 7"] => Goes("charged 7");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7");
    }

    "a call of an activity moves to a queue"
    queue_added(cx, id) {
        old { charge(id).await }
        new { charge(id).queue("cards").await }
        at "charge" [] [] holding ["charge 7"] => Goes("charged 7");
    }

    "`cx.map` gets a limit, and the function becomes a closure"
    map_limited(cx, id) {
        old { cx.map(vec![id, 8], payer).await.join(" ") }
        new { cx.map(vec![id, 8], |id| payer(id)).concurrency(1).await.join(" ") }
        at "map" [] [] holding ["payer 8"] => Goes("payer 7 payer 8");
    }

    "a `join_all` becomes a `cx.map`"
    join_all_to_map(cx, id) {
        old { join_all([payer(id), payer(8)]).await.join(" ") }
        new { cx.map(vec![id, 8], payer).await.join(" ") }
        at "join_all" [] [] holding ["payer 8"] => Blocked("MissingState", "join_all", "payer 7 payer 8");
    }

    "the type of a saved promise is written at its `let`"
    promise_typed(cx, id) {
        old {
            let approval = cx.promise("approval");
            let Go(go) = cx.signal::<Go>().await;
            cx.complete_promise::<u64, piton::machine::Never>(&approval.token(), Ok(id));
            let said: Result<u64, piton::machine::PromiseError<piton::machine::Never>> = approval.await;
            format!("{go} {:?}", said.ok())
        }
        new {
            let approval: Promise<u64> = cx.promise("approval");
            let Go(go) = cx.signal::<Go>().await;
            cx.complete_promise::<u64, piton::machine::Never>(&approval.token(), Ok(id));
            let said = approval.await;
            format!("{go} {:?}", said.ok())
        }
        at "signal<Go>" [] [Go(1)] => Goes("1 Some(7)");
    }

    "the type is written at the `let` of one of two locals of a name"
    shadow_typed(cx, id) {
        old {
            let total = id * 2;
            let total = total + 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{total} {go}")
        }
        new {
            let total: u64 = id * 2;
            let total: u64 = total + 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{total} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("15 1");
    }

    "one of two locals of a name becomes `mut`"
    shadow_mutable(cx, id) {
        old {
            let total = id * 2;
            let total = total + 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{total} {go}")
        }
        new {
            let total = id * 2;
            let mut total = total + 1;
            let Go(go) = cx.signal::<Go>().await;
            total += u64::from(go);
            format!("{total} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("16 1");
    }

    "a tuple of locals is made in two statements"
    tuple_split(cx, id) {
        old {
            let (one, other) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            format!("{one} {other} {go}")
        }
        new {
            let other = id + 100;
            let one = id;
            let Go(go) = cx.signal::<Go>().await;
            format!("{one} {other} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 8 1");
    }

    "two locals exchange their names and their values"
    names_exchanged(cx, id) {
        old {
            let (debit, credit) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            format!("debit {debit} credit {credit} {go}")
        }
        new {
            let (credit, debit) = (id + 1, id);
            let Go(go) = cx.signal::<Go>().await;
            format!("debit {debit} credit {credit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("debit 7 credit 8 1");
    }

    "the wait is shielded"
    wait_shielded(cx, id) {
        old {
            let paid = charge(id).await;
            format!("{paid}")
        }
        new {
            let paid = cx.shield(charge(id)).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {go}")
        }
        at "charge" [] [Go(1)] holding ["charge 7"] => Goes("charged 7 1");
    }

    "the arms of a `match`, each with its wait, change places"
    arms_swapped(cx, id) {
        old {
            match id {
                7 => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("seven {go}")
                }
                _ => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("other {go}")
                }
            }
        }
        new {
            match id {
                other if other != 7 => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("other {go}")
                }
                _ => {
                    let Go(go) = cx.signal::<Go>().await;
                    format!("seven {go}")
                }
            }
        }
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousState", "signal<Go>", "seven 1");
    }

    "a condition is turned around, and its branches, each with its wait, change places"
    condition_turned(cx, id) {
        old {
            if id == 7 {
                let Go(go) = cx.signal::<Go>().await;
                format!("seven {go}")
            } else {
                let Go(go) = cx.signal::<Go>().await;
                format!("other {go}")
            }
        }
        new {
            if id != 7 {
                let Go(go) = cx.signal::<Go>().await;
                format!("other {go}")
            } else {
                let Go(go) = cx.signal::<Go>().await;
                format!("seven {go}")
            }
        }
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousState", "signal<Go>", "seven 1");
    }

    "a condition is changed whose branches wait for the same activity with other arguments"
    condition_changed(cx, id) {
        old {
            let paid = if id > 5 { charge(id).await } else { charge(0).await };
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {go}")
        }
        new {
            let paid = if id > 6 { charge(id).await } else { charge(0).await };
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {go}")
        }
        at "charge" [] [Go(1)] holding ["charge 7"] => Goes("charged 7 1");
    }

    "two statements that wait for the same signal, and do something else with it, change places"
    waits_swapped(cx, id) {
        old {
            let Go(first) = cx.signal::<Go>().await;
            let Go(second) = cx.signal::<Go>().await;
            format!("{id} first {first} second {second}")
        }
        new {
            let Go(second) = cx.signal::<Go>().await;
            let Go(first) = cx.signal::<Go>().await;
            format!("{id} first {first} second {second}")
        }
        at "signal<Go>" [] [Go(1), Go(2)] => Blocked("AmbiguousState", "signal<Go>", "7 first 1 second 2");
        at "signal<Go>#2" [Go(1)] [Go(2)] => Blocked("AmbiguousState", "signal<Go>", "7 first 1 second 2");
    }
}
