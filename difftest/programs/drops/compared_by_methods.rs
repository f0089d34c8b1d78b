//! Methods that compare keep nothing of what they are called on or told, so what is made of it goes where its scope ends.

#[workflow]
async fn program(n: i64) -> (bool, i64) {
    let name = fetch("name").await;
    let mut numbers = vec![&1, &2].into_iter();
    numbers.next();
    let same = numbers.eq(&[2]);
    let other = fetch("other").await;
    let less = name.cmp(&other).is_lt() && n.lt(&3) || n.eq(&7);
    let _named = Noisy::new(name.clone());
    let _made = Noisy::new(Order { customer: name, lines: vec![], id: n }.customer);
    let _other = Noisy::new(other);
    if less {
        let mut round = 0;
        loop {
            round += 1;
            note(round);
            if round > 4 {
                tick().await;
            }
            if round > n + 1 {
                break;
            }
        }
    }
    note("end");
    (same, n)
}
