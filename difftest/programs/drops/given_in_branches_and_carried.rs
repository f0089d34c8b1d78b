//! Values that code without an await gives in its branches, with an await in a branch behind it.

#[workflow]
async fn program(n: i64) -> i64 {
    let mut sum = 0;
    for item in vec![Noisy::new("first"), Noisy::new("second")] {
        let _pair;
        match n {
            0..=3 => {
                _pair = vec![item, Noisy::new("low")];
            }
            _ => {
                let kept = Noisy::new("kept");
                _pair = vec![item, kept];
            }
        }
        let (beside, _) = (Noisy::new("beside"), Noisy::new("ignored"));
        match n % 3 {
            2 => {
                sum += act(n).await;
            }
            1 => {
                note("one");
            }
            _ => {}
        }
        note(sum);
    }
    sum
}
