//! Jumps as operands, with which a statement, an arm or an `else` begins.
#[allow(unused_must_use, unreachable_code)]
#[workflow]
async fn program(n: i64) -> i64 {
    let mut out = 0;
    'rounds: for i in 0..4 {
        act(i).await;
        if i == 1 {
            continue 'rounds == return 3;
        }
        out += i;
        let Some(found) = Some(i).filter(|i| *i != n) else {
            break 'rounds == (continue);
        };
        match found {
            2 => continue == break,
            3 => break == return 4,
            _ => note(found) == 7,
        };
        if i > n {
            (return out) as i64;
        }
    }
    out
}
