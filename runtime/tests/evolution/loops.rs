//! Runs inside loops that are edited.

use crate::edits;

edits! {
    "the type of the items of a loop is widened, and their fields are sorted"
    loop_items_edited {
        old [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Line {
                pub id: u8,
                pub count: u8,
            }

            #[workflow]
            pub async fn loop_items_edited(cx: &Context) -> String {
                let mut text = String::new();
                let lines = vec![
                    Line { id: 1, count: 10 },
                    Line { id: 2, count: 20 },
                    Line { id: 3, count: 30 },
                ];
                for line in lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{}x{} ", line.id, line.count);
                }
                text
            }
        }
        new [] {
            #[derive(Clone, Serialize, Deserialize)]
            pub struct Line {
                pub count: u64,
                pub id: u64,
            }

            #[workflow]
            pub async fn loop_items_edited(cx: &Context) -> String {
                let mut text = String::new();
                let lines = vec![
                    Line { id: 1, count: 10 },
                    Line { id: 2, count: 20 },
                    Line { id: 3, count: 30 },
                ];
                for line in lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{}x{} ", line.id, line.count);
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1), Go(2), Go(3)] => Goes("1:1x10 2:2x20 3:3x30 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:1x10 2:2x20 3:3x30 ");
    }

    "the loop goes over a list by reference, and its items are retyped"
    borrowed_loop_items_edited {
        old [] {
            #[workflow]
            pub async fn borrowed_loop_items_edited(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn borrowed_loop_items_edited(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u64> = vec![10, 20, 30];
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [] [Go(1), Go(2), Go(3)] => Goes("1:10 2:20 3:30 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:10 2:20 3:30 ");
    }

    "a loop over a list becomes one over borrowed items"
    loop_becomes_borrowed {
        old [] {
            #[workflow]
            pub async fn loop_becomes_borrowed(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn loop_becomes_borrowed(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("MissingLocal", "`lines`", "1:10 2:20 3:30 ");
    }

    "a loop goes over the list from the end"
    loop_reversed {
        old [] {
            #[workflow]
            pub async fn loop_reversed(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn loop_reversed(cx: &Context) -> String {
                let mut text = String::new();
                let lines: Vec<u8> = vec![10, 20, 30];
                for line in lines.iter().rev() {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("1:30 2:20 3:10 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("OtherSource", "`position of line`", "1:10 2:20 3:30 ");
    }

    "the bounds of a loop over numbers change"
    range_edited {
        old [] {
            #[workflow]
            pub async fn range_edited(cx: &Context) -> String {
                let mut text = String::new();
                for number in 0..3_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{number} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn range_edited(cx: &Context) -> String {
                let mut text = String::new();
                for number in 0..4_u64 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{number} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3), Go(4)] => Goes("1:0 2:1 3:2 4:3 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:0 2:1 3:2 ");
    }

    "the condition and the variables of a `while` loop change"
    while_edited {
        old [] {
            #[workflow]
            pub async fn while_edited(cx: &Context) -> String {
                let mut sum = 0_u8;
                while sum < 3 {
                    let Go(go) = cx.signal::<Go>().await;
                    sum += go;
                }
                format!("{sum}")
            }
        }
        new [] {
            #[workflow]
            pub async fn while_edited(cx: &Context) -> String {
                let mut sum = 0_u64;
                let limit = 2;
                while sum < limit + 3 {
                    let Go(go) = cx.signal::<Go>().await;
                    sum += u64::from(go);
                    if sum > 8 {
                        break;
                    }
                }
                format!("{sum}")
            }
        }
        run old() new();
        at "start" [] [Go(2), Go(4)] => Goes("6");
        at "signal<Go>" [Go(2)] [Go(4)] => Blocked("MissingLocal", "`limit`", "6");
    }

    "another loop around the wait is added"
    loop_around {
        old [] {
            #[workflow]
            pub async fn loop_around(cx: &Context) -> String {
                let mut text = String::new();
                for number in 0..2_u8 {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{number} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn loop_around(cx: &Context) -> String {
                let mut text = String::new();
                for number in 0..2_u8 {
                    for other in 0..2_u8 {
                        let Go(go) = cx.signal::<Go>().await;
                        text += &format!("{go}:{number}{other} ");
                    }
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [Go(1)] [Go(2)] => Blocked("MissingLocal", "other", "1:0 2:1 ");
    }

    "two nested loops change places"
    nested_loops_swapped {
        old [] {
            #[workflow]
            pub async fn nested_loops_swapped(cx: &Context) -> String {
                let mut text = String::new();
                for a in ["x".to_owned(), "y".to_owned()] {
                    for b in ["1".to_owned(), "2".to_owned()] {
                        let Go(go) = cx.signal::<Go>().await;
                        text += &format!("{go}:{a}{b} ");
                    }
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn nested_loops_swapped(cx: &Context) -> String {
                let mut text = String::new();
                for b in ["1".to_owned(), "2".to_owned()] {
                    for a in ["x".to_owned(), "y".to_owned()] {
                        let Go(go) = cx.signal::<Go>().await;
                        text += &format!("{go}:{a}{b} ");
                    }
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3), Go(4)] => Goes("1:x1 2:y1 3:x2 4:y2 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3), Go(4)] => Blocked("OtherNesting", "the loop over `b` was inside the loop over `a`", "1:x1 2:x2 3:y1 4:y2 ");
    }

    "a constant changes that a loop goes over by reference"
    constant_changed {
        old [] {
            const STEPS: [u8; 3] = [10, 20, 30];

            #[workflow]
            pub async fn constant_changed(cx: &Context) -> String {
                let mut text = String::new();
                for step in &STEPS {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{step} ");
                }
                text
            }
        }
        new [] {
            const STEPS: [u8; 3] = [10, 25, 30];

            #[workflow]
            pub async fn constant_changed(cx: &Context) -> String {
                let mut text = String::new();
                for step in &STEPS {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{step} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Blocked("OtherSource", "`position of step`", "1:10 2:20 3:30 ");
    }

    "a constant changes that a loop goes over as a local"
    constant_copied {
        old [] {
            const STEPS: [u8; 3] = [10, 20, 30];

            #[workflow]
            pub async fn constant_copied(cx: &Context) -> String {
                let mut text = String::new();
                let steps = STEPS;
                for step in steps {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{step} ");
                }
                text
            }
        }
        new [] {
            const STEPS: [u8; 3] = [5, 10, 20];

            #[workflow]
            pub async fn constant_copied(cx: &Context) -> String {
                let mut text = String::new();
                let steps = STEPS;
                for step in steps {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{step} ");
                }
                text
            }
        }
        run old() new();
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:10 2:20 3:30 ");
    }

    "a local with the name of the variable of a loop over borrowed items is added before it"
    local_before_borrowing_loop {
        old [] {
            #[workflow]
            pub async fn local_before_borrowing_loop(cx: &Context) -> String {
                let mut text = String::new();
                let lines = vec![10_u8, 20, 30];
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn local_before_borrowing_loop(cx: &Context) -> String {
                let line = "lines: ".to_owned();
                let mut text = line;
                let lines = vec![10_u8, 20, 30];
                for line in &lines {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("lines: 1:10 2:20 3:30 ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("1:10 2:20 3:30 ");
    }

    "the outer one of two loops whose variables have one name is removed"
    outer_loop_removed {
        old [] {
            #[workflow]
            pub async fn outer_loop_removed(cx: &Context) -> String {
                let line = "lines: ".to_owned();
                let mut text = line;
                for line in ["x", "y", "z"].map(str::to_owned).to_vec() {
                    text += &line;
                    for line in ["a", "b", "c"].map(str::to_owned).to_vec() {
                        let Go(go) = cx.signal::<Go>().await;
                        text += &format!("{go}:{line} ");
                    }
                    if text.len() > 15 {
                        break;
                    }
                }
                text
            }
        }
        new [] {
            #[workflow]
            pub async fn outer_loop_removed(cx: &Context) -> String {
                let line = "lines: ".to_owned();
                let mut text = line;
                for line in ["a", "b", "c"].map(str::to_owned).to_vec() {
                    let Go(go) = cx.signal::<Go>().await;
                    text += &format!("{go}:{line} ");
                }
                text
            }
        }
        run old() new();
        at "start" [] [Go(1), Go(2), Go(3)] => Goes("lines: 1:a 2:b 3:c ");
        at "signal<Go>" [Go(1)] [Go(2), Go(3)] => Goes("lines: x1:a 2:b 3:c ");
    }
}
