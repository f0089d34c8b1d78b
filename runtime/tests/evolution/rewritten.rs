//! Code that is written in another way: conditions, helper functions, and loops over other iterators.

use crate::rewrites;

rewrites! {
    "a loop over numbers gets its last number by `..=`"
    range_inclusive(cx, id) {
        old {
            let mut text = format!("{id}");
            for number in 0..3_u8 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            for number in 0..=3_u8 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        at "start" [] [Go(1), Go(2), Go(3), Go(4)] => Goes("7 1:0 2:1 3:2 4:3");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("7 1:0 2:1 3:2");
    }

    "a loop over numbers with `..=` gets an end that it does not reach"
    range_exclusive(cx, id) {
        old {
            let mut text = format!("{id}");
            for number in 1..=3_u8 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            for number in 1..4_u8 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("7 1:1 2:2 3:3");
    }

    "a range that a local holds gets its last number by `..=`"
    held_range_inclusive(cx, id) {
        old {
            let days = 0..id;
            let Go(go) = cx.signal::<Go>().await;
            format!("{go} {}", days.count())
        }
        new {
            let days = 0..=id;
            let Go(go) = cx.signal::<Go>().await;
            format!("{go} {}", days.count())
        }
        at "signal<Go>" [] [Go(1)] => Blocked("Unreadable", "`days`", "1 7");
    }

    "a loop over numbers becomes one from the last to the first"
    range_reversed(cx, id) {
        old {
            let mut text = format!("{id}");
            for number in 0..3_u8 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            for number in (0..3_u8).rev() {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("Unreadable", "rest of number", "7 1:0 2:1 3:2");
    }

    "a loop over numbers leaves out every other one"
    range_stepped(cx, id) {
        old {
            let mut text = format!("{id}");
            for number in 0..3_u8 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            for number in (0..6_u8).step_by(2) {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{number}");
            }
            text
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("Unreadable", "rest of number", "7 1:0 2:1 3:2");
    }

    "a list is sorted before a loop goes over it"
    sorted_first(cx, id) {
        old {
            let mut text = format!("{id}");
            let items = vec![9_u8, 8, 7];
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{item}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            let mut items = vec![9_u8, 8, 7];
            items.sort();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{item}");
            }
            text
        }
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("7 1:7 2:8 3:9");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("7 1:9 2:8 3:7");
    }

    "a list is sorted before a loop borrows its items"
    sorted_before_borrow(cx, id) {
        old {
            let mut text = format!("{id}");
            let items = vec![9_u8, 8, 7];
            for item in &items {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{item}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            let mut items = vec![9_u8, 8, 7];
            items.sort();
            for item in &items {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{item}");
            }
            text
        }
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("7 1:7 2:8 3:9");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("7 1:9 2:8 3:7");
    }

    "a loop counts its items from now on"
    items_counted(cx, id) {
        old {
            let mut text = format!("{id}");
            for item in vec![9_u8, 8, 7] {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{item}");
            }
            text
        }
        new {
            let mut text = format!("{id}");
            for (_place, item) in vec![9_u8, 8, 7].into_iter().enumerate() {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{item}");
            }
            text
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("MissingLocal", "rest of", "7 1:9 2:8 3:7");
    }

    "two awaits of one activity become a loop"
    awaits_to_loop(cx, id) {
        old {
            let mut text = charge(id).await;
            text += &charge(8).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{text} {go}")
        }
        new {
            let mut text = String::new();
            for number in [id, 8] {
                text += &charge(number).await;
            }
            let Go(go) = cx.signal::<Go>().await;
            format!("{text} {go}")
        }
        at "charge" [] [Go(1)] holding ["charge 7"] => Blocked("AmbiguousState", "`charge`", "charged 7charged 8 1");
        at "charge#2" [] [Go(1)] holding ["charge 8"] => Blocked("AmbiguousState", "`charge", "charged 7charged 8 1");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7charged 8 1");
    }

    "a loop of an activity becomes two awaits"
    loop_to_awaits(cx, id) {
        old {
            let mut text = String::new();
            for number in [id, 8] {
                text += &charge(number).await;
            }
            let Go(go) = cx.signal::<Go>().await;
            format!("{text} {go}")
        }
        new {
            let mut text = charge(id).await;
            text += &charge(8).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{text} {go}")
        }
        at "charge" [] [Go(1)] holding ["charge 7"] => Blocked("AmbiguousState", "`charge`", "charged 7charged 8 1");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7charged 8 1");
    }

    "a `?` becomes a `match`"
    question_to_match(cx, id) {
        old {
            let result: Result<String, String> = async {
                let audited = audit(id + 1).await.map_err(|_| "refused".to_owned())?;
                Ok(audited)
            }
            .await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{} {go}", result.unwrap_or_default())
        }
        new {
            let result: Result<String, String> = async {
                match audit(id + 1).await {
                    Ok(audited) => Ok(audited),
                    Err(_) => Err("refused".to_owned()),
                }
            }
            .await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{} {go}", result.unwrap_or_default())
        }
        at "signal<Go>" [] [Go(1)] => Goes("audited 8 1");
    }

    "a borrowed part of a local is cloned from now on"
    borrow_to_clone(cx, id) {
        old {
            let names = vec![format!("{id}"), "b".to_owned()];
            let first = &names[0];
            let Go(go) = cx.signal::<Go>().await;
            format!("{first} {} {go}", names.len())
        }
        new {
            let names = vec![format!("{id}"), "b".to_owned()];
            let first = names[0].clone();
            let Go(go) = cx.signal::<Go>().await;
            format!("{first} {} {go}", names.len())
        }
        at "start" [] [Go(1)] => Goes("7 2 1");
        at "signal<Go>" [] [Go(1)] => Blocked("MissingLocal", "`first`", "7 2 1");
    }

    "a clone of a part of a local is borrowed from now on"
    clone_to_borrow(cx, id) {
        old {
            let names = vec![format!("{id}"), "b".to_owned()];
            let first = names[0].clone();
            let Go(go) = cx.signal::<Go>().await;
            format!("{first} {} {go}", names.len())
        }
        new {
            let names = vec![format!("{id}"), "b".to_owned()];
            let first = &names[0];
            let Go(go) = cx.signal::<Go>().await;
            format!("{first} {} {go}", names.len())
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 2 1");
    }

    "a `while let` over a queue becomes a `loop` with a `let else`"
    while_let_to_loop(cx, id) {
        old {
            let mut queue = vec![8_u64, id];
            let mut text = String::new();
            while let Some(item) = queue.pop() {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!("{go}:{item} ");
            }
            text
        }
        new {
            let mut queue = vec![8_u64, id];
            let mut text = String::new();
            loop {
                let Some(item) = queue.pop() else { break };
                let Go(go) = cx.signal::<Go>().await;
                text += &format!("{go}:{item} ");
            }
            text
        }
        at "signal<Go>" [] [Go(1), Go(2)] => Goes("1:7 2:8 ");
        at "signal<Go>" [Go(1)] [Go(2)] => Goes("1:7 2:8 ");
    }

    "the bound of a `while` loop becomes a constant with another value"
    bound_to_constant(cx, id) {
        old {
            let mut text = format!("{id}");
            let mut round = 0_u8;
            while round < 2 {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{round}");
                round += 1;
            }
            text
        }
        new {
            const ROUNDS: u8 = 3;
            let mut text = format!("{id}");
            let mut round = 0_u8;
            while round < ROUNDS {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!(" {go}:{round}");
                round += 1;
            }
            text
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("7 1:0 2:1 3:2");
    }

    "a `select!` chooses the first of its branches that is ready from now on"
    select_biased(cx, id) {
        old {
            select! {
                Go(go) = cx.signal::<Go>() => format!("{id} go {go}"),
                Halt(halt) = cx.signal::<Halt>() => format!("{id} halt {halt}"),
            }
        }
        new {
            select! {
                biased;
                Halt(halt) = cx.signal::<Halt>() => format!("{id} stopped {halt}"),
                Go(go) = cx.signal::<Go>() => format!("{id} goes {go}"),
            }
        }
        at "start" [] [Go(1)] => Goes("7 goes 1");
        at "select" [] [Go(1)] => Goes("7 goes 1");
    }

    "a call and the wait behind it move into an `if` that holds"
    into_condition(cx, id) {
        old {
            let paid = charge(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {go}")
        }
        new {
            if id > 3 {
                let paid = charge(id).await;
                let Go(go) = cx.signal::<Go>().await;
                return format!("{paid} {go}!");
            }
            format!("{id}")
        }
        at "charge" [] [Go(1)] holding ["charge 7"] => Goes("charged 7 1!");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 1!");
    }

    "a `join!` of two calls becomes two awaits"
    join_to_awaits(cx, id) {
        old {
            let (paid, sent) = join!(charge(id), ship(id));
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {sent} {go}")
        }
        new {
            let paid = charge(id).await;
            let sent = ship(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {sent} {go}")
        }
        at "join" [] [Go(1)] holding ["ship 7"] => Blocked("MissingState", "`join`", "charged 7 shipped 7 1");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 shipped 7 1");
    }

    "two awaits become a `join!`"
    awaits_to_join(cx, id) {
        old {
            let paid = charge(id).await;
            let sent = ship(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {sent} {go}")
        }
        new {
            let (paid, sent) = join!(charge(id), ship(id));
            let Go(go) = cx.signal::<Go>().await;
            format!("{paid} {sent} {go}")
        }
        at "ship" [] [Go(1)] holding ["ship 7"] => Blocked("MissingState", "`ship`", "charged 7 shipped 7 1");
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 shipped 7 1");
    }
}
