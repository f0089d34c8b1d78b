//! `join!` in a loop that carries state from round to round.

#[workflow]
async fn program(n: i64) -> (i64, String) {
    let mut sum = n;
    let mut text = String::new();
    for i in 0..3 {
        let kept = sum;
        let (a, part) = join!(act(sum), fetch(&i.to_string()));
        sum = a + kept;
        text += &part;
        if sum % 5 == 0 {
            break;
        }
    }
    (sum, text)
}
