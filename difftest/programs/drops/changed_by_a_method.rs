//! A value that a method has changed, by values of their own, is dropped at the end of its scope where
//! nothing is awaited on the way.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut noisy = Noisy::new(fetch("first").await);
    let _guard = Noisy::new("guard");
    let mut rounds = 0;
    'rounds: loop {
        rounds += 1;
        if rounds > 3 {
            break;
        }
        match n {
            0..=2 => {
                if n == 1
                    && let Some(name) = find(n).await
                {
                    noisy.rename(name);
                }
            }
            3 => continue 'rounds,
            _ => (),
        }
        if n == 20 {
            break 'rounds;
        }
    }
    rounds
}
