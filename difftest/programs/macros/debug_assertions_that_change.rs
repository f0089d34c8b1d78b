//! What an assertion changes that a release build leaves out has its old value there.

#[workflow]
async fn program(mut n: i64) -> i64 {
    let mut words = vec![fetch("a").await];
    let mut last = fetch("b").await;
    act(n).await;
    debug_assert!({ n = 7; note(8); n } > 0);
    debug_assert_eq!({ last = words[0].clone(); last.len() }, 3, "{}", { words = Vec::new(); 1 });
    debug_assert_ne!({ words = vec![last.clone()]; 1 }, { n += 1; 2 });
    act(n).await + words.len() as i64 + last.len() as i64
}
