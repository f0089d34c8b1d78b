//! `break` inside the condition of a loop and inside an argument.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut i = n;
    'all: loop {
        while { if i > 9 { break 'all i } act(i).await % 2 == 0 } {
            i += 3;
        }
        i = add(i, if i > 6 { break i } else { note(1) }).await;
    }
}
