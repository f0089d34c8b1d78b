//! A list that a method of its own changes last is dropped at the end of its scope.

#[workflow]
async fn program(n: i64) -> i64 {
    let _guard = Noisy::new("guard");
    let mut list = Vec::new();
    let mut round = 0;
    let late = loop {
        round += 1;
        if round < 2 {
            continue;
        }
        if n > 100 {
            list.push(Noisy::new(fetch("awaited").await));
        } else if n > 1 {
            list.push(Noisy::new("pushed"));
        }
        break round;
    };
    note("left");
    late
}
