//! Loops over iterators that change while a run is in the middle of them.

use crate::rewrites;

rewrites! {
    "a loop over owned items goes over them from the end"
    owned_reversed(cx, _id) {
        old {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items.into_iter().rev() {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:2 3:3 ");
    }

    "a loop over owned items skips the first one"
    owned_skips(cx, _id) {
        old {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items.into_iter().skip(1) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:2 3:3 ");
    }

    "a loop over owned items takes two of them"
    owned_takes(cx, _id) {
        old {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items.into_iter().take(2) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:2 3:3 ");
    }

    "a loop over owned items leaves some out"
    owned_filtered(cx, _id) {
        old {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items.into_iter().filter(|item| *item != 2) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:2 3:3 ");
    }

    "a loop over owned items doubles them"
    owned_mapped(cx, _id) {
        old {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items.into_iter().map(|item| item * 2) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:2 3:3 ");
    }

    "a loop over numbers from the end goes forward"
    numbers_turned(cx, _id) {
        old {
            let _ = cx.run_id();
            let mut seen = String::new();
            for item in (1..4_u8).rev() {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let _ = cx.run_id();
            let mut seen = String::new();
            for item in 1..4_u8 {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("Unreadable", "", "1:3 2:2 3:1 ");
    }

    "a loop over numbers with steps gets another one"
    other_stride(cx, _id) {
        old {
            let _ = cx.run_id();
            let mut seen = String::new();
            for item in (1..7_u8).step_by(2) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let _ = cx.run_id();
            let mut seen = String::new();
            for item in (1..7_u8).step_by(3) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:3 3:5 ");
    }

    "a loop over the letters of a text goes from the end"
    letters_from_the_end(cx, _id) {
        old {
            let text = "abc".to_owned();
            let mut seen = String::new();
            for item in text.chars() {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let text = "abc".to_owned();
            let mut seen = String::new();
            for item in text.chars().rev() {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:a 2:b 3:c ");
    }

    "a loop over the parts of a text divides it by another letter"
    split_by_another(cx, _id) {
        old {
            let text = "a,b;c,d".to_owned();
            let mut seen = String::new();
            for item in text.split(',') {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let text = "a,b;c,d".to_owned();
            let mut seen = String::new();
            for item in text.split(';') {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("OtherSource", "", "1:a 2:b;c 3:d ");
    }

    "a loop over owned items goes over another list behind it"
    chained(cx, _id) {
        old {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: Vec<u8> = vec![1, 2, 3];
            let mut seen = String::new();
            for item in items.into_iter().chain([4, 5]) {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1 2:2 3:3 ");
    }

    "a `Vec` of decimal numbers becomes a `BTreeSet` while a loop goes over it"
    decimals_to_set(cx, _id) {
        old {
            let items: Vec<rust_decimal::Decimal> = vec![30.into(), 10.into(), 20.into()];
            let mut seen = String::new();
            for item in &items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: std::collections::BTreeSet<rust_decimal::Decimal> =
                [30.into(), 10.into(), 20.into()].into();
            let mut seen = String::new();
            for item in &items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("1:10 2:20 3:30 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("OtherOrder", "`items`", "1:30 2:10 3:20 ");
    }

    "a map of `indexmap` becomes one that is sorted while a loop goes over it"
    index_map_to_sorted(cx, _id) {
        old {
            let items: indexmap::IndexMap<u8, char> = [(3, 'c'), (1, 'a'), (2, 'b')].into();
            let mut seen = String::new();
            for (_, item) in &items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        new {
            let items: std::collections::BTreeMap<u8, char> = [(3, 'c'), (1, 'a'), (2, 'b')].into();
            let mut seen = String::new();
            for (_, item) in &items {
                let Go(go) = cx.signal::<Go>().await;
                seen.push_str(&format!("{go}:{item} "));
            }
            seen
        }
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("OtherOrder", "`items`", "1:c 2:a 3:b ");
    }
}
