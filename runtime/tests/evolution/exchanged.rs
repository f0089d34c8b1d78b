//! Locals that exchange their names, and several of one name of which some change.

use crate::rewrites;

rewrites! {
    "two locals exchange their names"
    names_exchanged_in_lets(cx, id) {
        old {
            let from = payer(id).await;
            let to = payee(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let to = payer(id).await;
            let from = payee(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} to {from} {go}")
        }
        at "start" [] [Go(1)] => Goes("from payer 7 to payee 7 1");
        at "payee" [] [Go(1)] holding ["payee 7"] => Blocked("MissingLocal", "`to`", "from payer 7 to payee 7 1");
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "as `from` was", "from payer 7 to payee 7 1");
    }

    "two locals that a tuple binds exchange their names"
    names_exchanged_in_tuple(cx, id) {
        old {
            let (debit, credit) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let (credit, debit) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            format!("{credit} {debit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "which of the two saved values", "7 8 1");
    }

    "the elements of a tuple that two locals bind change places"
    elements_exchanged(cx, id) {
        old {
            let (debit, credit) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let (debit, credit) = (id + 1, id);
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "which of the two saved values", "7 8 1");
    }

    "the operations of a `join!` whose outcomes two locals bind change places"
    operations_exchanged(cx, id) {
        old {
            let (from, to) = join!(payer(id), payee(id));
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let (from, to) = join!(payee(id), payer(id));
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "which of the two saved values", "from payer 7 to payee 7 1");
    }

    "one element of a tuple that two locals bind is another one"
    element_changed(cx, id) {
        old {
            let (debit, credit) = (id, id + 1);
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let (debit, credit) = (id, id + 2);
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}!")
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 8 1!");
    }

    "two signals of one type are bound to each other's names"
    signals_exchanged(cx, id) {
        old {
            let Halt(first) = cx.signal::<Halt>().await;
            let Halt(second) = cx.signal::<Halt>().await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{id} {first} {second} {go}")
        }
        new {
            let Halt(second) = cx.signal::<Halt>().await;
            let Halt(first) = cx.signal::<Halt>().await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{id} {second} {first} {go}")
        }
        at "signal<Halt>" [] [Halt(1), Halt(2), Go(3)] => Blocked("AmbiguousState", "`signal<Halt>`", "7 1 2 3");
        at "signal<Halt>#2" [Halt(1)] [Halt(2), Go(3)] => Blocked("AmbiguousState", "`signal<Halt>`", "7 1 2 3");
        at "signal<Go>" [Halt(1), Halt(2)] [Go(3)] => Blocked("ExchangedLocal", "`second`", "7 1 2 3");
    }

    "three locals pass their names on"
    names_passed_on(cx, id) {
        old {
            let one = id;
            let two = id + 1;
            let three = id + 2;
            let Go(go) = cx.signal::<Go>().await;
            format!("{one} {two} {three} {go}")
        }
        new {
            let two = id;
            let three = id + 1;
            let one = id + 2;
            let Go(go) = cx.signal::<Go>().await;
            format!("{two} {three} {one} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "is bound now as", "7 8 9 1");
    }

    "a local takes the name of another one, which is gone"
    name_taken_over(cx, id) {
        old {
            let gross = id * 100;
            let net = gross - 20;
            let Go(go) = cx.signal::<Go>().await;
            format!("{gross} {net} {go}")
        }
        new {
            let net = id * 100;
            let Go(go) = cx.signal::<Go>().await;
            format!("{net} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "`net` is bound now as `gross` was", "700 680 1");
    }

    "the variables of a loop over pairs exchange their names"
    loop_variables_exchanged(cx, id) {
        old {
            let mut text = String::new();
            for (sku, count) in vec![(id, 1_u64), (8, 2)] {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!("{sku}x{count} {go};");
            }
            text
        }
        new {
            let mut text = String::new();
            for (count, sku) in vec![(id, 1_u64), (8, 2)] {
                let Go(go) = cx.signal::<Go>().await;
                text += &format!("{count}x{sku} {go};");
            }
            text
        }
        at "signal<Go>" [] [Go(1), Go(2)] => Blocked("MissingLocal", "`rest of count`", "7x1 1;8x2 2;");
    }

    "a local that begins as another one does is added before it"
    counter_added(cx, id) {
        old {
            let mut sum = 0;
            let mut count = 0;
            sum += id;
            count += 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{sum} {count} {go}")
        }
        new {
            let mut largest = 0;
            let mut sum = 0;
            let mut count = 0;
            largest += id;
            sum += largest;
            count += 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{sum} {count} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("7 1 1");
    }

    "a local is made as another one that stays"
    made_as_another(cx, id) {
        old {
            let first = charge(id).await;
            let second = charge(8).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{first} {second} {go}")
        }
        new {
            let first = charge(id).await;
            let second = charge(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("{first} {second} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("charged 7 charged 8 1");
    }

    "one of two locals of a name is made in another way"
    one_of_two_made_otherwise(cx, id) {
        old {
            let total = id * 2;
            let outer = {
                let total = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            format!("{outer} {total}")
        }
        new {
            let total = id * 2;
            let outer = {
                let total = id * 4;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            format!("{outer} {total}")
        }
        at "start" [] [Go(1)] => Goes("28 1 14");
        at "signal<Go>" [] [Go(1)] => Goes("21 1 14");
    }

    "a local that hides another one is made in another way"
    shadow_made_otherwise(cx, id) {
        old {
            let total = id * 2;
            let total = total + 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{total} {go}")
        }
        new {
            let total = id * 2;
            let total = total + 5;
            let Go(go) = cx.signal::<Go>().await;
            format!("{total} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("15 1");
    }

    "both of two locals of a name are made in another way"
    both_made_otherwise(cx, id) {
        old {
            let total = id * 2;
            let outer = {
                let total = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            format!("{outer} {total}")
        }
        new {
            let total = id * 4;
            let outer = {
                let total = id * 5;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            format!("{outer} {total}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousLocal", "`total`", "21 1 14");
    }

    "one of two locals of a name is removed, and another one is added behind the rest"
    one_of_two_moves(cx, id) {
        old {
            let inner = {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            let total = id * 3;
            let Halt(halt) = cx.signal::<Halt>().await;
            format!("{inner} {total} {halt}")
        }
        new {
            let total = id * 3;
            let Go(go) = cx.signal::<Go>().await;
            let inner = format!("{total} {go}");
            let total = id * 4;
            let Halt(halt) = cx.signal::<Halt>().await;
            format!("{inner} {total} {halt}")
        }
        at "signal<Go>" [] [Go(1), Halt(2)] => Blocked("AmbiguousLocal", "`total`", "14 1 21 2");
    }

    "two pairs of locals of one name exchange what makes them"
    pairs_exchanged(cx, id) {
        old {
            let total = id * 2;
            let first = {
                let total = id * 2;
                let second = {
                    let total = id * 3;
                    let third = {
                        let total = id * 3;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("{total} {go}")
                    };
                    format!("{third} {total}")
                };
                format!("{second} {total}")
            };
            format!("{first} {total}")
        }
        new {
            let total = id * 3;
            let first = {
                let total = id * 3;
                let second = {
                    let total = id * 2;
                    let third = {
                        let total = id * 2;
                        let Go(go) = cx.signal::<Go>().await;
                        format!("{total} {go}")
                    };
                    format!("{third} {total}")
                };
                format!("{second} {total}")
            };
            format!("{first} {total}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("AmbiguousLocal", "`total`", "21 1 21 14 14");
    }

    "two locals of one name that are made alike are both made in another way"
    pair_made_otherwise(cx, id) {
        old {
            let total = id * 2;
            let outer = {
                let total = id * 2;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            format!("{outer} {total}")
        }
        new {
            let total = id * 3;
            let outer = {
                let total = id * 3;
                let Go(go) = cx.signal::<Go>().await;
                format!("{total} {go}")
            };
            format!("{outer} {total}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("14 1 14");
    }

    "the variables of nested loops over one list exchange their names"
    nested_lists_exchanged(cx, id) {
        old {
            let list = vec![id, id + 1];
            let mut text = String::new();
            for from in &list {
                for to in &list {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!(" {from}{to}{go}");
                }
            }
            text
        }
        new {
            let list = vec![id, id + 1];
            let mut text = String::new();
            for to in &list {
                for from in &list {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!(" {from}{to}{go}");
                }
            }
            text
        }
        at "signal<Go>" [Go(0)] [Go(1), Go(2), Go(3)] => Blocked("OtherNesting", "the loop over `to` was inside", " 770 781 872 883");
    }

    "two pairs of locals that hide each other exchange their names"
    hidden_pairs_exchanged(cx, id) {
        old {
            let from = payer(id).await;
            let from = from.trim().to_owned();
            let to = payee(id).await;
            let to = to.trim().to_owned();
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let to = payer(id).await;
            let to = to.trim().to_owned();
            let from = payee(id).await;
            let from = from.trim().to_owned();
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} to {from} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "as `from` was", "from payer 7 to payee 7 1");
    }

    "two pairs of locals that hide each other change places, and keep their names"
    hidden_pairs_moved(cx, id) {
        old {
            let from = format!("{id} ");
            let from = from.trim().to_owned();
            let to = format!("{} ", id + 1);
            let to = to.trim().to_owned();
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let to = format!("{} ", id + 1);
            let to = to.trim().to_owned();
            let from = format!("{id} ");
            let from = from.trim().to_owned();
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Goes("from 7 to 8 1");
    }

    "`#[formerly]` gives each of two locals the name of the other"
    formerly_exchanged(cx, id) {
        old {
            let from = payer(id).await;
            let to = payee(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            #[formerly("to")]
            let from = payee(id).await;
            #[formerly("from")]
            let to = payer(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} to {from} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "as `to` was", "from payer 7 to payee 7 1");
    }

    "`#[formerly]` gives a local the name of another one, which is gone, and it has the name of a third one"
    formerly_onto_another(cx, id) {
        old {
            let from = payer(id).await;
            let to = payee(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            #[formerly("from")]
            let to = payer(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "`to` is bound now as `from` was", "from payer 7 to payee 7 1");
    }

    "two variables that are declared without a value exchange their names"
    declared_exchanged(cx, id) {
        old {
            let from;
            let to;
            from = payer(id).await;
            to = payee(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let from;
            let to;
            to = payer(id).await;
            from = payee(id).await;
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} to {from} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "as `to` was", "from payer 7 to payee 7 1");
    }

    "two variables that are assigned in the branches of an `if` exchange their names"
    assigned_exchanged(cx, id) {
        old {
            let (from, to);
            if id > 3 {
                (from, to) = (id, id + 1);
            } else {
                (from, to) = (0, 0);
            }
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let (from, to);
            if id > 3 {
                (to, from) = (id, id + 1);
            } else {
                (to, from) = (0, 0);
            }
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} to {from} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "", "from 7 to 8 1");
    }

    "the elements of a tuple in an `if` that a pattern takes apart change places"
    elements_in_if_exchanged(cx, id) {
        old {
            let (debit, credit) = if id > 3 { (id, id * 2) } else { (0, 0) };
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let (debit, credit) = if id > 3 { (id * 2, id) } else { (0, 0) };
            let Go(go) = cx.signal::<Go>().await;
            format!("{credit} {debit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ReorderedValue", "`debit`", "7 14 1");
    }

    "the operations of a `try_join!` behind which a method is called change places"
    unwrapped_operations_exchanged(cx, id) {
        old {
            let (from, to) = try_join!(audit(id + 1), audit(id + 3)).unwrap();
            let Go(go) = cx.signal::<Go>().await;
            format!("from {from} to {to} {go}")
        }
        new {
            let (from, to) = try_join!(audit(id + 3), audit(id + 1)).unwrap();
            let Go(go) = cx.signal::<Go>().await;
            format!("from {to} to {from} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ReorderedValue", "`from`", "from audited 8 to audited 10 1");
    }

    "the items of an array that a pattern takes apart change places"
    items_exchanged(cx, id) {
        old {
            let [debit, credit] = [id, id * 2];
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let [debit, credit] = [id * 2, id];
            let Go(go) = cx.signal::<Go>().await;
            format!("{credit} {debit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ReorderedValue", "`debit`", "7 14 1");
    }

    "locals that hide others exchange their names, and so do the hidden ones in a tuple"
    derived_exchanged(cx, id) {
        old {
            let (debit, credit) = (id, id * 2);
            let debit = debit + 1;
            let credit = credit + 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let (credit, debit) = (id, id * 2);
            let credit = credit + 1;
            let debit = debit + 1;
            let Go(go) = cx.signal::<Go>().await;
            format!("{credit} {debit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "", "8 15 1");
    }

    "two locals that calls of one method bind exchange their names"
    parts_exchanged(cx, id) {
        old {
            let mut parts = vec![id, id + 1].into_iter();
            let debit = parts.next().unwrap_or_default();
            let credit = parts.next().unwrap_or_default();
            let Go(go) = cx.signal::<Go>().await;
            format!("{debit} {credit} {go}")
        }
        new {
            let mut parts = vec![id, id + 1].into_iter();
            let credit = parts.next().unwrap_or_default();
            let debit = parts.next().unwrap_or_default();
            let Go(go) = cx.signal::<Go>().await;
            format!("{credit} {debit} {go}")
        }
        at "signal<Go>" [] [Go(1)] => Blocked("ExchangedLocal", "`credit`", "7 8 1");
    }
}
